import RecordModel

// What the server has not confirmed: counted by the queue itself, and over the batch in flight.

extension EngineCore {
    /// What is left, by zone, in the order of the queue's zones.
    ///
    /// The cost grows with the number of zones and with what is in flight, not with what waits.
    package var remainingChanges: [RemainingChanges.Zone] {
        var table = OrderedTable<RecordZone.ID, RemainingChanges>()
        for zone in state.records.slots.zones where zone.tree.liveCount > 0 {
            table[zone.zoneID] = zone.tree.remaining
        }
        countZoneChanges(in: &table)
        countOpenSends(in: &table)
        return table.pairs.map { .init(zoneID: $0.key, remaining: $0.value) }
    }

    private func countZoneChanges(in table: inout OrderedTable<RecordZone.ID, RemainingChanges>) {
        let sent = state.openZoneSends.first { $0.key == session.send.zoneKey }?.entries ?? []
        let open = state.openZoneSends.flatMap(\.entries)
        for entry in state.databaseChanges.entries {
            let zoneID = entry.change.zoneID
            if sent.contains(entry) {
                table[zoneID, default: .init()].inFlight.count(entry.change)
            } else if open.contains(entry) {
                table[zoneID, default: .init()].outcomeUnknown.count(entry.change)
            } else {
                table[zoneID, default: .init()].pending.count(entry.change)
            }
        }
    }

    private func countOpenSends(in table: inout OrderedTable<RecordZone.ID, RemainingChanges>) {
        let unsettled = Set(unsettledSends.map(\.key))
        for open in state.openSends {
            let isUnknown = unsettled.contains(open.key) || isOutcomeAsked(open.key)
            for change in open.changes.map(\.change) {
                let zoneID = change.recordID.zoneID
                if isUnknown {
                    table[zoneID, default: .init()].outcomeUnknown.count(change)
                } else {
                    table[zoneID, default: .init()].inFlight.count(change)
                }
            }
        }
    }

    private func isOutcomeAsked(_ key: IdempotencyKey) -> Bool {
        if case .askingOutcome(_, let flight, _) = session.send.phase {
            flight.key == key
        } else {
            false
        }
    }
}

extension SlotTree {
    /// What waits in the zone.
    fileprivate var remaining: RemainingChanges {
        RemainingChanges(
            pending: ChangeCounts(
                recordSaves: count { $0.isSave && !$0.isHeldBack },
                recordDeletions: count { !$0.isSave && !$0.isHeldBack }
            ),
            parked: ChangeCounts(
                recordSaves: count { $0 == .parkedSave },
                recordDeletions: count { $0 == .parkedDelete }
            ),
            quarantined: ChangeCounts(
                recordSaves: count { $0 == .quarantinedSave },
                recordDeletions: count { $0 == .quarantinedDelete }
            )
        )
    }
}
