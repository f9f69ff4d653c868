import Dispatch
import Foundation
import RecordModel
import RecordSync
import RecordSyncTesting
import TestSupport
import Testing

struct TestWorldTests {
    private let world = TestWorld()
    private let notes = Notes()

    @Test func givesWhatTheClosureGives() throws {
        #expect(try world.run { 7 } == 7)
        #expect(world.elapsed == .zero)
    }

    @Test func throwsWhatTheClosureThrows() {
        #expect(throws: SyncError(.zoneBusy)) { try world.run { throw SyncError(.zoneBusy) } }
    }

    @Test func movesTimeToTheTimerThatTheClosureWaitsFor() throws {
        try world.run { [world] in try await world.sleep(for: .seconds(3600)) }
        #expect(world.elapsed == .seconds(3600))
        #expect(world.time == Timestamp(millisecondsSince1970: 1_800_003_600_000))
    }

    @Test func firesTimersInTheirOrderAndEqualOnesInTheOrderOfAsking() throws {
        try world.run { [world, notes] in
            await withTaskGroup(of: Void.self) { group in
                let timers = [
                    ("c", 3), ("a", 1), ("b", 2), ("a2", 1), ("a3", 1), ("b2", 2), ("a4", 1),
                    ("a5", 1), ("a6", 1),
                ]
                for (name, seconds) in timers {
                    group.addTask {
                        try? await world.sleep(for: .seconds(seconds))
                        notes.add(name)
                    }
                }
            }
        }
        #expect(notes.all == ["a", "a2", "a3", "a4", "a5", "a6", "b", "b2", "c"])
    }

    @Test func advancesOverTheTimersUpToAnInstantAndNoFurther() throws {
        setTimers([1, 2, 3])
        try world.advance(by: .seconds(2))
        #expect(notes.all == ["1", "2"])
        #expect(world.elapsed == .seconds(2))
        try world.advance(by: .milliseconds(999))
        #expect(notes.all == ["1", "2"])
        try world.advance(by: .milliseconds(1))
        #expect(notes.all == ["1", "2", "3"])
    }

    @Test func leavesTimersSetThatTheClosureDoesNotWaitFor() throws {
        setTimers([5])
        try world.run {}
        try world.runUntilIdle()
        #expect(notes.all == [])
        #expect(world.elapsed == .zero)
    }

    @Test func idleWaitsForAllThatIsReadyAndForNoTimer() throws {
        setTimers([5])
        try world.run { [world, notes] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<3 {
                        await Task.yield()
                        notes.add("step \(number)")
                    }
                }
                await world.idle()
                notes.add("idle")
            }
        }
        #expect(notes.all == ["step 0", "step 1", "step 2", "idle"])
    }

    @Test func endsACancelledSleepAtOnce() throws {
        try world.run { [world, notes] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await world.sleep(for: .seconds(9))
                    } catch {
                        notes.add("\(error is CancellationError)")
                    }
                }
                await world.idle()
                group.cancelAll()
            }
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask {
                    do {
                        try await world.sleep(for: .seconds(9))
                    } catch {
                        notes.add("\(error is CancellationError)")
                    }
                }
            }
        }
        #expect(notes.all == ["true", "true"])
        #expect(world.elapsed == .zero)
    }

    @Test func endsItsSleepsWhenItGoes() {
        var mortal: TestWorld? = TestWorld()
        let sleep = mortal?.environment.sleep
        mortal?.environment.launch { [notes] in
            try? await sleep?(EngineInstant(monotonic: .seconds(9), wall: .now))
            notes.add("ended")
        }
        try? mortal?.runUntilIdle()
        #expect(notes.all == [])
        mortal = nil
        #expect(notes.all == ["ended"])
    }

    @Test func shiftsTheWallClockWithoutPassingTime() {
        world.shiftWallClock(by: .seconds(-3600))
        #expect(world.time == Timestamp(millisecondsSince1970: 1_799_996_400_000))
        #expect(world.elapsed == .zero)
    }

    /// Starts tasks that wait so many seconds and note it.
    private func setTimers(_ seconds: [Int]) {
        for second in seconds {
            world.environment.launch { [world, notes] in
                try? await world.sleep(for: .seconds(second))
                notes.add("\(second)")
            }
        }
    }
}

struct TestWorldErrorTests {
    private let world = TestWorld()

    @Test func aClosureThatWaitsForNothingIsADeadlock() throws {
        let error = try #require(throws: TestWorldError.self) {
            try world.run { await never() }
        }
        #expect(error.reason == .deadlock)
        #expect("\(error)".contains("no job is ready and no timer is set"))
    }

    @Test func aTaskOutsideOfTheWorldIsNamedAsALikelyCause() throws {
        let error = try #require(throws: TestWorldError.self) {
            try world.run {
                await Task { await never() }.value
            }
        }
        #expect("\(error)".contains("Task {}"))
    }

    @Test func workThatAnotherThreadGoesOnWithHasEscaped() throws {
        let error = try #require(throws: TestWorldError.self) {
            try world.run { [world] in
                onAnotherThread { world.environment.launch {} }
            }
        }
        #expect(error.reason == .escaped)
    }

    @Test func timersThatGoOnForEverEndAtTheLimit() throws {
        world.environment.launch { [world] in
            while true { try? await world.sleep(for: .seconds(60)) }
        }
        let error = try #require(throws: TestWorldError.self) {
            try world.run(timeLimit: .seconds(120)) { await never() }
        }
        #expect(error.reason == .timeLimit)
        #expect(error.elapsed == .seconds(120))
    }

    @Test func jobsWithoutEndAreCounted() throws {
        let world = TestWorld(jobCountMax: 1000)
        let error = try #require(throws: TestWorldError.self) {
            try world.run { while true { await Task.yield() } }
        }
        #expect(error.reason == .endlessJobs)
        #expect(error.jobCount == 1000)
    }

    @Test func aWorldDoesNotRunInsideItself() throws {
        let error = try #require(throws: TestWorldError.self) {
            try world.run { [world] in try world.advance(by: .seconds(1)) }
        }
        #expect(error.reason == .alreadyRunning)
        #expect(try world.run { 1 } == 1)
    }
}

struct JobOrderTests {
    private func turns(seed: UInt64, order: TestWorld.JobOrder) throws -> [String] {
        let world = TestWorld(seed: seed, order: order)
        let notes = Notes()
        try world.run {
            await withTaskGroup(of: Void.self) { group in
                for name in ["a", "b", "c", "d"] {
                    group.addTask {
                        for _ in 0..<2 {
                            notes.add(name)
                            await Task.yield()
                        }
                    }
                }
            }
        }
        return notes.all
    }

    @Test func takesTheJobThatHasWaitedLongest() throws {
        #expect(
            try turns(seed: 1, order: .firstInFirstOut) == ["a", "b", "c", "d", "a", "b", "c", "d"]
        )
    }

    @Test func aSeedGivesOneOrderAndOthersOtherOrders() throws {
        let orders = try (0..<10).map { try turns(seed: $0, order: .shuffled) }
        #expect(try (0..<10).map { try turns(seed: $0, order: .shuffled) } == orders)
        #expect(Set(orders).count > 5)
    }
}

/// Waits for what never comes; ends when its task is cancelled.
private func never() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    continuation.finish()
}

/// Does something on a thread of its own, and returns when it is done.
private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        end.signal()
    }
    thread.start()
    end.wait()
}
