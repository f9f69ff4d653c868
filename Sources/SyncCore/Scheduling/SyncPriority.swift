/// How urgent automatic work is: what conditions it waits for.
public enum SyncPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// It waits for plenty of power and little load.
    case background
    /// It waits while the network, the power or the load is poor.
    case `default`
    /// A person waits for it: only a missing network or account holds it back.
    case userInitiated

    /// The more urgent one is greater.
    public static func < (left: SyncPriority, right: SyncPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
