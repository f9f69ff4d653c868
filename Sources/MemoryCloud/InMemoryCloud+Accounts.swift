public import RecordModel
import RecordSync
import ServerCore

extension InMemoryCloud {
    /// Whether an account may be used.
    public enum AccountStanding: Hashable, Sendable {
        /// It may.
        case available
        /// Its manager does not allow it.
        case restricted
        /// Not now; its data stays.
        case temporarilyUnavailable
    }

    /// Signs an account in on a device, in the place of one that is signed in there.
    ///
    /// The device's connections are hinted that the account changed.
    public func signIn(_ account: String, device: String) {
        let targets = withWorld { world in
            world.signIn(account, on: device)
            return world.devices.targets(on: device)
        }
        for target in targets { target.yield(.accountChanged) }
    }

    /// Signs out whoever is signed in on a device.
    ///
    /// The device's connections are hinted that the account changed.
    public func signOut(device: String) {
        let targets = withWorld { world in
            world.devices.signOut(device)
            return world.devices.targets(on: device)
        }
        for target in targets { target.yield(.accountChanged) }
    }

    /// The account that is signed in on a device; nil for none.
    public func account(onDevice device: String) -> String? {
        withWorld { $0.devices.account(on: device) }
    }

    /// Says whether an account may be used; the devices where it is signed in are hinted.
    public func setStanding(_ standing: AccountStanding, account: String) throws(SyncError) {
        let targets = try withWorld { world throws(SyncError) in
            try world.server.createAccount(account, at: world.now)
            try world.server.setStanding(standing.stored, of: account)
            return world.devices.targets(ofAccount: account)
        }
        for target in targets { target.yield(.accountChanged) }
    }

    /// Lets hints get lost, of one device or of all, or lets them through again.
    ///
    /// What was lost meanwhile does not come later. A device that was silenced by its name hears
    /// again when it is named.
    public func setPushSilent(_ isSilent: Bool, device: String? = nil) {
        withWorld { $0.devices.setPushSilent(isSilent, device) }
    }
}

extension InMemoryCloud.AccountStanding {
    fileprivate var stored: StoredAccount.Standing {
        switch self {
        case .available: .available
        case .restricted: .restricted
        case .temporarilyUnavailable: .temporarilyUnavailable
        }
    }
}
