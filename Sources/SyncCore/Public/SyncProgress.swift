public import RecordModel

/// How far an engine has come: what is left, and what the newest operations have done.
public struct SyncProgress: Hashable, Sendable {
    /// The zones of which something is left, was done, or is known to be fetched yet.
    public var zones: [Zone]
    /// True while a send is under way.
    public var isSending: Bool
    /// True while a fetch is under way.
    public var isFetching: Bool
    /// False while the app has changes that it does not list: nobody knows how many.
    public var isSendTotalKnown: Bool
    /// True once the newest fetch has come to the end of every zone it is about.
    ///
    /// Before that, a server does not say how much is coming.
    public var isFetchTotalKnown: Bool

    /// Makes a value, for the test of a view.
    public init(
        zones: [Zone] = [],
        isSending: Bool = false,
        isFetching: Bool = false,
        isSendTotalKnown: Bool = true,
        isFetchTotalKnown: Bool = false
    ) {
        self.zones = zones
        self.isSending = isSending
        self.isFetching = isFetching
        self.isSendTotalKnown = isSendTotalKnown
        self.isFetchTotalKnown = isFetchTotalKnown
    }

    /// All zones together.
    public var total: Counts { zones.reduce(into: Counts()) { $0 += $1.counts } }

    /// The part of one zone.
    public struct Zone: Hashable, Sendable {
        /// Which zone.
        public var zoneID: RecordZone.ID
        /// What is left of it and what was done.
        public var counts: Counts
        /// True if everything was fetched that the engine knows to be there.
        public var isFetchTotalKnown: Bool

        /// Makes a zone's part.
        public init(zoneID: RecordZone.ID, counts: Counts, isFetchTotalKnown: Bool) {
            self.zoneID = zoneID
            self.counts = counts
            self.isFetchTotalKnown = isFetchTotalKnown
        }
    }

    /// What is left and what was done; changes of records and of zones together.
    public struct Counts: Hashable, Sendable {
        /// Changes that the server has not confirmed.
        public var remaining: RemainingChanges
        /// Changes that left in a request of the newest send, each once.
        public var sentCount: Int
        /// Of those, the ones that the server did, once the delegate has heard of it.
        public var confirmedCount: Int
        /// Changed and deleted records that the newest fetch brought, once the delegate has them.
        public var fetchedCount: Int

        /// Makes counts; zero, where nothing else is said.
        public init(
            remaining: RemainingChanges = RemainingChanges(),
            sentCount: Int = 0,
            confirmedCount: Int = 0,
            fetchedCount: Int = 0
        ) {
            self.remaining = remaining
            self.sentCount = sentCount
            self.confirmedCount = confirmedCount
            self.fetchedCount = fetchedCount
        }

        /// Adds counts to counts.
        public static func += (left: inout Counts, right: Counts) {
            left.remaining += right.remaining
            left.sentCount += right.sentCount
            left.confirmedCount += right.confirmedCount
            left.fetchedCount += right.fetchedCount
        }
    }
}
