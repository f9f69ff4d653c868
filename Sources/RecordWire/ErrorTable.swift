package import RecordModel

/// How errors are named on the wire, and with which status a request fails that way.
package enum ErrorTable {
    /// The wire's name of a code, and the status of a reply that is nothing but this error.
    package static func row(of code: SyncError.Code) -> (name: String, status: Int) {
        switch code {
        case .notAuthenticated: ("AUTHENTICATION_FAILED", 401)
        case .permissionFailure, .missingEntitlement, .managedAccountRestricted:
            ("ACCESS_DENIED", 403)
        case .unknownItem, .assetFileNotFound, .badContainer: ("NOT_FOUND", 404)
        case .zoneNotFound, .userDeletedZone: ("ZONE_NOT_FOUND", 404)
        case .serverRecordChanged: ("CONFLICT", 409)
        case .constraintViolation: ("UNIQUE_FIELD_ERROR", 409)
        case .referenceViolation: ("VALIDATING_REFERENCE_ERROR", 412)
        case .quotaExceeded: ("QUOTA_EXCEEDED", 413)
        case .limitExceeded: ("LIMIT_EXCEEDED", 413)
        case .requestRateLimited: ("THROTTLED", 429)
        case .batchRequestFailed: ("ATOMIC_ERROR", 400)
        case .changeTokenExpired: ("CHANGE_TOKEN_EXPIRED", 400)
        case .incompatibleVersion: ("INCOMPATIBLE_VERSION", 400)
        case .serverRejectedRequest: ("REQUEST_REJECTED", 400)
        case .zoneBusy: ("ZONE_BUSY", 503)
        case .serviceUnavailable, .networkUnavailable, .networkFailure, .serverResponseLost:
            ("TRY_AGAIN_LATER", 503)
        case .accountTemporarilyUnavailable: ("ACCOUNT_TEMPORARILY_UNAVAILABLE", 503)
        case .internalError, .partialFailure: ("INTERNAL_ERROR", 500)
        case .invalidArguments, .badDatabase, .resultsTruncated, .assetFileModified,
            .operationCancelled, .tooManyParticipants, .alreadyShared,
            .participantMayNeedVerification, .assetNotAvailable, .participantAlreadyInvited:
            ("BAD_REQUEST", 400)
        }
    }

    /// The code of a name, and what to say of it.
    ///
    /// The number of a code, which servers of this project add, is taken where it fits the name. A
    /// name that is not known stays readable in the message.
    static func code(
        of name: String,
        known: SyncError.Code?,
        reason: String
    ) -> (SyncError.Code, String) {
        if let known, row(of: known).name == name { return (known, reason) }
        if let code = code(named: name) { return (code, reason) }
        return (.serverRejectedRequest, "\(quoted(name)): \(reason)")
    }

    private static func code(named name: String) -> SyncError.Code? {
        switch name {
        case "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED": .notAuthenticated
        case "ACCESS_DENIED": .permissionFailure
        case "NOT_FOUND": .unknownItem
        case "ZONE_NOT_FOUND": .zoneNotFound
        case "CONFLICT", "EXISTS": .serverRecordChanged
        case "UNIQUE_FIELD_ERROR": .constraintViolation
        case "VALIDATING_REFERENCE_ERROR": .referenceViolation
        case "QUOTA_EXCEEDED": .quotaExceeded
        case "LIMIT_EXCEEDED": .limitExceeded
        case "THROTTLED": .requestRateLimited
        case "ATOMIC_ERROR": .batchRequestFailed
        case "CHANGE_TOKEN_EXPIRED": .changeTokenExpired
        case "INCOMPATIBLE_VERSION": .incompatibleVersion
        case "REQUEST_REJECTED": .serverRejectedRequest
        case "ZONE_BUSY": .zoneBusy
        case "TRY_AGAIN_LATER", "SERVICE_UNAVAILABLE": .serviceUnavailable
        case "ACCOUNT_TEMPORARILY_UNAVAILABLE": .accountTemporarilyUnavailable
        case "INTERNAL_ERROR": .internalError
        case "BAD_REQUEST", "INVALID_ARGUMENTS": .invalidArguments
        case _: nil
        }
    }
}
