public import RecordModel
public import RecordSync
import ServerCore

/// A server in this process: the rules of the real one, over memory.
///
/// Several devices and accounts meet on it, each through a database connection of its own. What
/// goes wrong is up to the test: `inject` makes requests fail, `hold` stops one on its way,
/// `setOnline`, `signOut`, `purgeZone` and the others do what happens to real devices. The cloud
/// keeps a log of the newest requests, and shows what it has.
///
/// No answer waits for anything, unless it is held, and no request costs more because the cloud
/// holds more.
public final class InMemoryCloud: Sendable {
    private let protected: Guarded<CloudWorld>

    /// Makes an empty cloud that goes by the machine's clock.
    public convenience init() { self.init(clock: { .now }) }

    /// Makes an empty cloud that goes by a clock of the caller's.
    ///
    /// The clock is asked at every request, and may jump.
    public convenience init(clock: @escaping @Sendable () -> Timestamp) {
        self.init(tokenKey: (0..<32).map { _ in UInt8.random(in: .min ... .max) }, clock: clock)
    }

    /// Makes an empty cloud whose tokens are the same in every run.
    package init(tokenKey: [UInt8], clock: @escaping @Sendable () -> Timestamp) {
        let configuration = ServerConfiguration(tokenKey: tokenKey)
        let server = Server(storage: MemoryStorage(), configuration: configuration)
        protected = Guarded(CloudWorld(server: server, clock: clock))
    }

    deinit {
        for target in withWorld({ $0.devices.allTargets }) { target.finish() }
    }

    /// Gives a device's connection to one of an account's databases, and signs the account in.
    ///
    /// A device keeps the account that was signed in first, until it is changed.
    public func database(
        _ scope: Database.Scope,
        account: String,
        device: String
    ) -> any SyncDatabase {
        let wrap = withWorld { world in
            if !world.devices.isKnown(device) { world.signIn(account, on: device) }
            return world.wrap
        }
        let database = InMemoryDatabase(cloud: self, scope: scope, device: device)
        return wrap?(database) ?? database
    }

    /// Puts something between devices and the cloud, for connections that are made from now on.
    package func wrapConnections(
        _ wrap: @escaping @Sendable (any SyncDatabase) -> any SyncDatabase
    ) {
        withWorld { $0.wrap = wrap }
    }

    func withWorld<Value: Sendable, Failure: Error>(
        _ body: (inout CloudWorld) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try protected.withLock { world throws(Failure) in try body(&world) }
    }
}
