import RecordModel

/// The faults that wait for their requests, in the order in which they were put in.
struct FaultQueue: Sendable {
    private var entries: [Entry] = []
    private var nextNumber = 1

    private struct Entry: Sendable {
        let id: Fault.ID
        let fault: Fault
        var seenCount = 0
        var befallenCount = 0

        var isUsedUp: Bool { fault.countMax.map { befallenCount >= $0 } ?? false }

        /// Counts a request the fault is meant for, and says whether it befalls it.
        mutating func isDue() -> Bool {
            seenCount += 1
            let place = seenCount - fault.skipCount
            guard !isUsedUp, place > 0, (place - 1) % fault.period == 0 else { return false }
            befallenCount += 1
            return true
        }
    }

    mutating func add(_ fault: Fault) -> Fault.ID {
        defer { nextNumber += 1 }
        let id = Fault.ID(number: nextNumber)
        entries.append(Entry(id: id, fault: fault))
        return id
    }

    mutating func remove(_ id: Fault.ID) { entries.removeAll { $0.id == id } }

    mutating func removeAll() { entries = [] }

    /// True if a fault has not befallen as many requests as it should.
    func isWaiting(_ id: Fault.ID) -> Bool { entries.contains { $0.id == id } }

    /// What befalls a request as a whole.
    mutating func effect(on request: CloudRequest) -> Fault.Effect? {
        for place in entries.indices where entries[place].fault.isMeant(for: request) {
            guard !entries[place].fault.isRefusal, entries[place].isDue() else { continue }
            let effect = entries[place].fault.effect
            if entries[place].isUsedUp { entries.remove(at: place) }
            return effect
        }
        return nil
    }

    /// The items of a request that the server refuses.
    mutating func refusals(in request: CloudRequest) -> [SyncError.ItemID: SyncError] {
        guard request.kind.isWrite, !entries.isEmpty else { return [:] }
        var refusals: [SyncError.ItemID: SyncError] = [:]
        for place in entries.indices where entries[place].fault.isMeant(for: request) {
            guard case .refuse(let item, let error) = entries[place].fault.effect,
                refusals[item] == nil, request.holds(item), entries[place].isDue()
            else { continue }
            refusals[item] = error
        }
        entries.removeAll(where: \.isUsedUp)
        return refusals
    }
}

extension Fault {
    fileprivate var isRefusal: Bool {
        if case .refuse = effect { true } else { false }
    }

    fileprivate func isMeant(for request: CloudRequest) -> Bool {
        (kinds?.contains(request.kind) ?? true) && (device.map { $0 == request.device } ?? true)
    }
}
