import Synchronization

/// A number that two threads share.
final class Box: Sendable {
    private let stored = Mutex(0)

    var value: Int {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
