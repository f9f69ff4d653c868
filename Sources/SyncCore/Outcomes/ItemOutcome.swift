package import RecordModel

/// What becomes of a pending change whose item failed: the one table from error code to outcome.
///
/// Total by construction: a new code does not compile before it has its row.
package enum ItemOutcome: Hashable, Sendable {
    /// It is pending again and goes out when the server may take it.
    case retry
    /// It is innocent: another item of its atomic batch failed. It is pending again.
    case requeue
    /// It is kept and not sent until the app says so.
    case park
    /// Its request was too large: it goes out again in a smaller one.
    case split
    /// It left the queue; the app decides with the error in hand.
    case surface

    package init(_ code: SyncError.Code) {
        switch code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited,
            .notAuthenticated, .zoneBusy, .accountTemporarilyUnavailable, .operationCancelled,
            .serverResponseLost, .managedAccountRestricted:
            self = .retry
        case .batchRequestFailed:
            self = .requeue
        case .quotaExceeded:
            self = .park
        case .limitExceeded:
            self = .split
        case .internalError, .partialFailure, .badContainer, .missingEntitlement,
            .permissionFailure, .unknownItem, .invalidArguments, .resultsTruncated,
            .serverRecordChanged, .serverRejectedRequest, .assetFileNotFound,
            .assetFileModified, .incompatibleVersion, .constraintViolation,
            .changeTokenExpired, .badDatabase, .zoneNotFound, .userDeletedZone,
            .tooManyParticipants, .alreadyShared, .referenceViolation,
            .participantMayNeedVerification, .assetNotAvailable, .participantAlreadyInvited:
            self = .surface
        }
    }
}

/// What a request that failed as a whole means for the operation that made it.
package enum RequestOutcome: Hashable, Sendable {
    /// The database cannot be used now: the operation ends, everything is kept.
    case endOperation
    /// The account must be asked for again, then as `endOperation`.
    case askAccount
    /// Nobody knows whether the server took it: its outcome must be asked for.
    case askOutcome
    /// The token is of no use: begin anew without one.
    case restartWithoutToken
    /// It was too large: send it in halves.
    case split
    /// It concerns the items of this request alone: each gets the error.
    case failItems

    package init(_ code: SyncError.Code) {
        switch code {
        case .networkUnavailable, .serviceUnavailable, .requestRateLimited, .operationCancelled,
            .managedAccountRestricted:
            self = .endOperation
        case .notAuthenticated, .accountTemporarilyUnavailable:
            self = .askAccount
        case .networkFailure, .serverResponseLost:
            self = .askOutcome
        case .changeTokenExpired:
            self = .restartWithoutToken
        case .limitExceeded:
            self = .split
        case .internalError, .partialFailure, .badContainer, .missingEntitlement,
            .permissionFailure, .unknownItem, .invalidArguments, .resultsTruncated,
            .serverRecordChanged, .serverRejectedRequest, .assetFileNotFound,
            .assetFileModified, .incompatibleVersion, .constraintViolation, .badDatabase,
            .zoneNotFound, .userDeletedZone, .tooManyParticipants, .alreadyShared,
            .referenceViolation, .participantMayNeedVerification, .assetNotAvailable,
            .participantAlreadyInvited, .batchRequestFailed, .zoneBusy, .quotaExceeded:
            self = .failItems
        }
    }
}
