import RecordModel
import SyncCore
import TestSupport
import Testing

/// The account changes at every point of a send and of a fetch.
@Suite struct AccountMidOperationTests {
    /// A device with an operation of each kind under way: some steps of its `run` are behind it.
    private func device(after steps: Int, isSettling: Bool = false) -> CoreFixture {
        var device = CoreFixture()
        device.server.saveElsewhere(record(note("x")))
        device.edit(note("s"))
        if isSettling {
            device.server.requestErrors = [SyncError(.networkFailure)]
            device.server.outcomeErrors = [SyncError(.networkUnavailable)]
            device.send()
            device = device.relaunched()
        }
        device.edit(note("a"))
        device.handle(.databaseChangesAdded([.saveZone(RecordZone(zoneID: tasks))]))
        device.callSend()
        device.callFetch()
        var left = steps
        device.run { _ in
            left -= 1
            return left < 0
        }
        return device
    }

    /// Puts the account's change in at one point, lets everything run, and finds what is wrong.
    private func faults(
        of status: AccountStatus,
        after steps: Int,
        isSettling: Bool,
        throwing: Bool
    ) -> [String] {
        var device = device(after: steps, isSettling: isSettling)
        let late = device.requests
        let before = device.server.batches.count
        // What was asked before is answered last.
        device.requests = []
        device.accountBecomes(status)
        device.replyAccount(.success(status))
        if throwing { device.handleEvent(throwing: true) }
        device.run()
        for request in late { device.handle(device.server.answer(request)) }
        device.server.account = .success(status)
        device.run()
        // Whoever was thrown at gets another chance.
        device.send()
        device.fetch()
        var faults = device.faults
        if device.ended.count < 4 { faults.append("\(4 - device.ended.count) calls never ended") }
        faults += bracketFaults(device.transcript.map(withoutNumber))
        if status == bob {
            let sent = device.server.batches.count - before - late.count { $0.isBatch }
            if sent != 0 { faults.append("\(sent) batches sent as bob") }
        }
        faults += lossFaults(device)
        return faults
    }

    /// Every change was confirmed, is pending, or was handed back (P7).
    private func lossFaults(_ device: CoreFixture) -> [String] {
        var known = Set(device.pending.map(\.recordID))
        for event in device.events {
            if case .sentRecordZoneChanges(let sent) = event {
                known.formUnion(sent.savedRecords.map(\.recordID))
            }
            if case .abandonedChanges(let abandoned) = event {
                known.formUnion(abandoned.recordZoneChanges.map(\.recordID))
            }
        }
        return [note("a"), note("s")].filter { !known.contains($0) }.map { "\($0) is just gone" }
    }

    /// Every `will…` has one `did…` (S19, S1).
    private func bracketFaults(_ words: [String]) -> [String] {
        let names = ["FetchChanges", "SendChanges", "FetchRecordZoneChanges"]
        return names.flatMap { name -> [String] in
            var depth = 0
            var faults: [String] = []
            for word in words {
                if word.hasPrefix("deliver will\(name)(") { depth += 1 }
                if word.hasPrefix("deliver did\(name)(") { depth -= 1 }
                if depth != 0, depth != 1 { faults.append("\(word) at depth \(depth)") }
            }
            return depth == 0 ? faults : faults + ["\(name) is still open"]
        }
    }

    @Test(
        .holds("S19", "S1", "P6", "P7", "J11", "H79", "H80", "H82"),
        arguments: 0..<40,
        [bob, .noAccount, ann]
    )
    func endsWhatRunsAndLosesNothing(steps: Int, status: AccountStatus) {
        for isSettling in [false, true] {
            for throwing in [false, true] {
                let faults = faults(
                    of: status,
                    after: steps,
                    isSettling: isSettling,
                    throwing: throwing
                )
                #expect(faults == [], "settling \(isSettling), throwing \(throwing)")
            }
        }
    }
}

extension EngineEffect {
    fileprivate var isBatch: Bool { if case .modifyRecords = self { true } else { false } }
}
