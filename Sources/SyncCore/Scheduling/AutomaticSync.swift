import RecordModel

/// When the engine acts by itself.
struct AutomaticSync: Sendable {
    var sendDue: EngineInstant?
    var fetchDue: EngineInstant?
    /// True if a trigger came while a send ran, so that one more follows it; fetches likewise.
    var isSendRemembered = false
    var isFetchRemembered = false
    /// Scheduled sends in a row that failed; fetches likewise.
    var failedSendCount = 0
    var failedFetchCount = 0
    /// Sends in a row that moved nothing although something waits.
    var idleSendCount = 0
    /// True while there is no account to sync with.
    var isAsleep = false
}
