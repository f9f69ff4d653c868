public import RecordModel
public import RecordSync
import ServerCore
import Synchronization

/// A server in this process: the rules of the real one, over memory.
///
/// Several devices and accounts meet on it, each through a database connection of its own.
public final class InMemoryCloud: Sendable {
    private let world: Mutex<World>

    /// What the cloud knows.
    struct World {
        var server: Server<MemoryStorage>
        /// Who is signed in on each device; nil for nobody.
        var signedIn: [String: String?] = [:]
    }

    /// Makes an empty cloud.
    public init() {
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let configuration = ServerConfiguration(tokenKey: key)
        world = Mutex(World(server: Server(storage: MemoryStorage(), configuration: configuration)))
    }

    /// Gives a device's connection to one of an account's databases, and signs the account in.
    ///
    /// A device keeps the account that was signed in first, until it is changed.
    public func database(
        _ scope: Database.Scope,
        account: String,
        device: String
    ) -> any SyncDatabase {
        world.withLock { world in
            if world.signedIn[device] == nil { world.signedIn[device] = account }
        }
        return InMemoryDatabase(cloud: self, scope: scope, device: device)
    }

    func withWorld<Value: Sendable>(
        _ body: (inout World) throws(SyncError) -> Value
    ) throws(SyncError) -> Value {
        try world.withLock { world throws(SyncError) in try body(&world) }
    }
}
