import RecordModel

/// Until when the server asked to leave single zones alone; a relaunch forgets it.
struct ZoneDelays: Sendable {
    private var ends = OrderedTable<RecordZone.ID, EngineInstant>()

    /// Zones that must be left alone now.
    func busyZones(at now: EngineInstant) -> [RecordZone.ID] {
        guard !ends.isEmpty else { return [] }
        return ends.pairs.filter { $0.value > now }.map(\.key)
    }

    /// When the first of them may be asked again.
    func firstEnd(after now: EngineInstant) -> EngineInstant? {
        ends.values.filter { $0 > now }.min()
    }

    /// How long a zone must be left alone.
    func rest(of zoneID: RecordZone.ID, at now: EngineInstant) -> Duration? {
        guard let end = ends[zoneID], end > now else { return nil }
        return end.monotonic - now.monotonic
    }

    /// A zone must be left alone until then; what is over is forgotten.
    mutating func extend(_ zoneID: RecordZone.ID, until end: EngineInstant, at now: EngineInstant) {
        for (zoneID, end) in ends.pairs where end <= now { ends[zoneID] = nil }
        ends[zoneID] = max(ends[zoneID] ?? end, end)
    }
}
