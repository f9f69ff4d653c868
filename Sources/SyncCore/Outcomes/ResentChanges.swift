import RecordModel

extension ModifyRecordsReply {
    /// The reply to a batch of which some changes were sent before, to a server that keeps no keys.
    ///
    /// The first send may have worked: a conflict with exactly what was sent is a success, and so
    /// is a deletion of what is gone.
    func accepting(
        resent: Set<Record.ID>,
        of batch: RecordZoneChangeBatch
    ) -> ModifyRecordsReply {
        guard !resent.isEmpty else { return self }
        var reply = self
        for (position, record) in batch.recordsToSave.enumerated()
        where resent.contains(record.recordID) {
            if case .failure(let error) = saveResults[position],
                let stored = error.serverRecord, stored.holdsTheSame(as: record)
            {
                reply.saveResults[position] = .success(stored)
            }
        }
        for (position, id) in batch.recordIDsToDelete.enumerated() where resent.contains(id) {
            if deleteErrors[position]?.code == .unknownItem { reply.deleteErrors[position] = nil }
        }
        return reply
    }
}

extension Record {
    /// True if type, parent and every field are alike, whatever the versions.
    fileprivate func holdsTheSame(as other: Record) -> Bool {
        func plain(_ record: Record) -> [RecordValue?] { record.allKeys().map { record[$0] } }
        func secret(_ record: Record) -> [RecordValue?] {
            record.encryptedValues.allKeys().map { record.encryptedValues[$0] }
        }
        return recordType == other.recordType && parent == other.parent
            && allKeys() == other.allKeys()
            && encryptedValues.allKeys() == other.encryptedValues.allKeys()
            && plain(self) == plain(other) && secret(self) == secret(other)
    }
}
