import RecordModel
import RecordSync
import ServerCore

/// A connection to be told something.
typealias NotificationTarget = AsyncStream<DatabaseNotification>.Continuation

/// The devices of a cloud: who is signed in, what is connected, and what listens.
struct CloudDevices: Sendable {
    private var devices: [String: Device] = [:]
    /// The devices on which an account is signed in, in the order of signing in.
    private var names: [String: [String]] = [:]
    private var nextListener = 1
    private var isPushSilent = false

    private struct Device: Sendable {
        var account: String?
        var isOnline = true
        var isPushSilent = false
        var listeners: [Listener] = []
    }

    private struct Listener: Sendable {
        let number: Int
        let scope: Database.Scope
        let target: NotificationTarget
    }

    func account(on device: String) -> String? { devices[device]?.account }

    func isKnown(_ device: String) -> Bool { devices[device] != nil }

    func isOnline(_ device: String) -> Bool { devices[device]?.isOnline ?? true }

    mutating func setOnline(_ isOnline: Bool, _ device: String) {
        devices[device, default: Device()].isOnline = isOnline
    }

    /// For all devices if none is named.
    mutating func setPushSilent(_ isSilent: Bool, _ device: String?) {
        if let device {
            devices[device, default: Device()].isPushSilent = isSilent
        } else {
            isPushSilent = isSilent
        }
    }

    mutating func signIn(_ account: String, on device: String) {
        signOut(device)
        devices[device, default: Device()].account = account
        names[account, default: []].append(device)
    }

    mutating func signOut(_ device: String) {
        if let account = devices[device]?.account { names[account]?.removeAll { $0 == device } }
        devices[device, default: Device()].account = nil
    }

    mutating func listen(
        on device: String,
        scope: Database.Scope,
        _ target: NotificationTarget
    ) -> Int {
        defer { nextListener += 1 }
        let listener = Listener(number: nextListener, scope: scope, target: target)
        devices[device, default: Device()].listeners.append(listener)
        return nextListener
    }

    mutating func stopListening(_ number: Int, on device: String) {
        devices[device]?.listeners.removeAll { $0.number == number }
    }

    /// The connections to a database, but for those of the device that changed it.
    func targets(of caller: ServerCaller) -> [NotificationTarget] {
        (names[caller.account] ?? []).filter { $0 != caller.deviceID }.flatMap { name in
            listeners(on: name).filter { $0.scope == caller.scope }.map(\.target)
        }
    }

    /// All connections of a device.
    func targets(on device: String) -> [NotificationTarget] {
        listeners(on: device).map(\.target)
    }

    /// All connections of the devices on which an account is signed in.
    func targets(ofAccount account: String) -> [NotificationTarget] {
        (names[account] ?? []).flatMap { targets(on: $0) }
    }

    private func listeners(on device: String) -> [Listener] {
        guard !isPushSilent, let device = devices[device], device.isOnline, !device.isPushSilent
        else { return [] }
        return device.listeners
    }

    /// Everything that listens, silent or not.
    var allTargets: [NotificationTarget] {
        devices.values.flatMap { $0.listeners.map(\.target) }
    }
}
