extension SyncError {
    /// What happened, under CloudKit's names and numbers.
    public enum Code: Int, CaseIterable, Hashable, Sendable, Codable {
        /// The server failed in a way that a retry does not mend.
        case internalError = 1
        /// Some items failed; see `partialErrorsByItemID`.
        case partialFailure = 2
        /// There is no network.
        case networkUnavailable = 3
        /// There is a network, but the server was not reached.
        case networkFailure = 4
        /// The container is unknown or not allowed.
        case badContainer = 5
        /// The server is not available now.
        case serviceUnavailable = 6
        /// Too many requests; wait `retryAfterSeconds`.
        case requestRateLimited = 7
        /// The app lacks a permission to use the service.
        case missingEntitlement = 8
        /// No account is signed in.
        case notAuthenticated = 9
        /// The account may not do this.
        case permissionFailure = 10
        /// There is no such record.
        case unknownItem = 11
        /// The request makes no sense; the message says what is wrong.
        case invalidArguments = 12
        /// Kept for its number; not returned.
        case resultsTruncated = 13
        /// The save was not built on the server's version; see `serverRecord`.
        case serverRecordChanged = 14
        /// The server refused the request for good.
        case serverRejectedRequest = 15
        /// The file of an asset is not there.
        case assetFileNotFound = 16
        /// The file of an asset changed while it was saved.
        case assetFileModified = 17
        /// This version is too old for the server.
        case incompatibleVersion = 18
        /// A value that must be unique is not.
        case constraintViolation = 19
        /// The operation was cancelled before this was sent.
        case operationCancelled = 20
        /// The token cannot be used any more: fetch from none.
        case changeTokenExpired = 21
        /// Another item of the same atomic batch and zone failed.
        case batchRequestFailed = 22
        /// The zone is busy; try again soon.
        case zoneBusy = 23
        /// The database cannot do this.
        case badDatabase = 24
        /// The account's storage is full.
        case quotaExceeded = 25
        /// There is no such zone.
        case zoneNotFound = 26
        /// The request is too large: send it in halves.
        case limitExceeded = 27
        /// The user removed the zone's data.
        case userDeletedZone = 28
        /// The share has too many participants.
        case tooManyParticipants = 29
        /// The record is in another share already.
        case alreadyShared = 30
        /// A record that this one points to is missing.
        case referenceViolation = 31
        /// The account's manager does not allow this.
        case managedAccountRestricted = 32
        /// The participant must be verified first.
        case participantMayNeedVerification = 33
        /// The request was sent and no answer came: the outcome is unknown.
        case serverResponseLost = 34
        /// The file of an asset cannot be had now.
        case assetNotAvailable = 35
        /// The account cannot be used now; keep its data and wait.
        case accountTemporarilyUnavailable = 36
        /// The participant was invited already.
        case participantAlreadyInvited = 37
    }
}
