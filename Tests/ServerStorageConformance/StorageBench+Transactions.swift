import RecordModel
import ServerCore
import Testing

extension StorageBench {
    mutating func startsEmpty() throws {
        let view = try view()
        #expect(view.epoch == 0)
        #expect(view.accounts.isEmpty)
        #expect(view.databases == World.databases.map { _ in StoredDatabase() })
        #expect(view.zones.allSatisfy { $0.isEmpty })
        #expect(view.records.allSatisfy { $0 == RecordPage(rows: [], isLast: true) })
        #expect(view.history.allSatisfy { $0.isEmpty })
        #expect(view.answers.allSatisfy { $0 == nil })
    }

    mutating func keepsWhatWasCommitted() throws {
        try write { try writeSomethingOfEverything(in: &$0, at: 1) }
        let view = try view()
        var database = StoredDatabase()
        database.head = 1
        database.floor = .end(of: 1)
        var account = StoredAccount(name: "ann")
        account.standing = .restricted
        account.usedByteCount = 1
        #expect(view.epoch == 1)
        #expect(view.accounts == [account])
        #expect(view.devices[0].map(\.deviceID) == ["phone"])
        #expect(view.databases[0] == database)
        #expect(view.zones[0] == [fullZone(at: 1)])
        #expect(
            view.records[0].rows == [
                World.row("a", at: 1, targets: ["b", "c"]), World.tombstone("b", at: 2),
            ]
        )
        #expect(view.history[0].map(\.action) == actions)
        #expect(Array(view.answers.prefix(3)) == storedAnswers.map { Optional($0) })
    }

    mutating func undoesWhatWasRolledBack() throws {
        try write { try writeSomethingOfEverything(in: &$0, at: 1) }
        let before = try view()
        try storage.begin(.writing)
        try writeSomethingOfEverything(in: &storage, at: 3)
        try removeEverything(in: &storage)
        try writeSomethingOfEverything(in: &storage, at: 5)
        storage.rollback()
        #expect(try view() == before)
        try write { try writeSomethingOfEverything(in: &$0, at: 3) }
        #expect(try view() != before)
    }

    mutating func seesItsOwnWritesBeforeTheCommit() throws {
        try storage.begin(.writing)
        try storage.put(World.row("a", at: 1), in: World.zone)
        #expect(try storage.record("a", in: World.zone) == World.row("a", at: 1))
        try storage.commit()
    }
}

private var actions: [HistoryEntry.Action] {
    [
        .saved(World.record("a", tag: "1")), .deleted, .deletedWith("b"),
        .refused(World.record("a"), .serverRecordChanged),
    ]
}

private var storedAnswers: [StoredAnswer] {
    let conflict = SyncError.serverRecordChanged(
        client: nil,
        server: World.record("a"),
        ancestor: World.record("a", tag: "old"),
        "changed"
    )
    let records = ModifyRecordsReply(
        saveResults: [.success(World.record("b")), .failure(conflict)],
        deleteErrors: [nil, SyncError(.unknownItem, "gone", retryAfterSeconds: 1.5)]
    )
    let zones = ModifyZonesReply(
        saveResults: [
            .success(RecordZone(zoneName: "notes")),
            .failure(.zoneNotFoundAfterEncryptedDataReset("reset")),
        ],
        deleteErrors: [nil, SyncError(.invalidArguments)]
    )
    let outcomes: [StoredAnswer.Outcome] = [
        .records(digest: [1, 2], records), .zones(digest: [3], zones), .closed,
    ]
    return outcomes.map { StoredAnswer(timestamp: World.time(1), outcome: $0) }
}

private func fullZone(at sequence: UInt64) -> StoredZone {
    var zone = World.zoneRow("notes", at: sequence)
    zone.floor = LogPosition(sequence: 1, ordinal: .max)
    zone.deletion = .encryptedDataReset
    zone.byteCount = 7
    return zone
}

private func writeSomethingOfEverything(
    in storage: inout some ServerStorage,
    at sequence: UInt64
) throws {
    try storage.setEpoch(sequence)
    var account = StoredAccount(name: "ann")
    account.standing = .restricted
    account.usedByteCount = Int(sequence)
    try storage.put(account)
    let time = World.time(Int64(sequence))
    try storage.put(
        StoredDevice(deviceID: "phone", firstSeen: time, lastSeen: time),
        of: "ann"
    )
    var database = StoredDatabase()
    database.head = sequence
    database.floor = .end(of: sequence)
    try storage.put(database, at: World.database)
    try storage.put(fullZone(at: sequence), in: World.database)
    try storage.put(World.row("a", at: sequence, targets: ["b", "c"]), in: World.zone)
    try storage.put(World.tombstone("b", at: sequence + 1), in: World.zone)
    for action in actions {
        let entry = World.entry("a", sequence: sequence, action: action)
        try storage.append(entry, in: World.zone)
    }
    for (key, answer) in zip(World.keys, storedAnswers) {
        try storage.put(answer, to: key, of: "ann")
    }
}

private func removeEverything(in storage: inout some ServerStorage) throws {
    let end = World.time(1000)
    _ = try storage.removeTombstones(in: World.zone, before: end, countMax: 10)
    try storage.put(World.row("d", at: 5), in: World.zone)
    try storage.removeRecords(in: World.zone)
    #expect(try storage.removeHistory(before: end, countMax: 3) == 3)
    try storage.removeHistory(in: World.zone)
    #expect(try storage.removeAnswers(before: end, countMax: 3) == 3)
    try storage.removeZone("notes", in: World.database)
}
