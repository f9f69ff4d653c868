public import RecordModel

/// Changes of a zone, or of all, that the server has not confirmed; each stands in one place.
public struct RemainingChanges: Hashable, Sendable {
    /// They wait to be sent.
    public var pending: ChangeCounts
    /// They wait for the app's word, because the account's storage was full.
    public var parked: ChangeCounts
    /// They wait for the app's word, because they failed too often.
    public var quarantined: ChangeCounts
    /// They are in a request under way, or in a batch on its way there or back.
    public var inFlight: ChangeCounts
    /// They were sent and no answer came: the server may have them or not.
    ///
    /// The engine asks before it sends anything else.
    public var outcomeUnknown: ChangeCounts

    /// Makes counts; zero, where nothing else is said.
    public init(
        pending: ChangeCounts = ChangeCounts(),
        parked: ChangeCounts = ChangeCounts(),
        quarantined: ChangeCounts = ChangeCounts(),
        inFlight: ChangeCounts = ChangeCounts(),
        outcomeUnknown: ChangeCounts = ChangeCounts()
    ) {
        self.pending = pending
        self.parked = parked
        self.quarantined = quarantined
        self.inFlight = inFlight
        self.outcomeUnknown = outcomeUnknown
    }

    /// What waits for the app's word, whatever the reason.
    public var heldBack: ChangeCounts {
        var both = parked
        both += quarantined
        return both
    }

    /// All of them.
    public var total: Int {
        pending.total + heldBack.total + inFlight.total + outcomeUnknown.total
    }

    /// True if nothing is left.
    public var isEmpty: Bool { total == 0 }

    /// Adds counts to counts.
    public static func += (left: inout RemainingChanges, right: RemainingChanges) {
        left.pending += right.pending
        left.parked += right.parked
        left.quarantined += right.quarantined
        left.inFlight += right.inFlight
        left.outcomeUnknown += right.outcomeUnknown
    }

    /// What is left of one zone.
    public struct Zone: Hashable, Sendable {
        /// Which zone.
        public var zoneID: RecordZone.ID
        /// What is left: its records' changes and its own.
        public var remaining: RemainingChanges

        /// Makes a zone's part.
        public init(zoneID: RecordZone.ID, remaining: RemainingChanges) {
            self.zoneID = zoneID
            self.remaining = remaining
        }
    }
}
