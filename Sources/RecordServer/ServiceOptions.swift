/// What the owner of a server decides besides the rules for records.
package struct ServiceOptions: Hashable, Sendable {
    /// The one container that the server serves.
    package var container = "default"
    /// The account that whoever asks has, without a token; for a first try, on this machine only.
    package var openAccount: String?
    /// Requests that an account may make in a second, over a longer time.
    package var requestsPerSecond = 1_000.0
    /// Requests that an account may make at once.
    package var requestBurst = 4_000.0
    /// The longest that a poll for changes waits.
    package var pollSecondsMax = 300
    /// Polls of one account that wait at the same time.
    package var pollCountMax = 200

    package init() {}
}
