import RecordModel

/// What the server has taken, as its answers tell it.
struct Ledger {
    struct Key: Hashable {
        var account: String
        var recordID: Record.ID
    }

    /// A record as it stands.
    private(set) var records: [Key: Record] = [:]
    /// Change tags that a record has had, in whatever history, with a digest of what they name.
    private var usedTags: [String: UInt64] = [:]
    /// Records and zones that were deleted at some time, in whatever history.
    private(set) var deleted: Set<Key> = []
    private var endedZones: [String: Set<RecordZone.ID>] = [:]
    /// The zones of records that are there, to forget them with their zone.
    private var keysByZone: [String: Set<Key>] = [:]
    /// Every batch, by its key, and whether it was taken.
    private var batches: [IdempotencyKey: Batch] = [:]
    /// Keys of which the server said that nothing was done under them, and never will be.
    private var closedKeys: Set<IdempotencyKey> = []

    private struct Batch {
        var request: ModifyRecordsRequest
        /// The first answer; nil if the server has forgotten it.
        var reply: ModifyRecordsReply?
    }

    /// Puts another history in place; what ever was deleted and used stays known.
    mutating func restore(_ old: Ledger) {
        records = old.records
        keysByZone = old.keysByZone
        // The restored server has forgotten what came later.
        batches = batches.mapValues { Batch(request: $0.request) }
        closedKeys = old.closedKeys
        for (key, batch) in old.batches.sorted(by: { $0.key.order < $1.key.order }) {
            batches[key] = batch
        }
    }

    mutating func end(_ zoneID: RecordZone.ID, of account: String) {
        endedZones[account, default: []].insert(zoneID)
        for key in keysByZone[zoneKey(account, zoneID)] ?? [] {
            records[key] = nil
            deleted.insert(key)
        }
        keysByZone[zoneKey(account, zoneID)] = nil
    }

    /// The server said that a send had no effect and never will have.
    mutating func close(_ key: IdempotencyKey) { closedKeys.insert(key) }

    func hasEnded(_ zoneID: RecordZone.ID, of account: String) -> Bool {
        endedZones[account]?.contains(zoneID) == true
    }

    /// True if the record was deleted at some time, or its zone.
    func hasGone(_ id: Record.ID, of account: String) -> Bool {
        hasEnded(id.zoneID, of: account) || deleted.contains(Key(account: account, recordID: id))
    }

    private func zoneKey(_ account: String, _ zoneID: RecordZone.ID) -> String {
        "\(account)/\(zoneID.zoneName)"
    }
}

extension IdempotencyKey {
    fileprivate var order: [UInt64] { [writer.high, writer.low, number] }
}

extension Array where Element == UInt64 {
    fileprivate static func < (left: [UInt64], right: [UInt64]) -> Bool {
        left.lexicographicallyPrecedes(right)
    }
}

// What a batch may do.

extension Ledger {
    /// Notes a batch that the server answered; gives what is wrong with it, with the rule's name.
    mutating func note(
        _ request: ModifyRecordsRequest,
        _ reply: ModifyRecordsReply,
        of account: String,
        movedHead: Bool
    ) -> (checker: String, what: String)? {
        guard let key = request.idempotencyKey else { return ("key", "a batch without a key") }
        if let known = batches[key] {
            if known.request != request { return ("key", "key \(key.number) names two requests") }
            if let first = known.reply {
                if movedHead { return ("exactly once", "key \(key.number) took effect twice") }
                return first == reply
                    ? nil : ("exactly once", "key \(key.number) is answered in two ways")
            }
        }
        if closedKeys.contains(key) {
            return ("exactly once", "key \(key.number) was taken after it was closed")
        }
        batches[key] = Batch(request: request, reply: reply)
        if request.isAtomicByZone, let fault = atomicFault(request, reply) { return fault }
        for (save, result) in zip(request.recordsToSave, reply.saveResults) {
            guard case .success(let stored) = result else { continue }
            if let fault = noteSave(save, stored, request, account) { return fault }
        }
        for (deletion, error) in zip(request.recordsToDelete, reply.deleteErrors) where error == nil
        {
            noteDeletion(deletion.recordID, account)
        }
        return nil
    }

    private mutating func noteDeletion(_ id: Record.ID, _ account: String) {
        let key = Key(account: account, recordID: id)
        records[key] = nil
        deleted.insert(key)
        keysByZone[zoneKey(account, id.zoneID)]?.remove(key)
    }

    private mutating func noteSave(
        _ save: Record,
        _ stored: Record,
        _ request: ModifyRecordsRequest,
        _ account: String
    ) -> (checker: String, what: String)? {
        let key = Key(account: account, recordID: save.recordID)
        let old = records[key]
        records[key] = stored
        keysByZone[zoneKey(account, save.recordID.zoneID), default: []].insert(key)
        if let fault = versionFault(save, stored, old) { return fault }
        if let fault = contentFault(save, stored, old) { return fault }
        if let parent = stored.parent?.recordID, save.isParentChanged,
            records[Key(account: account, recordID: parent)] == nil,
            !request.recordsToSave.contains(where: { $0.recordID == parent })
        {
            return ("parent before child", "\(save.recordID) stands without its parent")
        }
        return nil
    }

    /// A save is taken only if it was built on what is there, and no change tag comes twice (I9).
    private mutating func versionFault(
        _ save: Record,
        _ stored: Record,
        _ old: Record?
    ) -> (checker: String, what: String)? {
        if save.recordChangeTag != old?.recordChangeTag {
            return (
                "version discipline",
                "\(save.recordID) was saved over a version it was not built on"
            )
        }
        guard let tag = stored.recordChangeTag else {
            return ("version discipline", "\(save.recordID) was saved without a change tag")
        }
        let name = "\(save.recordID.zoneID.zoneName)/\(save.recordID.recordName)/\(tag)"
        if usedTags[name] != nil {
            return ("version discipline", "change tag \(tag) of \(save.recordID) was used before")
        }
        usedTags[name] = 1
        return nil
    }

    private func contentFault(
        _ save: Record,
        _ stored: Record,
        _ old: Record?
    ) -> (checker: String, what: String)? {
        let tags = stored.tags
        if Set(tags).count != tags.count {
            return ("no doubled edit", "\(save.recordID) holds an edit twice: \(tags)")
        }
        guard let old else { return nil }
        let lost = old.tags.filter { !tags.contains($0) }
        if !lost.isEmpty {
            return ("no lost save", "a save of \(save.recordID) drops \(lost), which was saved")
        }
        let sent = Set(save.changedKeys())
        for name in Row.registerNames where !sent.contains(name) {
            let (before, after): (String?, String?) = (old[name], stored[name])
            if before != after {
                return ("untouched keys", "a save of \(save.recordID) changed \(name) unasked")
            }
        }
        return nil
    }

    /// An atomic batch succeeds in a zone wholly or not at all (I10).
    private func atomicFault(
        _ request: ModifyRecordsRequest,
        _ reply: ModifyRecordsReply
    ) -> (checker: String, what: String)? {
        var fates: [RecordZone.ID: Bool] = [:]
        var items: [(RecordZone.ID, Bool)] = []
        for (save, result) in zip(request.recordsToSave, reply.saveResults) {
            if case .success = result {
                items.append((save.recordID.zoneID, true))
            } else {
                items.append((save.recordID.zoneID, false))
            }
        }
        for (deletion, error) in zip(request.recordsToDelete, reply.deleteErrors) {
            items.append((deletion.recordID.zoneID, error == nil))
        }
        for (zoneID, isTaken) in items {
            if let fate = fates[zoneID], fate != isTaken {
                return ("atomic batch", "an atomic batch was taken in part in \(zoneID)")
            }
            fates[zoneID] = isTaken
        }
        return nil
    }
}
