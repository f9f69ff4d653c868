import Foundation
import RecordModel
import RecordSyncTools
import RecordWire
import Testing

struct DemoCommandTests {
    @Test func withoutInputThreeDevicesEndUpTheSame() async {
        let demo = await Demo.run()
        #expect(demo.status == 0)
        let lines = demo.result.split(separator: "\n")
        #expect(
            lines.first == """
                the demo's own input: 38 records in 3 zones (Sky, Missions, _defaultZone); \
                28 with a parent, 5 of them before it
                """
        )
        #expect(
            lines.last == """
                verified: every device has what the server has; \
                37 records = 38 imported + 2 created − 3 deleted
                """
        )
        #expect(lines.contains("  conflicts       4, merged and sent again: A won 2, B won 2"))
        #expect(lines.contains("  relaunched      from its stored state, with 4 pending changes"))
        #expect(
            lines.contains(
                "  Sky/deimos: B met an edit of A; A won, its edit is the later one"
            )
        )
    }

    @Test func watchingShowsWhatThreeDevicesWaitForAndEnds() async {
        let demo = await Demo.run("--watch")
        #expect(demo.status == 0)
        let lines = demo.result.split(separator: "\n")
        #expect(lines.last?.hasSuffix("All three hold the same 6 notes.") == true)
        for reason in [
            "there is no network", "the battery is at 12 % and not charging",
            "the server asked to be left alone",
        ] {
            #expect(lines.contains { $0.contains("- \(reason)") }, "\(reason)")
        }
    }

    @Test func watchingShowsATabletThatFindsByItselfWhatNothingToldOf() async throws {
        let demo = await Demo.run("--watch")
        let steps = demo.result.components(separatedBy: "\n\n")
        let step = try #require(steps.first { $0.contains("Notifications are lost") })
        let tablet = step.split(separator: "\n").filter { $0.contains("tablet: at rest") }
        #expect(tablet.count == 2)
        #expect(tablet.first?.contains("at rest with 5 notes; looks for changes in") == true)
        #expect(tablet.last?.contains("at rest with 6 notes") == true)
    }

    @Test func watchingDoesNotPromiseFetchesThatSomethingHoldsBack() async {
        let demo = await Demo.run("--watch")
        #expect(demo.result.contains("so fetches come more often once nothing holds them back."))
        #expect(!demo.result.contains("so fetches come more often."))
    }

    @Test(arguments: [
        (["--token", "t"], "--token is for a server; expected --server beside it"),
        (["--watch", "--json"], "--watch takes no other option; expected it without --json"),
        (["--watch", "--input=f"], "--watch takes no other option; expected it without --input"),
        (["--watch", "--server=u"], "--watch takes no other option; expected it without --server"),
        (
            ["--watch", "--sabotage"],
            "--watch takes no other option; expected it without --sabotage"
        ),
        (["--keep", "d", "--watch"], "--watch takes no other option; expected it without --keep"),
    ])
    func optionsThatWouldDoNothingAreRefused(words: [String], message: String) async {
        let demo = await Demo.run(words)
        #expect(demo.status == 2)
        #expect(demo.result == "")
        #expect(demo.errors.hasPrefix("recordsync demo: \(message)\n"))
    }

    @Test func aServerThatCannotBeReachedIsNamed() async {
        let demo = await Demo.run("--server", "http://127.0.0.1:1")
        #expect(demo.status == 1)
        #expect(
            demo.errors.hasPrefix(
                "recordsync demo: the server at http://127.0.0.1:1 cannot be used: "
            )
        )
    }

    @Test func theSameInputGivesTheSameAccount() async {
        let first = await Demo.run()
        let second = await Demo.run()
        #expect(first.result == second.result)
        #expect(first.errors == second.errors)
    }

    @Test func progressIsShownWhileItWorks() async {
        let demo = await Demo.run()
        #expect(demo.errors.hasPrefix("A imports 38 records\nA imports 38 records: 38 of 38\n"))
        #expect(demo.errors.contains("\nB relaunches from its stored state\n"))
    }

    @Test func jsonIsOneLastLineWithItsKeysInOneOrder() async throws {
        let demo = await Demo.run("--json")
        #expect(demo.status == 0)
        let digest = "\"digest\":\"[0-9a-f]{64}\""
        let devices = ["A", "B", "C"].map { #"\{"name":"\#($0)","records":37,\#(digest)\}"# }
        let shape = try Regex(
            #"\{"devices":\[\#(devices.joined(separator: ","))\],"converged":true,"#
                + #""imported":38,"created":2,"deleted":3,"records":37,"conflicts":4,"#
                + #""relaunches":2,"events":[0-9]+,"seconds":[0-9.]+\}\n"#
        )
        #expect(demo.result.wholeMatch(of: shape) != nil)
        #expect(demo.errors.contains("\nverified: every device has what the server has"))
    }

    @Test func jsonReadBackSaysThatAllStoresAreTheSame() async throws {
        let json = try await Demo.run("--json").json
        #expect(Set(json.devices.map(\.digest)).count == 1)
        #expect(json.devices.map(\.records) == [37, 37, 37])
        #expect(json.records == json.imported + json.created - json.deleted)
    }

    @Test func theDigestIsThatOfTheContentDigestsInTheOrderOfTheNames() async throws {
        let json = try await Demo.run("--json", input: [Demo.line("a")]).json
        var edited = Record(recordType: "T", recordID: Record.ID(recordName: "a"))
        edited["text"] = ""
        edited["demo_text"] = "edit 2, made on B"
        edited["demo_editor"] = "B"
        edited["demo_edit"] = 2
        edited["demo_noteA"] = "noted on A"
        edited["demo_noteB"] = "noted on B"
        var created = Record(recordType: "DemoNote", recordID: Record.ID(recordName: "demo-1"))
        created["demo_text"] = "note 1, made on a device"
        created.setParent(edited)
        let digest = SHA256.hash(edited.contentDigest + created.contentDigest)
        let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(json.devices.map(\.digest) == [digits, digits, digits])
    }

    @Test func theDigestDependsOnTheContentAlone() async throws {
        let first = try await Demo.run("--json").json
        let second = try await Demo.run("--json").json
        #expect(first.devices == second.devices)
    }

    @Test func aRecordLostBehindTheEnginesBackIsCaught() async throws {
        let demo = await Demo.run("--sabotage", "--json")
        #expect(demo.status == 1)
        #expect(
            demo.errors.hasSuffix(
                "\ndevice C lacks _defaultZone/welcome, which the server has\n"
                    + "caught: a record was lost on purpose, and the check found it\n"
            )
        )
        let json = try demo.json
        #expect(!json.converged)
        #expect(json.devices.map(\.records) == [37, 37, 36])
        #expect(!demo.errors.contains("verified"))
    }

    @Test func oneRecordIsEnoughForAConflictAndARelaunch() async throws {
        let demo = try await Demo.run("--json", input: [Demo.line("a")])
        #expect(demo.status == 0)
        let json = try demo.json
        #expect(json.counts == [1, 1, 0, 2, 1, 1])
    }

    @Test func fieldsOfTheInputThatLookLikeTheDemosOwnStayAsTheyAre() async throws {
        let line = #"{"recordName":"a","recordType":"T","fields":{"demo_edit":{"value":9}}}"#
        let demo = try await Demo.run("--json", input: [line])
        #expect(demo.status == 0)
        #expect(try demo.json.conflicts == 1)
    }

    @Test func tagsAndStampsOfAnotherServerAreLeftOut() async throws {
        let line =
            #"{"recordName":"a","recordType":"T","recordChangeTag":"5","#
            + #""created":{"timestamp":1,"userRecordName":"u"},"fields":{"f":{"value":1}}}"#
        let plain = #"{"recordName":"a","recordType":"T","fields":{"f":{"value":1}}}"#
        let tagged = try await Demo.run("--json", input: [line])
        #expect(tagged.status == 0)
        #expect(
            try tagged.json.devices == (await Demo.run("--json", input: [plain])).json.devices
        )
    }

    @Test func theOwnInputHasEveryTypeOfValueAndThreeZones() throws {
        var reader = NDJSONReader(demoSample.utf8)
        var records: [Record] = []
        while let (_, record) = try reader.next() { records.append(record) }
        let types = records.flatMap { record in
            record.allKeys().compactMap { key in
                (record[key] as RecordValue?)?.type
            }
        }
        #expect(Set(types) == Set(RecordValue.ValueType.allCases))
        #expect(Set(records.map(\.recordID.zoneID)).count == 3)
        #expect(records.contains { $0.recordID.zoneID == .default })
        #expect(records.contains { !$0.encryptedValues.allKeys().isEmpty })
    }
}
