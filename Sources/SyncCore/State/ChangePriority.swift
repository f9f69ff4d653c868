/// Numbers of changes by the priority that they were added with.
///
/// A change mostly has none of its own: then it has the engine's, which the queue does not know.
struct PriorityCounts: Sendable {
    private var numbers = SIMD4<Int32>()

    var total: Int { Int(numbers.wrappedSum()) }

    func count(_ priorities: PriorityFilter) -> Int {
        Int((numbers &* priorities.weights).wrappedSum())
    }

    mutating func add(_ number: Int32, of priority: SyncPriority?) {
        numbers[PriorityFilter.place(of: priority)] &+= number
    }
}

/// Which priorities of changes are meant.
package struct PriorityFilter: Hashable, Sendable {
    /// 1 for each that is meant, 0 for the others.
    fileprivate let weights: SIMD4<Int32>

    /// All of them.
    package static let all = PriorityFilter(weights: SIMD4(repeating: 1))

    private init(weights: SIMD4<Int32>) { self.weights = weights }

    /// Changes of one priority, in an engine that gives `base` to those without their own.
    package init(_ priority: SyncPriority, base: SyncPriority) {
        var weights = SIMD4<Int32>()
        weights[Self.place(of: priority)] = 1
        if priority == base { weights[Self.place(of: nil)] = 1 }
        self.weights = weights
    }

    func includes(_ priority: SyncPriority?) -> Bool { weights[Self.place(of: priority)] != 0 }

    fileprivate static func place(of priority: SyncPriority?) -> Int {
        priority.map { $0.rawValue + 1 } ?? 0
    }
}

/// In which order a walk takes what is pending: the more urgent first.
package struct WalkUrgency: Hashable, Sendable {
    /// The priority of changes without one of their own.
    package var base: SyncPriority
    /// What is less urgent is left alone.
    package var floor: SyncPriority

    package init(base: SyncPriority = .default, floor: SyncPriority = .background) {
        self.base = base
        self.floor = floor
    }

    /// The priorities that the walk takes, the most urgent first.
    var filters: [(priority: SyncPriority, filter: PriorityFilter)] {
        SyncPriority.allCases.reversed().filter { $0 >= floor }
            .map { ($0, PriorityFilter($0, base: base)) }
    }

    /// The part of a zone that the walk goes over by itself, with a position of its own.
    func lane(_ zone: Int, _ priority: SyncPriority?) -> Int {
        zone * SyncPriority.allCases.count + (priority ?? base).rawValue
    }
}

extension SyncPriority {
    /// The more urgent of the priorities that a change was added with; none counts as a little less
    /// than the default one, so that the order of adding makes no difference.
    static func moreUrgent(_ left: SyncPriority?, _ right: SyncPriority?) -> SyncPriority? {
        switch (left, right) {
        case (let left?, let right?): max(left, right)
        case (.background?, nil), (nil, .background?), (nil, nil): nil
        case (let priority?, nil), (nil, let priority?): priority
        }
    }
}
