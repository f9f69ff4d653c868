import RecordModel
import ServerCore
import ServerStorageConformance
import Testing

/// What a server answers to a random run of batches and fetches.
func randomReplies(
    from server: inout Server<some ServerStorage>,
    seed: UInt64
) throws -> [String] {
    var run = RandomRun(seed: seed)
    let zones = ModifyZonesRequest(zonesToSave: [RecordZone(zoneID: run.zoneID)])
    try server.createAccount(run.caller.account, at: run.now)
    _ = try server.modifyZones(zones, from: run.caller, at: run.now)
    var replies: [String] = []
    for round in 1...60 as ClosedRange<UInt64> {
        run.now.millisecondsSince1970 += 1
        replies.append(try run.modify(&server, round: round))
        if round.isMultiple(of: 5) { replies.append(try run.fetch(&server)) }
        if round == 40 {
            run.now.millisecondsSince1970 += 40 * 24 * 60 * 60 * 1000
            try server.removeExpired(at: run.now)
            run.token = nil
        }
    }
    return replies + ["\(try server.usedByteCount(of: run.caller.account))"]
}

private struct RandomRun {
    let caller: ServerCaller
    let zoneID = RecordZone.ID(zoneName: "Notes")
    var now = Timestamp(millisecondsSince1970: 1_000_000)
    var token: ServerChangeToken?
    private let seed: UInt64
    private var generator: SeededGenerator
    private var known: [String: Record] = [:]

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        caller = ServerCaller(account: "user\(seed)", deviceID: "phone")
    }

    mutating func modify(
        _ server: inout Server<some ServerStorage>,
        round: UInt64
    ) throws -> String {
        let request = request(round)
        let reply = try? server.modifyRecords(request, from: caller, at: now)
        for case .success(let record) in reply?.saveResults ?? [] {
            known[record.recordID.recordName] = record
        }
        if round.isMultiple(of: 7) {
            let again = try? server.modifyRecords(request, from: caller, at: now)
            #expect(again == reply)
        }
        return String(describing: reply)
    }

    mutating func fetch(_ server: inout Server<some ServerStorage>) throws -> String {
        let request = ZoneChangesRequest(zoneID: zoneID, since: token, resultsLimit: 3)
        let page = try server.zoneChanges(request, from: caller, at: now)
        token = page.changeToken
        return "\(page.modifications) \(page.deletions) \(page.moreComing)"
    }

    private mutating func request(_ round: UInt64) -> ModifyRecordsRequest {
        let key = IdempotencyKey(writer: WriterID(high: seed, low: 0), number: round)
        var request = ModifyRecordsRequest(
            isAtomicByZone: Bool.random(using: &generator),
            idempotencyKey: key
        )
        var names: [String] = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let name = "n\(Int.random(in: 0..<20, using: &generator))"
            if !names.contains(name) { names.append(name) }
        }
        for name in names {
            let id = Record.ID(recordName: name, zoneID: zoneID)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                request.recordsToDelete.append(RecordDeletion(recordID: id))
            } else {
                request.recordsToSave.append(edited(id, round))
            }
        }
        return request
    }

    private mutating func edited(_ id: Record.ID, _ round: UInt64) -> Record {
        let isKnown = Int.random(in: 0..<5, using: &generator) > 0
        let old = isKnown ? known[id.recordName] : nil
        var record = old ?? Record(recordType: "Note", recordID: id)
        record["text"] = "text \(round)"
        record["place"] = Location(latitude: 1, longitude: Double(round))
        record["link"] = Record.Reference(
            recordID: Record.ID(recordName: "n0", zoneID: zoneID),
            action: .deleteSelf
        )
        return record
    }
}
