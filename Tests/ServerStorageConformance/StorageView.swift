import RecordModel
import ServerCore

/// All that can be read of a storage in the small world of the suite.
struct StorageView: Equatable {
    var epoch: UInt64
    var accounts: [StoredAccount]
    var devices: [[StoredDevice]]
    var databases: [StoredDatabase]
    var zones: [[StoredZone]]
    var records: [RecordPage]
    var sources: [[String]]
    var history: [[HistoryEntry]]
    var answers: [StoredAnswer?]

    init(of storage: inout some ServerStorage) throws {
        try storage.begin(.reading)
        epoch = try storage.epoch()
        accounts = try storage.accounts(after: nil, countMax: .max)
        devices = try World.accounts.map { try storage.devices(of: $0) }
        databases = try World.databases.map { try storage.database($0) }
        zones = try World.databases.map {
            try storage.zones(in: $0, after: .start, countMax: .max)
        }
        records = try World.zones.map {
            try storage.records(
                in: $0,
                after: .start,
                hidingTombstonesThrough: 0,
                limit: PageLimit(countMax: .max)
            )
        }
        sources = try World.zonesAndNames.map {
            try storage.deleteSelfSources(of: $0.name, in: $0.zone, countMax: .max)
        }
        history = try World.zonesAndNames.map { try storage.history(of: $0.name, in: $0.zone) }
        answers = try World.accounts.flatMap { account in
            try World.keys.map { try storage.answer(to: $0, of: account) }
        }
        try storage.commit()
    }
}

/// The names that the suite uses.
enum World {
    static let accounts = ["ann", "bob"]
    static let databases = accounts.flatMap { account in
        [Database.Scope.private, .shared].map { DatabaseKey(account: account, scope: $0) }
    }
    static let zones = databases.flatMap { database in
        ["notes", "lists"].flatMap { name in
            [UInt64(1), 2].map { ZoneKey(database: database, zoneName: name, generation: $0) }
        }
    }
    static let names = ["a", "b", "c", "d"]
    static let zonesAndNames = zones.flatMap { zone in names.map { (zone: zone, name: $0) } }
    static let keys = (1...4).map {
        IdempotencyKey(writer: WriterID(high: 1, low: 2), number: UInt64($0))
    }

    static let database = databases[0]
    static let zone = zones[0]

    static func time(_ milliseconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: milliseconds)
    }

    static func stamp(_ milliseconds: Int64) -> Record.Stamp {
        Record.Stamp(timestamp: time(milliseconds), userRecordName: "ann", deviceID: "phone")
    }

    static func record(_ name: String, tag: String = "t") -> Record {
        var record = Record(
            recordType: "Note",
            recordID: Record.ID(recordName: name, zoneID: RecordZone.ID(zoneName: "notes"))
        )
        record["text"] = "text of \(name)"
        return record.stored(changeTag: tag, creation: stamp(1), modification: stamp(2))
    }

    static func row(
        _ name: String,
        at sequence: UInt64,
        ordinal: UInt32 = 0,
        targets: [String] = [],
        byteCount: Int = 10,
        time: Int64 = 1
    ) -> StoredRecord {
        StoredRecord(
            recordName: name,
            position: LogPosition(sequence: sequence, ordinal: ordinal),
            stamp: stamp(time),
            origin: keys[0],
            content: .live(
                record(name, tag: "\(sequence)"),
                byteCount: byteCount,
                deleteSelfTargets: targets
            )
        )
    }

    static func tombstone(_ name: String, at sequence: UInt64, time: Int64 = 1) -> StoredRecord {
        StoredRecord(
            recordName: name,
            position: LogPosition(sequence: sequence, ordinal: 0),
            stamp: stamp(time),
            origin: nil,
            content: .deleted(recordType: "Note")
        )
    }

    static func zoneRow(_ name: String, at sequence: UInt64) -> StoredZone {
        StoredZone(
            zoneName: name,
            generation: 1,
            position: LogPosition(sequence: sequence, ordinal: 0),
            stamp: stamp(1)
        )
    }

    static func entry(
        _ name: String,
        sequence: UInt64,
        time: Int64 = 1,
        action: HistoryEntry.Action = .deleted
    ) -> HistoryEntry {
        HistoryEntry(
            recordName: name,
            sequence: sequence,
            stamp: stamp(time),
            key: keys[1],
            action: action
        )
    }
}
