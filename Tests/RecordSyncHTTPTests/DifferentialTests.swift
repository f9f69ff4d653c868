import LoopbackSupport
import MemoryCloud
import RecordModel
import RecordServer
import RecordSync
import RecordSyncHTTP
import TestSupport
import Testing

/// A running server answers as the cloud in memory does.
@Suite(.timeLimit(.minutes(2))) struct DifferentialTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func answersAsTheCloudInMemoryDoes(seed: UInt64) async throws {
        let server = try LoopbackServer()
        let cloud = InMemoryCloud()
        var remote = RandomClient(seed: seed) { device in
            try RemoteServer(server.url, deviceName: device).database(.private)
        }
        var near = RandomClient(seed: seed) { device in
            cloud.database(.private, account: "me", device: device)
        }
        let expected = try await near.run()
        #expect(try await remote.run() == expected)
    }
}

/// Random requests of two devices, and what they are answered, without tags, tokens and times.
private struct RandomClient {
    private let connect: (String) throws -> any SyncDatabase
    private var generator: SplitMix
    private var known: [Record.ID: Record] = [:]
    private var tokens: [String: ServerChangeToken] = [:]
    private let zones = ["A", "B", "C"].map { RecordZone.ID(zoneName: $0) }
    private var number: UInt64 = 0

    init(seed: UInt64, connect: @escaping (String) throws -> any SyncDatabase) {
        generator = SplitMix(state: seed)
        self.connect = connect
    }

    mutating func run() async throws -> [String] {
        var lines: [String] = []
        for _ in 0..<120 {
            let database = try connect(["phone", "desk"][Int(generator.next() % 2)])
            switch generator.next() % 8 {
            case 0: lines.append(await modifyZones(database))
            case 1: lines.append(await lookUp(database))
            case 2: lines.append(await fetchZones(database))
            case 3, 4: lines.append(await fetch(database))
            default: lines.append(await modify(database))
            }
        }
        return lines
    }

    private mutating func zone() -> RecordZone.ID { zones[Int(generator.next() % 3)] }

    private mutating func key() -> IdempotencyKey {
        number += 1
        return IdempotencyKey(writer: WriterID(high: 1, low: 2), number: number)
    }

    private mutating func modifyZones(_ database: any SyncDatabase) async -> String {
        var request = ModifyZonesRequest(idempotencyKey: key())
        if generator.next() % 4 > 0 {
            request.zonesToSave = [RecordZone(zoneID: zone())]
        } else {
            request.zoneIDsToDelete = [zone()]
        }
        let final = request
        return await line { () async throws(SyncError) in
            let reply = try await database.modifyZones(final, account: "me")
            return "\(reply)"
        }
    }

    private mutating func modify(_ database: any SyncDatabase) async -> String {
        var request = ModifyRecordsRequest(
            savePolicy: [.ifServerRecordUnchanged, .changedKeys, .allKeys][
                Int(generator.next() % 3)
            ],
            isAtomicByZone: generator.next() % 2 == 0,
            idempotencyKey: key()
        )
        var used: Set<Record.ID> = []
        for _ in 0...(generator.next() % 5) {
            let id = Record.ID(recordName: "r\(generator.next() % 8)", zoneID: zone())
            guard used.insert(id).inserted else { continue }
            if generator.next() % 4 == 0 {
                let tag = generator.next() % 2 == 0 ? known[id]?.recordChangeTag : nil
                request.recordsToDelete.append(
                    RecordDeletion(recordID: id, expectedChangeTag: tag)
                )
            } else {
                request.recordsToSave.append(edited(id))
            }
        }
        let final = request
        var saved: [Record] = []
        let line = await line { () async throws(SyncError) in
            let reply = try await database.modifyRecords(final, account: "me")
            let again = try await database.modifyRecords(final, account: "me")
            let outcome = try await database.outcome(
                of: SendOutcomeRequest(
                    idempotencyKey: final.idempotencyKey
                        ?? .init(
                            writer: WriterID(high: 0, low: 0),
                            number: 0
                        )
                ),
                account: "me"
            )
            saved = reply.saveResults.compactMap { try? $0.get() }
            let results = reply.saveResults.map(describe)
            return "\(results) \(reply.deleteErrors) \(again == reply) \(outcome == .known(reply))"
        }
        for record in saved { known[record.recordID] = record }
        return line
    }

    private mutating func edited(_ id: Record.ID) -> Record {
        var record =
            generator.next() % 4 > 0
            ? known[id] ?? Record(recordType: "Note", recordID: id)
            : Record(recordType: "Note", recordID: id)
        record["text"] = "text \(number) \u{1F600} \"\\\n"
        if generator.next() % 3 == 0 { record["extra"] = Double(number) / 3 }
        if generator.next() % 5 == 0 { record["extra"] = nil as Double? }
        if generator.next() % 4 == 0 {
            record.encryptedValues["secret"] = RecordValue.bytes([1, 2])
        }
        if generator.next() % 4 == 0 {
            record.setParent(Record.ID(recordName: "r0", zoneID: id.zoneID))
        }
        if generator.next() % 6 == 0 { record.parent = nil }
        return record
    }

    private mutating func lookUp(_ database: any SyncDatabase) async -> String {
        let ids = (0..<3).map { Record.ID(recordName: "r\($0)", zoneID: zones[$0]) }
        let keys = generator.next() % 2 == 0 ? ["text"] : nil
        return await line { () async throws(SyncError) in
            let request = LookUpRecordsRequest(recordIDs: ids, desiredKeys: keys)
            let reply = try await database.lookUpRecords(request, account: "me")
            return "\(reply.results.map(describe))"
        }
    }

    private mutating func fetchZones(_ database: any SyncDatabase) async -> String {
        let request = DatabaseChangesRequest(since: tokens["zones"], resultsLimit: 2)
        var token: ServerChangeToken?
        let line = await line { () async throws(SyncError) in
            let page = try await database.databaseChanges(request, account: "me")
            token = page.changeToken
            return "\(page.modifications) \(page.deletions) \(page.moreComing)"
        }
        tokens["zones"] = token
        return line
    }

    private mutating func fetch(_ database: any SyncDatabase) async -> String {
        let zoneID = zone()
        let request = ZoneChangesRequest(
            zoneID: zoneID,
            since: tokens[zoneID.zoneName],
            resultsLimit: 3,
            includesDeletions: generator.next() % 2 == 0
        )
        var token: ServerChangeToken?
        let line = await line { () async throws(SyncError) in
            let page = try await database.zoneChanges(request, account: "me")
            token = page.changeToken
            let changes = page.modifications.map {
                "\(describe(.success($0.record))) \(String(describing: $0.origin))"
            }
            return "\(changes) \(page.deletions) \(page.moreComing)"
        }
        tokens[zoneID.zoneName] = token
        return line
    }

    private func line(_ body: () async throws(SyncError) -> String) async -> String {
        do throws(SyncError) {
            return try await body()
        } catch {
            return "\(error)"
        }
    }
}

/// What is the same on every server.
private func describe(_ result: Result<Record, SyncError>) -> String {
    switch result {
    case .success(let record):
        let author = record.modification.map { "\($0.userRecordName) \($0.deviceID ?? "")" } ?? ""
        let parent = record.parent.map { "\($0.recordID)" } ?? ""
        return "\(record) \(record.contentDigest.prefix(4)) \(author) \(parent) "
            + "\(record.changedKeys())"
    case .failure(let error):
        let server = error.serverRecord.map { describe(.success($0)) } ?? ""
        let ancestor = error.ancestorRecord.map { describe(.success($0)) } ?? ""
        return "\(error) [\(server)] [\(ancestor)]"
    }
}

private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
