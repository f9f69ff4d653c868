import RecordModel
import RecordSyncTools
import SyncCore
import Testing

struct InspectCommandTests {
    @Test func tellsAPersonEverythingThatAStateHolds() async throws {
        let answer = try await inspect(["--verbose"], [full.bytes])
        #expect(
            answer.result == """
                format           1, \(full.bytes.count) bytes
                database         memory/private
                account          alice
                database token   \(digest(of: "d")) (1 byte)
                zones            3
                  Notes: token \(digest(of: "n")) (1 byte), unfetched changes, own records
                  Tasks: no token, unfetched changes, full fetch 1 (tokenExpired) under way
                  Old: no token, unfetched changes
                pending records  5
                  Notes: 2 saves, 1 deletion, 1 save parked
                    parked save e
                    save a
                    save b
                    delete c
                  Tasks: 1 save
                    save t
                pending zones
                  delete Old
                  save Old
                open sends       1
                  00000000#6: 1 save, 1 deletion in flight
                    save Notes/x
                    delete Notes/y
                retry delay      until 2001-09-09T01:46:40Z, 30.0 s long
                untracked        yes
                recent saves     1
                writers          1
                  00000000: entries up to 14

                """
        )
        #expect(answer.status == .done)
        #expect(answer.errors == "")
    }

    @Test func withoutVerboseNoRecordIsNamed() async throws {
        let answer = try await inspect([], [full.bytes])
        #expect(answer.result.contains("\n  Notes: 2 saves, 1 deletion, 1 save parked\n  Tasks:"))
        #expect(!answer.result.contains("save a"))
    }

    @Test func anEmptyStateSaysThatThereIsNothing() async throws {
        let bytes = StateSerialization(snapshotOf: EngineState()).bytes
        let answer = try await inspect([], [bytes])
        #expect(
            answer.result == """
                format           1, \(bytes.count) bytes
                database         none yet
                account          none yet
                database token   none
                zones            none
                pending records  none
                pending zones    none
                open sends       none
                retry delay      none
                untracked        no
                recent saves     0
                writers          none

                """
        )
    }

    @Test func tenRecordsOfAZoneAreNamedAndTheRestIsCounted() async throws {
        let ten = try await inspect(["--verbose"], [pending(10).bytes])
        #expect(ten.result.contains("\n    save 10\npending zones"))
        let eleven = try await inspect(["--verbose"], [pending(11).bytes])
        #expect(eleven.result.contains("\n    save 10\n    and 1 more\npending zones"))
    }

    @Test func jsonHasTheSameForAnotherProgram() async throws {
        let answer = try await inspect(["--json"], [full.bytes])
        #expect(answer.status == .done)
        #expect(
            answer.result.hasPrefix(
                #"{"account":{"status":"signedIn","userRecordName":"alice"},"byteCount":"#
            )
        )
        #expect(
            answer.result.contains(
                #""openSends":[{"deletions":1,"first":["save Notes/x","delete Notes/y"],"#
                    + #""key":"00000000#6","saves":1,"withdrawn":0}]"#
            )
        )
        #expect(
            answer.result.contains(
                #"{"deletions":1,"first":["parked save e","save a","save b","delete c"],"#
                    + #""parkedDeletions":0,"parkedSaves":1,"quarantinedDeletions":0,"#
                    + #""quarantinedSaves":0,"saves":2,"zone":"Notes"}"#
            )
        )
        #expect(
            answer.result.contains(
                #""retryDelay":{"seconds":30,"until":"2001-09-09T01:46:40Z"}"#
            )
        )
    }

    @Test(arguments: [false, true])
    func takesTheFormsInWhichCodableWritesAState(isJSON: Bool) async throws {
        let base64 = Base64.encode(full.bytes)
        // JSON may write a slash as an escape.
        let text = isJSON ? "\"\(base64.replacing("/", with: "\\/"))\"" : base64
        let answer = try await inspect([], [Array("\(text)\n".utf8)])
        #expect(answer == (try await inspect([], [full.bytes])))
    }

    @Test func namesTheFileThatIsDamagedAndWhy() async throws {
        var bytes = full.bytes
        bytes[20] ^= 1
        let answer = try await inspect([], [bytes])
        #expect(
            answer.errors == """
                recordsync inspect: FILE1: the stored state of \(bytes.count) bytes is damaged: \
                its checksum does not fit

                """
        )
        #expect(answer.status == .failed)
        #expect(answer.result == "")
    }

    @Test func namesTheFileThatANewerVersionWrote() async throws {
        var bytes = full.bytes
        bytes[4] = 2
        let answer = try await inspect([], [full.bytes, bytes])
        #expect(
            answer.errors == """
                recordsync inspect: FILE2: the stored state has format 2, newer than 1: \
                a newer version of the app must read it

                """
        )
        #expect(answer.status == .failed)
    }

    @Test(arguments: [
        (
            "hello",
            """
            this is no stored state; expected the bytes of one, their base64 text, \
            or that text as a JSON string
            """
        ),
        (
            "{}",
            """
            this is no stored state; expected the bytes of one, their base64 text, \
            or that text as a JSON string
            """
        ),
        ("", "the file is empty; expected a stored state"),
        ("aGVsbG8=", "the stored state of 5 bytes is damaged: it does not begin as a state does"),
    ])
    func saysWhatIsNoState(text: String, message: String) async throws {
        let answer = try await inspect([], [Array(text.utf8)])
        #expect(answer.errors == "recordsync inspect: FILE1: \(message)\n")
        #expect(answer.status == .failed)
    }

    @Test func saysThatAFileIsNotThere() async {
        let capture = Capture()
        let status = await run(
            arguments: ["inspect", "/nowhere/a"],
            output: capture.output()
        )
        #expect(status == 1)
        #expect(
            capture.standardError
                == "recordsync inspect: /nowhere/a: there is no such file; "
                + "expected a stored state\n"
        )
    }
}

struct InspectDifferenceTests {
    @Test func tellsWhatChangedFromOneStateToTheNext() async throws {
        var later = StateSample(full.state)
        later.apply(.sendClosed(StateSample.key(6), [.returned, .confirmed(changeTag: nil)]))
        later.remove(.saveRecord(StateSample.id("a")))
        later.apply(.recordChangesAdded([.deleteRecord(StateSample.id("b"))]))
        later.apply(.parkedChangesResumed)
        later.remove(.deleteZone(StateSample.old))
        later.apply(.retryDelaySet(nil))
        later.apply(.untrackedChangesSet(false))
        let token = ServerChangeToken(bytes: Array("m".utf8))
        later.apply(.zonePageHandled(StateSample.notes, token: token, moreComing: false))
        later.apply(.accountSignedOut)
        let answer = try await inspect([], [full.bytes, later.bytes])
        #expect(answer.status == .done)
        #expect(
            answer.result == """
                ~ account: alice → alice, signed out
                - database token: \(digest(of: "d")) (1 byte)
                - zone Notes: token \(digest(of: "n")) (1 byte), unfetched changes, own records
                - zone Tasks: no token, unfetched changes, full fetch 1 (tokenExpired) under way
                - zone Old: no token, unfetched changes
                - pending change Notes/a: save
                ~ pending change Notes/e: parked save → save
                + pending change Notes/x: save
                ~ pending change Notes/b: save → delete
                ~ pending changes of zone Old: delete, then save → save
                - open send 00000000#6: 1 save, 1 deletion in flight
                - retry delay: until 2001-09-09T01:46:40Z, 30.0 s long
                ~ untracked changes: yes → no
                ~ recent saves: 1 → 0
                ~ writer 00000000: entries up to 14 → entries up to 23

                """
        )
    }

    @Test func aMovedTokenIsToldWithBothFingerprints() async throws {
        var later = StateSample(full.state)
        let token = ServerChangeToken(bytes: Array("m".utf8))
        later.apply(.zonePageHandled(StateSample.notes, token: token, moreComing: false))
        let answer = try await inspect([], [full.bytes, later.bytes])
        #expect(
            answer.result.hasPrefix(
                "~ zone Notes: token \(digest(of: "n")) (1 byte), unfetched changes, own records"
                    + " → token \(digest(of: "m")) (1 byte), own records\n"
            )
        )
    }

    @Test func equalStatesHaveNoDifference() async throws {
        let answer = try await inspect([], [full.bytes, full.bytes])
        #expect(answer == Answer(["inspect"], .done, result: "no difference\n"))
        let json = try await inspect(["--json"], [full.bytes, full.bytes])
        #expect(json.result == #"{"changes":[],"isEqual":true}"# + "\n")
    }

    @Test func anotherOrderOfTheSameChangesIsToldAsThat() async throws {
        var there = StateSample()
        there.apply(.recordChangesAdded(["a", "b"].map { .saveRecord(StateSample.id($0)) }))
        var back = StateSample()
        back.apply(.recordChangesAdded(["b", "a"].map { .saveRecord(StateSample.id($0)) }))
        let answer = try await inspect([], [there.bytes, back.bytes])
        #expect(
            answer.result
                == "no difference, but in the order or the numbering of what is pending\n"
        )
    }

    @Test func twentyDifferencesAreToldUnlessAllAreAskedFor() async throws {
        let empty = pending(0).bytes
        let more = try await inspect([], [empty, pending(21).bytes])
        #expect(more.result.hasSuffix("\n+ pending change Notes/20: save\nand 1 more difference\n"))
        let all = try await inspect(["--verbose"], [empty, pending(21).bytes])
        #expect(all.result.hasSuffix("\n+ pending change Notes/21: save\n"))
    }

    @Test func jsonTellsEachDifferenceWithBeforeAndAfter() async throws {
        let answer = try await inspect(["--json"], [pending(0).bytes, pending(1).bytes])
        #expect(
            answer.result == #"{"changes":[{"after":"save","name":"Notes/1","#
                + #""part":"pending change"}],"isEqual":false}"# + "\n"
        )
    }
}
