import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct StateSerializationTests {
    /// A state that holds something of everything.
    private func richState() -> [UInt8] {
        var device = CoreFixture()
        device.edit(note("parked"))
        device.server.recordErrors[note("parked")] = SyncError(.quotaExceeded)
        device.send()
        device.edit(note("saved"))
        device.send()
        device.fetch()
        device.edit(note("a"), note("b"), note("t", in: tasks))
        device.delete(note("c"))
        device.callSend()
        device.runUntilSent()
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("b"))]))
        device.edit(note("a"), note("d"))
        device.delete(note("e"))
        device.handle(
            .databaseChangesAdded([.deleteZone(tasks), .saveZone(RecordZone(zoneID: tasks))])
        )
        device.handle(.untrackedChangesSet(true))
        return device.core.serialization.bytes
    }

    private func refusal(of bytes: [UInt8]) -> StateSerializationError? {
        do {
            _ = try StateSerialization(bytes: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Puts the checksum right that a change of the bytes made wrong.
    private func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let body = bytes.dropLast(4)
        let sum = checksum(body)
        return body + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    }

    @Test(.holds("P32", "S61"))
    func refusesEveryByteFlipped() {
        let bytes = richState()
        for position in bytes.indices {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[position] ^= mask
                let error = refusal(of: damaged)
                #expect(error?.bytes == damaged, "byte \(position)")
            }
        }
    }

    @Test(.holds("P32", "S61"))
    func refusesEveryTruncation() {
        let bytes = richState()
        for count in bytes.indices {
            #expect(refusal(of: Array(bytes.prefix(count)))?.bytes.count == count)
        }
        #expect(refusal(of: bytes + [0]) != nil)
        #expect(refusal(of: bytes) == nil)
    }

    @Test(.holds("P32", "S61"))
    func refusesANewerFormatAsSuch() {
        var bytes = richState()
        bytes[4] = 2
        #expect(refusal(of: sealed(bytes)) == .newerFormat(bytes: sealed(bytes), version: 2))
        bytes[4] = 0
        #expect(refusal(of: sealed(bytes)) != nil)
    }

    @Test(.holds("S61"))
    func noBytesUnderARightChecksumStopTheEngine() {
        let bytes = richState()
        var taken = 0
        for position in bytes.indices.dropFirst(5).dropLast(4) {
            for mask in [0x01, 0x04, 0x40, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[position] ^= mask
                guard let state = try? StateSerialization(bytes: sealed(changed)) else { continue }
                taken += 1
                var device = CoreFixture(state: state)
                device.edit(note("new"), note("a"))
                device.handle(.parkedChangesResumed)
                device.callSend()
                device.callFetch()
                device.run()
                _ = device.core.serialization.bytes
            }
        }
        #expect(taken > 100)
    }

    @Test(.holds("S61"))
    func noNumberHoweverLargeStopsTheEngine() {
        let bytes = richState()
        let largest = [UInt8](repeating: 0xFF, count: 9) + [1]
        var taken = 0
        for position in bytes.indices.dropFirst(5).dropLast(4) {
            var changed = bytes
            changed.replaceSubrange(position...position, with: largest)
            guard let state = try? StateSerialization(bytes: sealed(changed)) else { continue }
            taken += 1
            var device = CoreFixture(state: state)
            device.edit(note("new"), note("a"))
            device.callSend()
            device.callFetch()
            device.run()
            _ = device.core.serialization.bytes
        }
        #expect(taken > 0)
    }

    @Test(.holds("S63", "P5"), arguments: UInt64(0)..<20)
    func aRestoredStateIsTheSame(seed: UInt64) throws {
        var run = RandomRun(seed: seed, isAutomatic: false)
        for step in 0..<200 {
            run.step()
            guard step % 10 == 0 else { continue }
            let bytes = run.device.core.serialization.bytes
            let restored = try StateSerialization(bytes: bytes)
            #expect(restored.bytes == bytes)
            #expect(restored.restoredState().records.count == run.device.core.state.records.count)
        }
    }

    @Test(.holds("S51", "S63"))
    func aStateTakenDuringARequestRestoresItsChangesAtTheirPlaces() throws {
        var device = CoreFixture(limits: RequestLimits(batchCountMax: 2))
        device.edit(note("a"), note("b"), note("c"))
        device.callSend(.recordIDs([note("a"), note("c")]))
        device.runUntilSent()
        let relaunched = device.relaunched()
        #expect(relaunched.pending.map(\.recordID) == [note("a"), note("b"), note("c")])
        #expect(!relaunched.core.canOffer(saveOf: note("a"), in: .all))
        #expect(relaunched.core.canOffer(saveOf: note("b"), in: .all))
    }

    @Test(.holds("S62"))
    func anEngineWithoutAStateHasNothingPendingAndNoTokens() {
        let device = CoreFixture(isSignedIn: false)
        #expect(device.pending == [])
        #expect(device.core.state.databaseToken == nil)
        #expect(device.core.state.zones.isEmpty)
    }

    @Test(.holds("P15", "S57"))
    func everyChangeLeadsToOneStateUpdateAndChangesCloseTogetherShareIt() {
        var device = CoreFixture()
        device.edit(note("a"))
        #expect(device.core.nextDeadline == device.now.advanced(by: .milliseconds(100)))
        device.advance(by: .milliseconds(50))
        device.edit(note("b"))
        device.wake()
        device.run()
        #expect(device.occurrences("stateUpdate") == 1)
        #expect(device.relaunched().pending == device.pending)
        #expect(device.core.nextDeadline == nil)
    }

    @Test(.holds("P3"))
    func aSnapshotIsTakenAsItLeaves() {
        var device = CoreFixture()
        device.edit(note("a"))
        device.wake()
        device.edit(note("b"))
        device.handleEvent()
        #expect(device.relaunched().pending == [.saveRecord(note("a"))])
        // What came after it leads to another.
        device.wake()
        device.run()
        #expect(device.relaunched().pending.count == 2)
    }

    @Test func copiesOfAStateDoNotSeeLaterChanges() {
        var device = CoreFixture()
        device.edit((0..<1000).map { note("\($0)") })
        let before = device.core.serialization
        let bytes = before.bytes
        device.edit(note("later"))
        device.delete(note("7"))
        device.handle(.recordZoneChangesRemoved([.saveRecord(note("9"))]))
        #expect(before.bytes == bytes)
        #expect(device.core.serialization.bytes != bytes)
    }
}

extension StateSerializationError {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .damaged(let bytes, _), .newerFormat(let bytes, _): bytes
        }
    }
}
