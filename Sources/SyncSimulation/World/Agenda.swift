import RecordModel
import SyncCore

/// What will happen, in the order of time; what was added first comes first among equals.
struct Agenda {
    private var heap: [Entry] = []
    private var nextNumber: UInt64 = 0

    private struct Entry {
        var time: Duration
        var number: UInt64
        var happening: Happening

        static func < (left: Entry, right: Entry) -> Bool {
            left.time == right.time ? left.number < right.number : left.time < right.time
        }
    }

    var nextTime: Duration? { heap.first?.time }
    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ happening: Happening, at time: Duration) {
        heap.append(Entry(time: time, number: nextNumber, happening: happening))
        nextNumber += 1
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() -> (time: Duration, happening: Happening)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.happening) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return (first.time, first.happening) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

/// Something that happens at its time; what belongs to a process that has ended does not.
enum Happening {
    /// The next step of the plan.
    case step(Int)
    /// A request reaches the server.
    case arrival(Message)
    /// An answer reaches a device.
    case answer(device: Int, boot: Int, RequestID, EngineInput)
    /// A device gives up waiting for an answer.
    case timeout(device: Int, boot: Int, RequestID, SyncError)
    /// The app is done with what it has in hand.
    case hand(device: Int, boot: Int, number: Int)
    /// An engine wants to be woken.
    case wake(device: Int, generation: Int)
    /// A device starts.
    case launch(device: Int)
    /// A device hears that there is something new.
    case notify(device: Int)
    /// A device is told to look who is signed in.
    case accountHint(device: Int)
    /// A passing fault passes.
    case end(Passing)
}

/// A fault that ends by itself.
enum Passing {
    case weather(device: Int)
    case serverDown
    case refusals
    case quota
    case limits
    case standing(account: String)
    case storeFailure(device: Int)
    case slowHandler(device: Int)
    case signIn(device: Int)
}

/// A request on its way.
struct Message {
    var device: Int
    var boot: Int
    var id: RequestID
    var request: EngineEffect
    /// True if nobody hears the answer.
    var isAnswerLost = false
    /// When it left.
    var sentAt: Duration
}
