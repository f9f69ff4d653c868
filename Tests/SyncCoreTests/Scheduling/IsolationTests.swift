import RecordModel
import SyncCore
import TestSupport
import Testing

/// One zone's trouble is not another's.
@Suite struct IsolationTests {
    /// How long edits of one zone took until the server had them, while another zone fails or not.
    private func latencies(failing: Bool) -> [Double] {
        var run = VirtualRun.idle(seed: 3)
        var edited: [Record.ID: Double] = [:]
        var generator = SplitMix64(seed: 5)
        var instant = Duration.seconds(6)
        for number in 0..<700 {
            let (good, bad) = (note("g\(number)", in: tasks), note("b\(number)"))
            edited[good] = instant.inSeconds
            run.plan(at: instant) { $0.edit(good) }
            if number.isMultiple(of: 10) {
                run.plan(at: instant + .milliseconds(Int64(generator.next() % 2000))) { device in
                    if failing { device.server.recordErrors[bad] = SyncError(.zoneBusy) }
                    device.edit(bad)
                }
            }
            instant += .milliseconds(Int64(generator.next() % 4000))
        }
        run.run(until: instant + .seconds(60))
        #expect(run.faults == [])
        return run.sent.flatMap { sent -> [Double] in
            guard case .modifyRecords(_, let request, _) = sent.effect else { return [] }
            return request.recordsToSave.compactMap { record in
                edited[record.recordID].map { sent.instant.inSeconds + 0.05 - $0 }
            }
        }
    }

    @Test(.holds("P87", "H73", "I25"))
    func aZoneThatFailsForEverSlowsDownNoOther() {
        let (without, with) = (latencies(failing: false), latencies(failing: true))
        #expect(without.count == 700 && with.count == 700)
        let (p99, p99Failing) = (percentile(without, 99), percentile(with, 99))
        #expect(abs(p99Failing - p99) <= p99 / 10, "\(p99) and \(p99Failing)")
    }

    private func percentile(_ values: [Double], _ percent: Int) -> Double {
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    @Test(.holds("P87", "H73", "I25"))
    func refusedWritesOfOneZoneBlockNoWriteOfAnother() {
        var run = VirtualRun.idle()
        for number in 0..<3 {
            let id = note("p\(number)")
            run.plan(at: .seconds(6 + number * 10)) { device in
                device.server.recordErrors[id] = SyncError(.permissionFailure)
                device.edit(id)
            }
        }
        run.plan(at: .seconds(36)) { $0.edit(note("q", in: tasks)) }
        run.run(until: .seconds(37))
        #expect(run.device.server.records[note("q", in: tasks)] != nil)
        // Tried once each, and handed to the app.
        #expect(run.sends == [6, 16, 26, 36])
        #expect(run.device.pending == [])
    }

    @Test(.holds("P87", "I25"))
    func aZoneThatFailsWaitsUnderANameAndIsTriedAgainByItself() {
        var run = VirtualRun.idle()
        run.device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
        run.plan(at: .seconds(6)) { $0.edit(note("a")) }
        run.run(until: .seconds(6) + .milliseconds(60))
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.send.standing == .waiting)
        guard case .zoneBackoff(attempts: 1, let error)? = schedule.send.blockers.first?.reason
        else {
            Issue.record("it waits for something else: \(schedule)")
            return
        }
        #expect(error?.code == .zoneBusy)
        #expect(schedule.zones.first?.sendBlocker != nil)
        run.device.server.recordErrors = [:]
        run.run(until: .seconds(8))
        #expect(run.device.pending == [])
    }

    @Test(.holds("P87", "I25"))
    func aZoneThatCannotBeFetchedIsTriedAgainAloneLater() {
        var run = VirtualRun.idle()
        run.device.server.zoneErrors[notes] = SyncError(.internalError)
        run.plan(at: .seconds(6)) { device in
            device.server.saveElsewhere(record(note("x")))
            device.server.saveElsewhere(record(note("y", in: tasks)))
            device.handle(.notificationReceived)
        }
        run.run(until: .seconds(6) + .milliseconds(900))
        #expect(run.device.records[note("y", in: tasks)] != nil)
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(schedule.fetch.standing != .idle)
        run.plan(at: .seconds(7)) { $0.server.zoneErrors = [:] }
        run.run(until: .seconds(20))
        #expect(run.device.records[note("x")] != nil)
        #expect(run.faults == [])
    }

    @Test(.holds("P87", "I25"))
    func aZoneWithThousandsOfChangesHoldsUpNoOther() {
        var run = VirtualRun.idle()
        run.plan(at: .seconds(6)) { device in
            device.edit((0..<3000).map { note("n\($0)") })
            device.edit(note("one", in: tasks))
        }
        run.run(until: .seconds(60))
        #expect(run.device.pending == [])
        #expect(run.sends.count == 13)
        let first = run.device.server.batches.first?.recordsToSave.map(\.recordID) ?? []
        #expect(first.contains(note("one", in: tasks)))
        // Within a zone the queue's order holds.
        let sent = run.device.server.batches.flatMap(\.recordsToSave).map(\.recordID)
        #expect(sent.filter { $0.zoneID == notes } == (0..<3000).map { note("n\($0)") })
    }

    @Test(.holds("P88", "H76"))
    func aConfirmationThatNeverComesHoldsFetchesUpNoLongerThanTheDeadline() {
        var run = VirtualRun.idle()
        run.fate = { effect, now in
            if case .modifyRecords = effect, now < .seconds(10) { .silence } else { nil }
        }
        run.plan(at: .seconds(6)) { $0.edit(note("a")) }
        run.plan(at: .seconds(7)) { device in
            device.server.saveElsewhere(record(note("x")))
            device.handle(.notificationReceived)
        }
        run.run(until: .seconds(60))
        let schedule = run.device.core.schedule(at: run.device.now)
        #expect(
            schedule.send.standing == .running(since: Timestamp(millisecondsSince1970: 1_006_000))
        )
        #expect(run.device.core.nextDeadlineOfWork == run.device.core.nextDeadline)
        run.run(until: .seconds(130))
        #expect(run.device.records[note("x")] != nil)
        #expect(run.device.pending == [])
        // The server had it: nothing was sent a second time.
        #expect(run.sends == [6])
    }
}
