import RecordModel

// What a page of a server must be, whoever wrote the server. A page that is not is refused as a
// whole, with its token: to take a part of it would skip the rest.

extension ZoneChangesReply {
    /// What is wrong with the page of a zone; nil for a good one.
    func fault(of zoneID: RecordZone.ID) -> SyncError? {
        if let fault = changeToken.fault ?? historyFault(historyID) { return fault }
        var seen = Set<String>(minimumCapacity: modifications.count + deletions.count)
        for change in modifications {
            if let fault = change.record.recordID.fault(in: zoneID, &seen) { return fault }
            guard change.record.hasChangeTagOfSaneLength else {
                return refused("zone \(zoneID) holds a record with an absurd change tag")
            }
        }
        for deletion in deletions {
            if let fault = deletion.recordID.fault(in: zoneID, &seen) { return fault }
        }
        return nil
    }
}

extension Record.ID {
    /// What is wrong with it on a page of a zone, behind the records seen there; nil if nothing is.
    fileprivate func fault(in zoneID: RecordZone.ID, _ seen: inout Set<String>) -> SyncError? {
        guard self.zoneID == zoneID else {
            return refused("zone \(zoneID) holds a record of another zone")
        }
        guard hasValidRecordName else {
            return refused("zone \(zoneID) holds a record with a name that is none")
        }
        guard seen.insert(recordName).inserted else {
            return refused("zone \(zoneID) holds \(self) twice")
        }
        return nil
    }
}

extension DatabaseChangesReply {
    /// What is wrong with the page; nil for a good one.
    var fault: SyncError? {
        if let fault = changeToken.fault ?? historyFault(historyID) { return fault }
        var seen: Set<RecordZone.ID> = []
        for zoneID in modifications.map(\.zoneID) + deletions.map(\.zoneID) {
            guard zoneID.hasGoodNames else {
                return refused("the database holds a zone with a name that is none")
            }
            guard seen.insert(zoneID).inserted else {
                return refused("the database holds zone \(zoneID) twice")
            }
        }
        return nil
    }
}

extension Record {
    /// True unless the change tag is so long that storing it would be a mistake.
    var hasChangeTagOfSaneLength: Bool {
        (recordChangeTag?.utf8.count ?? 0) <= EngineConfiguration.changeTagByteCountMax
    }
}

extension ServerChangeToken {
    fileprivate var fault: SyncError? {
        guard bytes.count > EngineConfiguration.changeTokenByteCountMax else { return nil }
        return refused("it came with a token of \(bytes.count) bytes")
    }
}

extension RecordZone.ID {
    fileprivate var hasGoodNames: Bool {
        do {
            try validate()
            return true
        } catch {
            return false
        }
    }
}

private func historyFault(_ historyID: String?) -> SyncError? {
    guard let historyID,
        historyID.utf8.count > EngineConfiguration.changeTagByteCountMax
    else { return nil }
    return refused("it came with a history of an absurd name")
}

private func refused(_ reason: String) -> SyncError {
    SyncError(.internalError, "a page of the server's changes was refused: \(reason)")
}
