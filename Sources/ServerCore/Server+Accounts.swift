package import RecordModel

extension Server {
    /// Makes an account; one that exists stays as it is.
    package mutating func createAccount(_ name: String) throws(SyncError) {
        throw SyncError(.serviceUnavailable)
    }

    /// Says whether an account may be used.
    package mutating func setStanding(
        _ standing: StoredAccount.Standing,
        of account: String
    ) throws(SyncError) {
        throw SyncError(.serviceUnavailable)
    }

    /// What the engine of an account is told of it.
    package mutating func accountStatus(of account: String) throws(SyncError) -> AccountStatus {
        throw SyncError(.serviceUnavailable)
    }

    /// The devices that wrote for an account, by id.
    package mutating func devices(of account: String) throws(SyncError) -> [StoredDevice] {
        throw SyncError(.serviceUnavailable)
    }
}
