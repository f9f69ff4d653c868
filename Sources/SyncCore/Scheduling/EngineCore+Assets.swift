import RecordModel

// Records with assets wait for a network that costs nothing; the others go ahead.

extension EngineCore {
    /// The batch without what a send that nobody called must not carry over this network.
    mutating func puttingOffAssets(_ batch: RecordZoneChangeBatch) -> RecordZoneChangeBatch {
        guard session.send.current?.reason == .scheduled, isNetworkMetered else { return batch }
        var heavy = Set(batch.recordsToSave.filter(\.holdsAssets).map(\.recordID))
        guard !heavy.isEmpty else { return batch }
        // A child must not arrive before its parent.
        var isGrowing = true
        while isGrowing {
            let children = batch.recordsToSave.filter { record in
                record.parent.map { heavy.contains($0.recordID) } == true
                    && !heavy.contains(record.recordID)
            }
            heavy.formUnion(children.map(\.recordID))
            isGrowing = !children.isEmpty
        }
        session.send.current?.assetIDs.formUnion(heavy)
        return batch.divided { heavy.contains($0) }.second
    }

    var isNetworkMetered: Bool {
        switch session.scheduler.conditions.network {
        case .constrained, .expensive: true
        case .unknown, .unavailable, .available: false
        }
    }
}
