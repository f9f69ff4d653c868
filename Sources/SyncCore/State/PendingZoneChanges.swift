/// The pending changes of zones, in the order they were added.
///
/// A zone has at most one, but a save behind a deletion: the zone is emptied, then made anew.
package struct PendingZoneChanges: Sendable {
    /// A pending change and where it comes from.
    package struct Entry: Hashable, Sendable {
        package var change: PendingDatabaseChange
        /// The journal entry that added it: older record changes of a deleted zone go with it,
        /// younger ones belong to its next life.
        package var origin: EntryOrigin

        package init(change: PendingDatabaseChange, origin: EntryOrigin) {
            self.change = change
            self.origin = origin
        }
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    package init(entries: [Entry]) { self.entries = entries }

    package var changes: [PendingDatabaseChange] { entries.map(\.change) }

    /// Adds a change.
    ///
    /// The same change waits once, in its first place; a deletion takes the place of everything
    /// older of its zone; a save waits behind a deletion.
    package mutating func add(_ entry: Entry) {
        let zoneID = entry.change.zoneID
        let positions = entries.indices.filter { entries[$0].change.zoneID == zoneID }
        switch entry.change {
        case .saveZone:
            if let last = positions.last, case .saveZone = entries[last].change {
                entries[last].change = entry.change
                entries[last].origin = entry.origin
            } else {
                entries.append(entry)
            }
        case .deleteZone:
            guard let first = positions.first else { return entries.append(entry) }
            entries[first] = entry
            for position in positions.dropFirst().reversed() { entries.remove(at: position) }
        }
    }

    /// Removes an entry, unless the app has put a newer one in its place.
    package mutating func remove(_ entry: Entry) {
        entries.removeAll { $0 == entry }
    }
}
