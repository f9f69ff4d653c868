package import RecordModel

extension Server {
    /// Makes an account; one that exists stays as it is.
    ///
    /// The first account of a storage begins its first epoch.
    package mutating func createAccount(
        _ name: String,
        at now: Timestamp
    ) throws(SyncError) {
        try Record.ID(recordName: name).validate()
        guard name != RecordZone.ID.currentUserName else {
            throw SyncError(.invalidArguments, "\(name) stands for whoever asks: no account's name")
        }
        try write { server in
            if try server.storage.epoch() == 0 { try server.beginEpoch(at: now) }
            guard try server.storage.account(name) == nil else { return }
            try server.storage.put(StoredAccount(name: name))
        }
    }

    /// Says whether an account may be used.
    package mutating func setStanding(
        _ standing: StoredAccount.Standing,
        of account: String
    ) throws(SyncError) {
        try write { server in
            guard var stored = try server.storage.account(account) else {
                throw SyncError(.notAuthenticated, "there is no account \(account)")
            }
            stored.standing = standing
            try server.storage.put(stored)
        }
    }

    /// What the engine of an account is told of it.
    package mutating func accountStatus(of account: String) throws(SyncError) -> AccountStatus {
        let stored = try read { try $0.storage.account(account) }
        guard let stored else { return .noAccount }
        switch stored.standing {
        case .available: return .available(userRecordName: account)
        case .restricted: return .restricted
        case .temporarilyUnavailable: return .temporarilyUnavailable
        }
    }

    /// The bytes that the records of an account take, as quotas count them.
    package mutating func usedByteCount(of account: String) throws(SyncError) -> Int {
        try read { try $0.storage.account(account)?.usedByteCount ?? 0 }
    }

    /// The devices that wrote for an account, by id.
    package mutating func devices(of account: String) throws(SyncError) -> [StoredDevice] {
        try read { try $0.storage.devices(of: account) }
    }
}

extension Server {
    /// The account of a caller; throws unless it may use the database it asks about.
    func admit(_ caller: ServerCaller) throws -> StoredAccount {
        guard caller.scope != .public else {
            throw SyncError(.badDatabase, "a public database cannot be synced")
        }
        guard let account = try storage.account(caller.account) else {
            throw SyncError(.notAuthenticated, "there is no account \(caller.account)")
        }
        switch account.standing {
        case .available:
            return account
        case .restricted:
            throw SyncError(.managedAccountRestricted, "account \(account.name) is restricted")
        case .temporarilyUnavailable:
            throw SyncError(
                .accountTemporarilyUnavailable,
                "account \(account.name) cannot be used now"
            )
        }
    }

    /// Keeps that a device wrote something.
    mutating func noteDevice(of caller: ServerCaller, at now: Timestamp) throws {
        var device =
            try storage.device(caller.deviceID, of: caller.account)
            ?? StoredDevice(deviceID: caller.deviceID, firstSeen: now, lastSeen: now)
        device.lastSeen = max(device.lastSeen, now)
        try storage.put(device, of: caller.account)
    }
}
