import RecordModel
import RecordWire
import TestSupport
import Testing

/// Every message is written as version 1 has it, and read back as what was written.
struct MessageTests {
    private let notes = RecordZone.ID(zoneName: "Notes")
    private let token = ServerChangeToken(bytes: [1, 2, 3])
    private let key = IdempotencyKey(writer: WriterID(high: 1, low: .max), number: 7)
    private let stamp = Record.Stamp(
        timestamp: Timestamp(millisecondsSince1970: 1),
        userRecordName: "ann",
        deviceID: "phone"
    )

    private func id(_ name: String) -> Record.ID { Record.ID(recordName: name, zoneID: notes) }

    private var theirs: Record {
        get throws {
            try record(
                #"{"recordName":"old","recordType":"Note","zoneID":{"zoneName":"Notes"},"#
                    + #""recordChangeTag":"82","fields":{"text":{"value":"theirs"}}}"#
            )
        }
    }

    private var modifyRequest: ModifyRecordsRequest {
        var new = Record(recordType: "Note", recordID: id("new"))
        new["text"] = "hello"
        new.setParent(id("list"))
        var old = Record(
            systemFields: .init(
                recordType: "Note",
                recordID: id("old"),
                recordChangeTag: "7f",
                parent: .init(recordID: id("list"), action: .none)
            )
        )
        for key in ["gone", "kept", "text"] {
            old.setField(key, to: .string("a"), isEncrypted: false, isChanged: false)
        }
        old["text"] = "b"
        old["gone"] = nil as String?
        old.parent = nil
        return ModifyRecordsRequest(
            recordsToSave: [new, old],
            recordsToDelete: [
                RecordDeletion(recordID: id("x")),
                RecordDeletion(recordID: id("y"), expectedChangeTag: "80"),
            ],
            idempotencyKey: key
        )
    }

    private var modifyReply: ModifyRecordsReply {
        get throws {
            var later = stamp
            later.timestamp.millisecondsSince1970 = 2
            let stored = modifyRequest.recordsToSave[0]
                .stored(changeTag: "81", creation: stamp, modification: later)
            let conflict = SyncError.serverRecordChanged(
                client: nil,
                server: try theirs,
                ancestor: nil,
                "changed"
            )
            return ModifyRecordsReply(
                saveResults: [.success(stored), .failure(conflict)],
                deleteErrors: [
                    nil, SyncError(.requestRateLimited, "slow down", retryAfterSeconds: 1.5),
                ]
            )
        }
    }

    @Test func aBatchSendsWhatChanged() throws {
        #expect(text(WireCodec.body(of: modifyRequest)) == Golden.modifyRequest)
        let call = try WireCodec.modifyRecords(in: Array(Golden.modifyRequest.utf8))
        #expect(call.places == [.save(0), .save(1), .deletion(0), .deletion(1)])
        #expect(call.request.recordsToDelete == modifyRequest.recordsToDelete)
        #expect(call.request.idempotencyKey == key)
        #expect(call.request.recordsToSave[0] == modifyRequest.recordsToSave[0])
        let old = call.request.recordsToSave[1]
        #expect(old.changedKeys() == ["gone", "text"])
        #expect(old.isParentChanged && old.parent == nil)
    }

    @Test func aReplyGivesBackWhatWasStored() throws {
        let call = try WireCodec.modifyRecords(in: Array(Golden.modifyRequest.utf8))
        let body = WireCodec.body(of: try modifyReply, to: call, withExtensions: true)
        #expect(text(body) == Golden.modifyReply)
        let reply = try WireCodec.modifyRecordsReply(in: body, to: modifyRequest)
        #expect(try reply == modifyReply)
    }

    @Test func aReplyWithoutExtensionsHasNoKeyOfOurs() throws {
        let call = try WireCodec.modifyRecords(in: Array(Golden.modifyRequest.utf8))
        let body = text(WireCodec.body(of: try modifyReply, to: call, withExtensions: false))
        for key in ["fieldsAsSent", "\"code\"", "serverRecord\"", "ancestorRecord"] {
            #expect(!body.contains(key))
        }
    }

    @Test func aReplyOfAnotherLengthIsRefused() throws {
        let body = Array(#"{"records":[]}"#.utf8)
        #expect(throws: WireError.self) {
            _ = try WireCodec.modifyRecordsReply(in: body, to: modifyRequest)
        }
    }

    @Test func pagesOfZonesAreReadBack() throws {
        let request = DatabaseChangesRequest(since: token, resultsLimit: 10)
        #expect(text(WireCodec.body(of: request)) == Golden.databaseRequest)
        #expect(try WireCodec.databaseChanges(in: Array(Golden.databaseRequest.utf8)) == request)
        let reply = DatabaseChangesReply(
            modifications: [.init(zoneID: notes)],
            deletions: [
                .init(zoneID: RecordZone.ID(zoneName: "A"), reason: .deleted),
                .init(zoneID: RecordZone.ID(zoneName: "B"), reason: .purged),
                .init(zoneID: RecordZone.ID(zoneName: "C"), reason: .encryptedDataReset),
            ],
            changeToken: token,
            moreComing: true,
            historyID: "h"
        )
        #expect(text(WireCodec.body(of: reply, withExtensions: true)) == Golden.databaseReply)
        #expect(try WireCodec.databaseChangesReply(in: Array(Golden.databaseReply.utf8)) == reply)
    }

    @Test func pagesOfRecordsAreReadBack() throws {
        let request = ZoneChangesRequest(
            zoneID: notes,
            since: token,
            desiredKeys: ["text"],
            resultsLimit: 5,
            includesDeletions: true
        )
        #expect(text(WireCodec.body(of: request)) == Golden.zoneRequest)
        #expect(try WireCodec.zoneChanges(in: Array(Golden.zoneRequest.utf8)) == [request])
        let page = ZoneChangesReply(
            modifications: [.init(record: try theirs, origin: key)],
            deletions: [.init(recordID: id("x"), recordType: "Note")],
            changeToken: token,
            moreComing: false,
            historyID: "h"
        )
        let expired = SyncError(.changeTokenExpired, "old")
        let items = [
            ZoneChangesItem(zoneID: notes, result: .success(page)),
            ZoneChangesItem(zoneID: RecordZone.ID(zoneName: "Gone"), result: .failure(expired)),
        ]
        #expect(text(WireCodec.body(of: items, withExtensions: true)) == Golden.zoneReply)
        let pages = try WireCodec.zoneChangesReply(in: Array(Golden.zoneReply.utf8))
        #expect(pages == [.success(page), .failure(expired)])
    }

    @Test func whatTheCallerKnowsIsReadBack() throws {
        let zones = DatabaseChangesRequest(since: nil, knownZoneIDs: [notes])
        #expect(text(WireCodec.body(of: zones)) == Golden.knownZonesRequest)
        #expect(try WireCodec.databaseChanges(in: Array(Golden.knownZonesRequest.utf8)) == zones)
        let save = ZoneChangesRequest(zoneID: notes, since: nil, ownChangeTag: "7f")
        #expect(text(WireCodec.body(of: save)) == Golden.ownSaveRequest)
        #expect(try WireCodec.zoneChanges(in: Array(Golden.ownSaveRequest.utf8)) == [save])
    }

    @Test func keysBesideTheZonesHoldForAllThatDoNotNameThem() throws {
        let body =
            #"{"zones":[{"zoneID":{"zoneName":"A"}},{"zoneID":{"zoneName":"B"},"#
            + #""resultsLimit":1}],"resultsLimit":3,"desiredKeys":["x"]}"#
        let requests = try WireCodec.zoneChanges(in: Array(body.utf8))
        #expect(requests.map(\.resultsLimit) == [3, 1])
        #expect(requests.map(\.desiredKeys) == [["x"], ["x"]])
    }

    @Test func changesOfZonesAreReadBack() throws {
        let request = ModifyZonesRequest(
            zonesToSave: [RecordZone(zoneName: "A")],
            zoneIDsToDelete: [RecordZone.ID(zoneName: "B")],
            idempotencyKey: key
        )
        #expect(text(WireCodec.body(of: request)) == Golden.zonesRequest)
        let call = try WireCodec.modifyZones(in: Array(Golden.zonesRequest.utf8))
        #expect(call.request == request)
        let reply = ModifyZonesReply(
            saveResults: [.success(RecordZone(zoneName: "A"))],
            deleteErrors: [.zoneNotFoundAfterEncryptedDataReset("reset")]
        )
        let body = WireCodec.body(of: reply, to: call, withExtensions: true)
        #expect(text(body) == Golden.zonesReply)
        #expect(try WireCodec.modifyZonesReply(in: body, to: request) == reply)
    }

    @Test func lookUpsAreReadBack() throws {
        let request = LookUpRecordsRequest(recordIDs: [id("old")], desiredKeys: ["text"])
        #expect(text(WireCodec.body(of: request)) == Golden.lookupRequest)
        #expect(try WireCodec.lookUpRecords(in: Array(Golden.lookupRequest.utf8)) == request)
        let reply = LookUpRecordsReply(results: [.success(try theirs)])
        let body = WireCodec.body(of: reply, to: request, withExtensions: false)
        #expect(try WireCodec.lookUpRecordsReply(in: body, to: request) == reply)
    }

    @Test func outcomesAreReadBack() throws {
        let request = SendOutcomeRequest(idempotencyKey: key)
        #expect(text(WireCodec.body(of: request)) == Golden.outcomeRequest)
        #expect(try WireCodec.outcome(in: Array(Golden.outcomeRequest.utf8)) == request)
        let reply = ModifyRecordsReply(
            saveResults: [.success(try theirs), .failure(SyncError(.unknownItem, "gone"))],
            deleteErrors: [nil, SyncError(.permissionFailure, "no")]
        )
        #expect(text(WireCodec.body(of: SendOutcome.known(reply))) == Golden.outcomeReply)
        for outcome in [SendOutcome.known(reply), .closed, .unsupported] {
            #expect(try WireCodec.outcomeReply(in: WireCodec.body(of: outcome)) == outcome)
        }
    }

    @Test func whatTheServerSaysOfItselfIsReadBack() throws {
        let capabilities = ServerCapabilities(limits: .standard)
        #expect(text(WireCodec.body(of: capabilities)) == Golden.capabilities)
        #expect(try WireCodec.capabilities(in: Array(Golden.capabilities.utf8)) == capabilities)
        let poll = PollReply(isChanged: true, position: "12")
        #expect(text(WireCodec.body(of: poll)) == Golden.poll)
        #expect(try WireCodec.pollReply(in: Array(Golden.poll.utf8)) == poll)
    }

    @Test func everyStandingOfAnAccountIsReadBack() throws {
        let ann = AccountStatus.available(userRecordName: "ann")
        #expect(text(WireCodec.body(of: ann, withExtensions: true)) == Golden.caller)
        for status in [ann, .noAccount, .restricted, .temporarilyUnavailable] {
            let body = WireCodec.body(of: status, withExtensions: true)
            #expect(try WireCodec.accountStatus(in: body) == status)
        }
        let listed = Array(#"{"users":[{"userRecordName":"ann"}]}"#.utf8)
        #expect(try WireCodec.accountStatus(in: listed) == ann)
    }

    @Test(arguments: SyncError.Code.allCases)
    func everyErrorIsReadBack(code: SyncError.Code) {
        let error =
            code == .serverRecordChanged
            ? SyncError.serverRecordChanged(client: nil, server: nil, ancestor: nil, "why")
            : SyncError(code, "why", retryAfterSeconds: 2)
        #expect(WireCodec.error(in: WireCodec.body(of: error, withExtensions: true)) == error)
    }

    @Test func anUnknownErrorKeepsItsName() {
        let body = Array(#"{"serverErrorCode":"TOO_COLD","reason":"wait","extra":{"a":[1]}}"#.utf8)
        let error = WireCodec.error(in: body)
        #expect(error == SyncError(.serverRejectedRequest, "\"TOO_COLD\": wait"))
    }

    @Test func anAbsurdWaitIsCutShort() {
        let body = Array(#"{"serverErrorCode":"THROTTLED","retryAfter":1e300}"#.utf8)
        #expect(WireCodec.error(in: body)?.retryAfterSeconds == 86_400)
    }

    private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }
}
