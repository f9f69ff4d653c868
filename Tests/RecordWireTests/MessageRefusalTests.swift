import RecordModel
import RecordWire
import TestSupport
import Testing

/// What no body of a request may be.
struct MessageRefusalTests {
    @Test(arguments: [
        "", "{", "[]", "null", "{}x", #"{"operations":{}}"#, #"{"operations":[1]}"#,
        #"{"operations":[{}]}"#, #"{"operations":[{"operationType":"create"}]}"#,
        #"{"operations":[{"operationType":"create","record":{}}]}"#,
        #"{"operations":[{"operationType":"create","record":{"recordName":"a"}}]}"#,
        #"{"operations":[{"operationType":"eat","record":{"recordName":"a"}}]}"#,
        #"{"operations":[{"operationType":"update","record":{"recordName":"a"}}]}"#,
        #"{"operations":[{"operationType":"delete","record":{}}]}"#,
        #"{"atomic":1}"#, #"{"atomic":true,"atomic":false}"#,
        #"{"idempotencyKey":{"writer":"00","number":"1"}}"#,
        #"{"idempotencyKey":{"writer":"0000000000000001ffffffffffffffff","number":1}}"#,
        #"{"idempotencyKey":{"writer":"+000000000000001ffffffffffffffff","number":"1"}}"#,
        #"{"zoneID":"Notes"}"#, "{\"x\":\"\\ud800\"}", "{\"x\":1e}", "{\"x\":01}",
    ])
    func aBatchThatIsNone(body: String) {
        #expect(throws: WireError.self) {
            _ = try WireCodec.modifyRecords(in: Array(body.utf8))
        }
    }

    @Test(
        .holds("H111"),
        arguments: [
            #"{"atomic":true,"atomic":true}"#,
            #"{"operations":[],"x":{"a":1,"\u0061":2}}"#,
            #"{"operations":[{"operationType":"forceDelete","operationType":"create"}]}"#,
            #"{"operations":[{"record":{"recordName":"a","recordName":"b"}}]}"#,
            #"{"zoneID":{"zoneName":"A","zoneName":"B"}}"#,
        ]
    )
    func aKeyThatStandsTwice(body: String) {
        #expect(throws: WireError.self) {
            _ = try WireCodec.modifyRecords(in: Array(body.utf8))
        }
    }

    @Test func savesThatForceBesideSavesThatDoNot() {
        let record = #"{"recordName":"a","recordType":"T"}"#
        let body =
            #"{"operations":[{"operationType":"create","record":\#(record)},"#
            + #"{"operationType":"forceUpdate","record":\#(record)}]}"#
        #expect(throws: WireError.self) {
            _ = try WireCodec.modifyRecords(in: Array(body.utf8))
        }
    }

    @Test(arguments: ["0", "-1", "2147483648", "9223372036854775808", "1e400", "1.5", "\"1\""])
    func aCountOutOfRange(count: String) {
        let body = Array(#"{"resultsLimit":\#(count)}"#.utf8)
        #expect(throws: WireError.self) { _ = try WireCodec.databaseChanges(in: body) }
        #expect(throws: WireError.self) { _ = try WireCodec.zoneChanges(in: body) }
    }

    @Test(arguments: ["1", "2147483647"])
    func takesACountAtTheEndOfItsRange(count: String) throws {
        let body = Array(#"{"resultsLimit":\#(count)}"#.utf8)
        #expect(try WireCodec.databaseChanges(in: body).resultsLimit == Int(count))
    }

    @Test(arguments: [31, 32, 10_000])
    func nestingBeyondTheLimit(depth: Int) {
        let opening = String(repeating: "[", count: depth)
        let closing = String(repeating: "]", count: depth)
        let body = Array(#"{"x":\#(opening)\#(closing)}"#.utf8)
        let isTaken = (try? WireCodec.databaseChanges(in: body)) != nil
        #expect(isTaken == (depth == 31))
    }

    @Test func moreZonesThanARequestMayName() {
        for (count, isTaken) in [(200, true), (201, false)] {
            let zones = Array(repeating: #"{"zoneID":{}}"#, count: count).joined(separator: ",")
            let body = Array(#"{"zones":[\#(zones)]}"#.utf8)
            #expect(((try? WireCodec.zoneChanges(in: body)) != nil) == isTaken)
        }
    }

    @Test func aTokenThatIsNoneIsOneThatCannotBeUsed() throws {
        let body = Array(#"{"syncToken":"not base64!"}"#.utf8)
        #expect(try WireCodec.databaseChanges(in: body).since?.bytes == Array("not base64!".utf8))
        let long = String(repeating: "A", count: 10_001)
        let tooLong = Array(#"{"syncToken":"\#(long)"}"#.utf8)
        #expect(throws: WireError.self) { _ = try WireCodec.databaseChanges(in: tooLong) }
    }

    @Test func keysThatAreNotKnownArePassedOver() throws {
        let body = Array(#"{"getCurrentSyncToken":true,"resultsLimit":2,"x":[{"y":null}]}"#.utf8)
        #expect(try WireCodec.databaseChanges(in: body).resultsLimit == 2)
    }

    @Test func theZoneOfAllOperationsMayStandBehindThem() throws {
        let operations =
            #""operations":[{"record":{"recordName":"a"},"operationType":"forceDelete"}]"#
        for body in [
            #"{\#(operations),"zoneID":{"zoneName":"Z"}}"#,
            #"{"zoneID":{"zoneName":"Z"},\#(operations)}"#,
        ] {
            let call = try WireCodec.modifyRecords(in: Array(body.utf8))
            #expect(call.request.recordsToDelete[0].recordID.zoneID.zoneName == "Z")
        }
    }
}
