/// What waits for an instant; equal instants in the order of asking.
struct TimerQueue {
    private var heap: [Entry] = []
    private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var nextID = 1

    private struct Entry {
        let instant: Duration
        let id: Int

        func isBefore(_ other: Entry) -> Bool {
            (instant, id) < (other.instant, other.id)
        }
    }

    mutating func makeID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    mutating func add(
        _ id: Int,
        at instant: Duration,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        waiting[id] = continuation
        heap.append(Entry(instant: instant, id: id))
        rise(from: heap.count - 1)
    }

    mutating func remove(_ id: Int) -> CheckedContinuation<Void, any Error>? {
        defer { dropCancelled() }
        return waiting.removeValue(forKey: id)
    }

    /// Takes everything that waits, in the order of asking.
    mutating func removeAll() -> [CheckedContinuation<Void, any Error>] {
        defer {
            waiting = [:]
            heap = []
        }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The earliest instant that something waits for.
    var first: Duration? { heap.first?.instant }

    mutating func takeFirst() -> (Duration, CheckedContinuation<Void, any Error>)? {
        guard let entry = heap.first, let timer = waiting.removeValue(forKey: entry.id) else {
            return nil
        }
        dropCancelled()
        return (entry.instant, timer)
    }

    /// Keeps the first entry one that is waited for.
    private mutating func dropCancelled() {
        while let entry = heap.first, waiting[entry.id] == nil { removeRoot() }
    }

    private mutating func removeRoot() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(from: 0)
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
