import Foundation
import RecordModel
import RecordServer
import RecordWire
import SQLiteStorage
import ServerCore
import TestSupport
import Testing

struct RecordServiceTests {
    // MARK: Who is let in

    @Test(.holds("H110"), arguments: Route.allCases, ["none", "wrong", "malformed", "query"])
    func everyRouteNeedsAToken(route: Route, kind: String) throws {
        let fixture = try ServiceFixture()
        let path = route == .health ? "/health" : ServiceFixture.path(route.path)
        var fields: [HTTPField] = []
        var query = ""
        switch kind {
        case "wrong":
            let other = AccessToken(randomBytes: Array(repeating: 9, count: 32))
            fields = [HTTPField("authorization", "Bearer \(other.text)")]
        case "malformed": fields = [HTTPField("authorization", "Basic YTpi")]
        case "query": query = "ckWebAuthToken=\(fixture.ann.text)&token=\(fixture.ann.text)"
        default: break
        }
        for method in route.methods {
            let response = fixture.send(method, path, query: query, fields: fields, token: nil)
            #expect(response.status == (route.isOpenToAll ? 200 : 401))
            #expect(!fixture.text(response).contains(fixture.ann.text))
        }
    }

    @Test(arguments: Route.allCases)
    func everyRouteAnswersItsOwnAccount(route: Route) throws {
        let fixture = try ServiceFixture()
        let path = route == .health ? "/health" : ServiceFixture.path(route.path)
        let key = #"{"writer":"0000000000000001ffffffffffffffff","number":"7"}"#
        let body = route == .outcome ? #"{"idempotencyKey":\#(key)}"# : "{}"
        for method in route.methods.reversed() {
            // The file that was just sent.
            let isFile = route == .assetContent && method == "GET"
            let response = fixture.send(
                method,
                path,
                body,
                query: isFile ? "checksum=\(hexadecimal(SHA256.hash(Array(body.utf8))))" : "",
                token: fixture.ann
            )
            #expect(response.status == 200)
        }
    }

    @Test(.holds("H118")) func aRevokedTokenIsNoneFromTheNextRequestOn() throws {
        let fixture = try ServiceFixture()
        let path = ServiceFixture.path("users/caller")
        #expect(fixture.send("GET", path, token: fixture.ann).status == 200)
        let other = try SQLiteStorage(path: fixture.folder.appendingPathComponent("records").path)
        try other.begin(.writing)
        #expect(try other.removeCredential(ofDevice: "ann-phone", account: "ann"))
        try other.commit()
        #expect(fixture.send("GET", path, token: fixture.ann).status == 401)
        let notices = [
            fixture.service.noticesForeignChange(), fixture.service.noticesForeignChange(),
        ]
        #expect(notices == [true, false])
    }

    @Test func aPollOfARevokedTokenIsNotAdmittedAnyMore() throws {
        let fixture = try ServiceFixture()
        let poll = try poll(fixture, since: 0)
        let isAdmitted = fixture.service.isStillAdmitted(poll)
        #expect(isAdmitted)
        _ = fixture.service.flush()
        let other = try SQLiteStorage(path: fixture.folder.appendingPathComponent("records").path)
        try other.begin(.writing)
        _ = try other.removeCredential(ofDevice: "ann-phone", account: "ann")
        try other.commit()
        let isAdmittedAfterwards = fixture.service.isStillAdmitted(poll)
        #expect(!isAdmittedAfterwards)
    }

    @Test func refusesARequestThatIsMadeForAnotherAccount() throws {
        let fixture = try ServiceFixture()
        let path = ServiceFixture.path("changes/database")
        let bob = [HTTPField(WireCodec.accountHeader, "bob")]
        #expect(fixture.send("POST", path, fields: bob, token: fixture.ann).status == 401)
        let ann = [HTTPField(WireCodec.accountHeader, "ann")]
        #expect(fixture.send("POST", path, fields: ann, token: fixture.ann).status == 200)
    }

    @Test func keepsOnlyTheHashOfAToken() throws {
        let fixture = try ServiceFixture()
        let names = ["records", "records-wal"]
        let bytes = names.flatMap { name in
            (try? Data(contentsOf: fixture.folder.appendingPathComponent(name))) ?? Data()
        }
        #expect(Data(bytes).range(of: Data(fixture.ann.hash)) != nil)
        #expect(Data(bytes).range(of: Data(fixture.ann.text.utf8)) == nil)
    }

    @Test func refusesRequestsOfWebPages() throws {
        let fixture = try ServiceFixture()
        let fields = [HTTPField("origin", "https://example.org")]
        let path = ServiceFixture.path("changes/database")
        #expect(fixture.send("POST", path, fields: fields, token: fixture.ann).status == 403)
    }

    @Test func anOpenServerIsAskedAsThisMachinesOwn() throws {
        var options = ServiceOptions()
        options.openAccount = "ann"
        let fixture = try ServiceFixture(options)
        let cases = [
            ("localhost:80", 200), ("127.0.0.1:8080", 200), ("[::1]:80", 200),
            ("evil.example", 403), ("localhost.evil.example", 403),
        ]
        for (host, status) in cases {
            let head = HTTPRequestHead(
                method: "GET",
                path: ServiceFixture.path("users/caller"),
                fields: [HTTPField("host", host)]
            )
            let answer = fixture.service.answer(HTTPRequest(head: head), at: fixture.now)
            guard case .response(let response) = answer else { continue }
            #expect(response.status == status)
        }
    }

    @Test func leadsNowhereButToItsOwnContainerAndPaths() throws {
        let fixture = try ServiceFixture()
        let ann = fixture.ann
        let other = ServiceFixture.path("users/caller", container: "other")
        #expect(fixture.send("GET", other, token: ann).status == 404)
        for path in ["/", "/database", "/database/1/default/production/private/users/x", "/../etc"]
        {
            #expect(fixture.send("GET", path, token: ann).status == 404)
        }
        let response = fixture.send("PUT", ServiceFixture.path("zones/list"), token: ann)
        #expect(response.status == 405)
        #expect(response.fields.contains(HTTPField("allow", "GET, POST")))
    }

    /// Tokens of any bytes and any length up to the limit are expired ones, and nothing else.
    @Test(.holds("H112")) func aTokenMadeByAClientIsOneThatCannotBeUsed() throws {
        let fixture = try ServiceFixture()
        var numbers = Numbers(state: 1)
        for count in [0, 1, 89, 90, 91, 1_000, 7_000] {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            let token = Data(bytes).base64EncodedString()
            let response = fixture.send(
                "POST",
                ServiceFixture.path("changes/database"),
                #"{"syncToken":"\#(token)"}"#,
                token: fixture.ann
            )
            #expect(response.status == 400)
            #expect(fixture.text(response).contains("CHANGE_TOKEN_EXPIRED"))
        }
    }

    // MARK: Accounts apart

    @Test func whatAnAccountSeesDoesNotDependOnAnother() throws {
        let alone = try ServiceFixture()
        let beside = try ServiceFixture()
        var seen: [[String]] = [[], []]
        for round in 0..<20 {
            alone.now.millisecondsSince1970 += 1
            _ = beside.save("n\(round)", text: "ann's", token: beside.ann)
            seen[0] += try view(alone, round)
            seen[1] += try view(beside, round)
        }
        #expect(seen[0] == seen[1])
    }

    private func view(_ fixture: ServiceFixture, _ round: Int) throws -> [String] {
        let bob = fixture.bob
        var texts = [fixture.save("n\(round % 7)", token: bob)]
        for (path, body) in [
            ("changes/database", "{}"),
            ("changes/zone", #"{"zones":[{"zoneID":{}}]}"#),
            (
                "records/lookup",
                #"{"records":[{"recordName":"n\#(round)","zoneID":{"ownerRecordName":"ann"}},"#
                    + #"{"recordName":"n\#(round)"}]}"#
            ),
            ("zones/list", "{}"),
        ] {
            texts.append(
                fixture.text(fixture.send("POST", ServiceFixture.path(path), body, token: bob))
            )
        }
        return texts
    }

    @Test func oneAccountsRequestsDoNotUseUpAnothers() throws {
        var options = ServiceOptions()
        options.requestsPerSecond = 1
        options.requestBurst = 2
        let fixture = try ServiceFixture(options)
        let path = ServiceFixture.path("users/caller")
        let statuses = (1...4).map { _ in fixture.send("GET", path, token: fixture.ann).status }
        #expect(statuses == [200, 200, 429, 429])
        #expect(fixture.send("GET", path, token: fixture.bob).status == 200)
        fixture.now.millisecondsSince1970 += 1_000
        let later = fixture.send("GET", path, token: fixture.ann)
        #expect(later.status == 200)
        let refused = fixture.send("GET", path, token: fixture.ann)
        #expect(refused.fields.contains(HTTPField("retry-after", "1")))
    }

    // MARK: Polls

    @Test func aPollIsToldOfOthersChangesAndNotOfItsOwn() throws {
        let fixture = try ServiceFixture()
        let own = try poll(fixture, since: 0)
        _ = fixture.save("a", token: fixture.ann)
        let ownAnswer = try fixture.service.answer(to: own)
        #expect(ownAnswer == nil)
        let changed = fixture.service.takeChangedDatabases()
        #expect(changed == [own.database])
        let other = WaitingPoll(
            database: own.database,
            deviceID: "ann-desk",
            position: 0,
            tokenHash: nil,
            seconds: 9
        )
        let answer = try fixture.service.answer(to: other)
        let response = try #require(answer)
        #expect(fixture.text(response) == #"{"changed":true,"position":"1"}"#)
    }

    @Test func aPollFromNowhereLearnsWhereItIs() throws {
        let fixture = try ServiceFixture()
        _ = fixture.save("a", token: fixture.ann)
        let path = ServiceFixture.path("x/notifications")
        let response = fixture.send("GET", path, token: fixture.ann)
        #expect(fixture.text(response) == #"{"changed":true,"position":"1"}"#)
    }

    @Test(arguments: ["-1", "301", "9223372036854775807"])
    func aPollDoesNotWaitForEver(seconds: String) throws {
        let fixture = try ServiceFixture()
        let path = ServiceFixture.path("x/notifications")
        let query = "since=0&timeout=\(seconds)"
        #expect(fixture.send("GET", path, query: query, token: fixture.ann).status == 400)
    }

    private func poll(_ fixture: ServiceFixture, since: Int) throws -> WaitingPoll {
        let head = HTTPRequestHead(
            method: "GET",
            path: ServiceFixture.path("x/notifications"),
            query: "since=\(since)",
            fields: [
                HTTPField("host", "x"),
                HTTPField("authorization", "Bearer \(fixture.ann.text)"),
            ]
        )
        let answer = fixture.service.answer(HTTPRequest(head: head), at: fixture.now)
        _ = fixture.service.flush()
        guard case .poll(let poll) = answer else { throw SyncError(.internalError, "no poll") }
        return poll
    }

    // MARK: Foreign clients

    @Test func answersInTheOrderOfTheOperations() throws {
        let fixture = try ServiceFixture()
        _ = fixture.save("old", token: fixture.ann)
        let body =
            #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"old"}},"#
            + #"{"operationType":"create","record":{"recordName":"new","recordType":"Note"}}],"#
            + #""atomic":false,"unknown":[1]}"#
        let path = ServiceFixture.path("records/modify")
        let text = fixture.text(fixture.send("POST", path, body, token: fixture.ann))
        let old = try #require(text.range(of: #""old""#))
        let new = try #require(text.range(of: #""new""#))
        #expect(old.lowerBound < new.lowerBound)
        #expect(text.contains(#""deleted":true"#))
        #expect(!text.contains("origin") && !text.contains("fieldsAsSent"))
    }

    @Test func listsZonesByGetAndByPost() throws {
        let fixture = try ServiceFixture()
        let path = ServiceFixture.path("zones/list")
        for method in ["GET", "POST"] {
            #expect(
                fixture.text(fixture.send(method, path, token: fixture.ann))
                    == #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"atomic":true}]}"#
            )
        }
    }

    @Test func listsTheDevicesOfTheAccountThatAsks() throws {
        let fixture = try ServiceFixture()
        _ = fixture.save("a", token: fixture.ann)
        _ = fixture.save("b", token: fixture.bob)
        let path = ServiceFixture.path("x/devices")
        #expect(
            fixture.text(fixture.send("GET", path, token: fixture.ann))
                == #"{"devices":[{"deviceID":"ann-phone","firstSeen":1000001,"#
                + #""lastSeen":1000001,"current":true}]}"#
        )
    }

    @Test func oneMissingZoneSparesTheOthers() throws {
        let fixture = try ServiceFixture()
        let body = #"{"zones":[{"zoneID":{"zoneName":"None"}},{"zoneID":{}}]}"#
        let path = ServiceFixture.path("changes/zone")
        let text = fixture.text(fixture.send("POST", path, body, token: fixture.ann))
        #expect(text.contains("ZONE_NOT_FOUND"))
        #expect(text.contains(#""syncToken""#))
    }
}
