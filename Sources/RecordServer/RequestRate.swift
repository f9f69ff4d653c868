/// How many requests each account may make: a bucket that fills with time.
struct RequestRate: Sendable {
    private var buckets: [String: Bucket] = [:]
    let perSecond: Double
    let burst: Double

    private struct Bucket: Sendable {
        var content: Double
        var milliseconds: Int64
    }

    /// Accounts that are remembered before the full buckets are dropped.
    private static let countMax = 10_000

    init(perSecond: Double, burst: Double) {
        self.perSecond = perSecond
        self.burst = burst
    }

    /// Takes one request out of an account's bucket; gives the seconds to wait if it is empty.
    mutating func take(_ account: String, at milliseconds: Int64) -> Double? {
        var bucket = buckets[account] ?? Bucket(content: burst, milliseconds: milliseconds)
        // A clock that was put back fills nothing.
        let seconds = Double(max(0, milliseconds - bucket.milliseconds)) / 1000
        bucket.content = min(burst, bucket.content + seconds * perSecond)
        bucket.milliseconds = milliseconds
        defer { buckets[account] = bucket }
        guard bucket.content >= 1 else { return (1 - bucket.content) / perSecond }
        bucket.content -= 1
        if buckets.count > Self.countMax { buckets = [:] }
        return nil
    }
}
