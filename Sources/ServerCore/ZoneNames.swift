import RecordModel

extension ServerCaller {
    /// The name of a zone of the caller's own; throws `zoneNotFound` for any other.
    ///
    /// The owner may be spelled `currentUserName` or by the account's name: it is the same zone,
    /// and answers spell it `currentUserName`. Nothing is shared yet, so another owner's zone, and
    /// every zone of the shared database, is one that does not exist.
    func zoneName(of zoneID: RecordZone.ID) throws(SyncError) -> String {
        try zoneID.validate()
        let isOwn =
            zoneID.ownerName == RecordZone.ID.currentUserName || zoneID.ownerName == account
        guard isOwn, scope == .private else {
            throw SyncError(.zoneNotFound, "there is no zone \(zoneID)")
        }
        return zoneID.zoneName
    }

    /// The zone as answers spell it.
    func spelled(_ zoneID: RecordZone.ID) -> RecordZone.ID {
        zoneID.ownerName == account ? RecordZone.ID(zoneName: zoneID.zoneName) : zoneID
    }

    /// The record's identity as answers spell it.
    func spelled(_ recordID: Record.ID) -> Record.ID {
        guard recordID.zoneID.ownerName == account else { return recordID }
        return Record.ID(recordName: recordID.recordName, zoneID: spelled(recordID.zoneID))
    }

    /// The record with its identity and all its links as answers spell them.
    func spelled(_ record: Record) -> Record {
        let isSpelled =
            record.recordID.zoneID.ownerName != account
            && record.parent?.recordID.zoneID.ownerName != account
            && record.fields.entries.allSatisfy { field in
                let references = field.value?.references ?? []
                return references.allSatisfy { $0.recordID.zoneID.ownerName != account }
            }
        return isSpelled ? record : respelled(record)
    }

    private func respelled(_ record: Record) -> Record {
        let parent = record.parent.map { spelled($0) }
        var copy = Record(
            systemFields: Record.SystemFields(
                recordType: record.recordType,
                recordID: spelled(record.recordID),
                recordChangeTag: record.recordChangeTag,
                creation: record.creation,
                modification: record.modification,
                parent: record.isParentChanged ? anyParent(but: parent, of: record) : parent
            )
        )
        copy.parent = parent
        for field in record.fields.entries {
            copy.setField(
                field.key,
                to: field.value.map { spelled($0) },
                isEncrypted: field.isEncrypted,
                isChanged: field.isChanged
            )
        }
        return copy
    }

    /// A parent to change from, so that the parent of a copy counts as changed.
    private func anyParent(but parent: Record.Reference?, of record: Record) -> Record.Reference? {
        parent == nil ? Record.Reference(recordID: record.recordID, action: .none) : nil
    }

    private func spelled(_ reference: Record.Reference) -> Record.Reference {
        Record.Reference(recordID: spelled(reference.recordID), action: reference.action)
    }

    private func spelled(_ value: RecordValue) -> RecordValue {
        switch value {
        case .reference(let reference): .reference(spelled(reference))
        case .references(let references): .references(references.map { spelled($0) })
        case .string, .int64, .double, .date, .bytes, .asset, .location, .strings, .int64s,
            .doubles, .dates, .bytesList, .assets, .locations:
            value
        }
    }
}
