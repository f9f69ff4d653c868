public import SyncCore
import Synchronization

/// Tells an engine how its device and its network are.
///
/// `LinuxConditionsMonitor` and, on Apple's platforms, `AppleConditionsMonitor` look for
/// themselves, and are what an engine begins with; `ManualConditions` says what it was told. An
/// engine without a monitor knows no conditions, and counts all of them as good.
public protocol ConditionsMonitor: Sendable {
    /// Gives the conditions as they are, and again each time they have changed.
    ///
    /// `serverAddress` is where the engine's server is, as its connection says; nil for one that
    /// needs no network. Once the stream ends, the conditions are unknown.
    func conditions(serverAddress: String?) -> AsyncStream<Conditions>
}

/// Conditions that an app or a test sets by hand.
public final class ManualConditions: ConditionsMonitor {
    private let protected: Guarded<Protected>

    private struct Protected {
        var conditions: Conditions
        var targets: [(id: Int, target: AsyncStream<Conditions>.Continuation)] = []
        var nextID = 1
    }

    /// Makes conditions that hold until others are set.
    public init(_ conditions: Conditions = Conditions()) {
        protected = Guarded(Protected(conditions: conditions))
    }

    deinit {
        for (_, target) in protected.withLock({ $0.targets }) { target.finish() }
    }

    /// How things are; setting it tells every engine.
    public var conditions: Conditions {
        get { protected.withLock { $0.conditions } }
        set { change { $0 = newValue } }
    }

    /// Changes some of the conditions at once, and tells every engine.
    public func change(_ body: (inout Conditions) -> Void) {
        let (conditions, targets) = protected.withLock { protected in
            var conditions = protected.conditions
            body(&conditions)
            protected.conditions = conditions
            return (conditions, protected.targets)
        }
        for (_, target) in targets { target.yield(conditions) }
    }

    /// Gives what is set, and each change of it; who is slow gets the newest.
    public func conditions(serverAddress: String?) -> AsyncStream<Conditions> {
        let (stream, target) = AsyncStream.makeStream(
            of: Conditions.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let (id, conditions) = protected.withLock { protected in
            defer { protected.nextID += 1 }
            protected.targets.append((protected.nextID, target))
            return (protected.nextID, protected.conditions)
        }
        target.onTermination = { [weak self] _ in
            let removed = self?.protected.withLock { protected in
                let removed = protected.targets.filter { $0.id == id }
                protected.targets.removeAll { $0.id == id }
                return removed
            }
            // Let go of it outside of the lock.
            _ = removed
        }
        target.yield(conditions)
        return stream
    }
}
