import RecordSync

/// What happened, in order.
final class Notes: Sendable {
    private let protected = Guarded<[String]>([])

    var all: [String] { protected.withLock { $0 } }

    func add(_ note: String) { protected.withLock { $0.append(note) } }
}
