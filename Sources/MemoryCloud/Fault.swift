public import RecordModel

/// Something that goes wrong with the requests it is meant for, as often as it says.
///
///     cloud.inject(.nth(3, .fail(SyncError(.serviceUnavailable))).on(.modifyRecords))
///     cloud.inject(.next(.loseAnswer).from("phone"))
///     cloud.inject(.next(.refuse(.record(id), SyncError(.permissionFailure)), count: 2))
///
/// Faults stand in a queue. Each counts the requests it is meant for. The first that is due befalls
/// the request, and those behind it do not see it; refusals of items are no part of this: all that
/// are due befall the request.
public struct Fault: Hashable, Sendable {
    /// What goes wrong.
    public var effect: Effect
    /// The kinds of request it is meant for; nil for all.
    public var kinds: Set<RequestKind>?
    /// The device it is meant for; nil for all.
    public var device: String?
    /// How many requests go well before it first befalls one.
    public var skipCount: Int
    /// It befalls one request in so many; 1 for each.
    public var period: Int
    /// How many requests it befalls; nil for any number, until it is lifted.
    public var countMax: Int?

    /// What can go wrong with a request.
    public enum Effect: Hashable, Sendable {
        /// The request is answered with an error, and has no effect.
        case fail(SyncError)
        /// The request never arrives; the caller cannot know: `networkFailure`.
        case loseRequest
        /// The server takes the request, and its answer is lost: `serverResponseLost`.
        case loseAnswer
        /// The server takes the request, and its answer is lost under another error.
        case loseAnswerAs(SyncError)
        /// The caller is told `networkFailure`, and the request waits for `deliverLateRequests()`.
        case arriveLate
        /// The request arrives twice; the caller has the first answer.
        case duplicate
        /// The server refuses one item of a write, and goes on with the others by its rules.
        ///
        /// Meant only for requests that the item stands in.
        case refuse(SyncError.ItemID, SyncError)
    }

    /// Makes a fault; the functions below read better.
    public init(
        _ effect: Effect,
        kinds: Set<RequestKind>? = nil,
        device: String? = nil,
        skipCount: Int = 0,
        period: Int = 1,
        countMax: Int? = nil
    ) {
        self.effect = effect
        self.kinds = kinds
        self.device = device
        self.skipCount = max(0, skipCount)
        self.period = max(1, period)
        self.countMax = countMax
    }

    /// Befalls the next requests: one, or as many as given.
    public static func next(_ effect: Effect, count: Int = 1) -> Fault {
        Fault(effect, countMax: count)
    }

    /// Befalls one request, the n-th from now; the next is the first.
    public static func nth(_ number: Int, _ effect: Effect) -> Fault {
        Fault(effect, skipCount: number - 1, countMax: 1)
    }

    /// Befalls every k-th request until it is lifted.
    public static func every(_ period: Int, _ effect: Effect) -> Fault {
        Fault(effect, skipCount: period - 1, period: period)
    }

    /// Befalls every request until it is lifted.
    public static func always(_ effect: Effect) -> Fault { Fault(effect) }

    /// The same fault, for requests of the given kinds.
    public func on(_ kinds: RequestKind...) -> Fault {
        var fault = self
        fault.kinds = Set(kinds)
        return fault
    }

    /// The same fault, for requests of one device.
    public func from(_ device: String) -> Fault {
        var fault = self
        fault.device = device
        return fault
    }

    /// Names a fault in a cloud.
    public struct ID: Hashable, Sendable {
        let number: Int
    }
}

extension Fault.Effect {
    /// The server's answer to too many requests: wait so many seconds.
    public static func rateLimit(retryAfterSeconds seconds: Double) -> Fault.Effect {
        .fail(SyncError(.requestRateLimited, "too many requests", retryAfterSeconds: seconds))
    }

    /// The server's answer while it is down.
    public static let outage = Fault.Effect.fail(
        SyncError(.serviceUnavailable, "the server is down")
    )
}
