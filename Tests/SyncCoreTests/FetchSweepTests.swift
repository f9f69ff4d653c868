import RecordModel
import SyncCore
import Synchronization
import TestSupport
import Testing

/// Something disturbs a send and a fetch at each of their points; afterwards all is well again.
@Suite struct FetchSweepTests {
    enum Disturbance: CaseIterable {
        case cancelled, abandonedSend, abandonedFetch, thrown, thrownTwice, relaunched
        case requestsFailed, requestsLost, throttled, expired, woken, edited, zoneDeleted
    }

    /// A device with a send and a fetch under way that meet in a zone: `steps` are behind them.
    private func device(after steps: Int, isAutomatic: Bool) -> CoreFixture {
        var device = CoreFixture(
            isAutomatic: isAutomatic,
            limits: RequestLimits(batchCountMax: 2, batchByteCountMax: 100_000)
        )
        device.server.pageCountMax = 2
        device.edit(note("own"))
        device.send()
        for name in ["x", "y", "z"] {
            device.server.saveElsewhere(record(note(name)))
            device.server.saveElsewhere(record(note(name, in: tasks)))
        }
        for name in ["a", "b", "own"] { device.edit(note(name)) }
        device.edit(note("c", in: tasks))
        device.callSend()
        device.callFetch()
        var left = steps
        device.run { _ in
            left -= 1
            return left < 0
        }
        return device
    }

    private func disturb(_ device: inout CoreFixture, _ disturbance: Disturbance) {
        switch disturbance {
        case .cancelled: device.handle(.operationsCancelled)
        case .abandonedSend: device.handle(.callAbandoned(CallID(3)))
        case .abandonedFetch: device.handle(.callAbandoned(CallID(4)))
        case .thrown, .thrownTwice:
            if disturbance == .thrownTwice {
                let left = Box(2)
                device.onEvent = { _, _ in left.take() }
            }
            device.handleEvent(throwing: true)
            device.throwInQuestion()
        case .relaunched: device = device.relaunched()
        case .requestsFailed: fail(&device, SyncError(.networkUnavailable))
        case .requestsLost: fail(&device, SyncError(.networkFailure))
        case .throttled: fail(&device, SyncError(.serviceUnavailable, retryAfterSeconds: 20))
        case .expired: fail(&device, SyncError(.changeTokenExpired), onlyFetches: true)
        case .woken:
            device.handle(.notificationReceived)
            device.wake()
        case .edited: device.edit(note("a"), note("own"), note("late"))
        case .zoneDeleted: device.server.deleteZoneElsewhere(tasks)
        }
    }

    /// Everything that was asked fails, with no effect on the server.
    private func fail(
        _ device: inout CoreFixture,
        _ error: SyncError,
        onlyFetches: Bool = false
    ) {
        let requests = device.requests.filter { !onlyFetches || $0.isFetch }
        device.requests.removeAll { !onlyFetches || $0.isFetch }
        for request in requests {
            if let input = request.failing(error) { device.handle(input) }
        }
    }

    /// Lets everything come to rest, by calls too, and finds what is wrong then.
    private func faults(
        _ disturbance: Disturbance,
        after steps: Int,
        isAutomatic: Bool
    ) -> [String] {
        var device = device(after: steps, isAutomatic: isAutomatic)
        disturb(&device, disturbance)
        device.run()
        device.onEvent = { _, _ in false }
        device.advance(by: .seconds(30))
        if isAutomatic { device.settle() }
        for _ in 1...3 {
            device.fetch()
            device.send()
        }
        var faults = device.faults + bracketFaults(device)
        let calls = disturbance == .relaunched ? 6 : 8 - 1
        if device.ended.count < calls { faults.append("only \(device.ended.count) calls ended") }
        if !device.pending.isEmpty { faults.append("still pending: \(device.pending)") }
        if !device.core.state.openSends.isEmpty { faults.append("a send is open") }
        if !device.core.zoneIDsWithUnfetchedChanges.isEmpty { faults.append("not all fetched") }
        faults += difference(device, disturbance)
        return faults
    }

    private func difference(_ device: CoreFixture, _ disturbance: Disturbance) -> [String] {
        // A small app: it does not remove the records of a zone that is gone.
        let zones = disturbance == .zoneDeleted ? [notes] : [notes, tasks]
        let mine = device.records.filter { zones.contains($0.key.zoneID) }.mapValues(version)
        let theirs = device.server.records.filter { zones.contains($0.key.zoneID) }
            .mapValues(version)
        guard mine != theirs else { return [] }
        return ["the app has \(mine), the server \(theirs)"]
    }

    private func version(_ record: Record) -> Int? { record["version"] }

    private func bracketFaults(_ device: CoreFixture) -> [String] {
        ["FetchChanges", "SendChanges", "FetchRecordZoneChanges"].flatMap { name -> [String] in
            let signs = device.words.compactMap { word -> Int? in
                if word.hasPrefix("deliver will\(name)(") { return 1 }
                return word.hasPrefix("deliver did\(name)(") ? -1 : nil
            }
            var depth = 0
            let depths = signs.map { sign in
                depth += sign
                return depth
            }
            let isSound = depths.allSatisfy { $0 == 0 || $0 == 1 } && depth == 0
            return isSound ? [] : ["\(name): \(depths)"]
        }
    }

    @Test(
        .holds("S19", "P3", "P5", "P6", "P7", "P9", "H60", "H61"),
        arguments: Disturbance.allCases,
        [false, true]
    )
    func comesToTheSameEndWhereverItIsDisturbed(disturbance: Disturbance, isAutomatic: Bool) {
        for steps in 0..<60 {
            let faults = faults(disturbance, after: steps, isAutomatic: isAutomatic)
            #expect(faults == [], "after \(steps) steps")
        }
    }
}

/// Counts down in a handler.
private final class Box: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left > 0
        }
    }
}

extension EngineEffect {
    fileprivate var isFetch: Bool {
        switch self {
        case .fetchDatabaseChanges, .fetchZoneChanges: true
        case .askAccount, .modifyZones, .modifyRecords, .askOutcome, .asset, .cancelRequest,
            .deliver,
            .requestBatch, .requestFetchOptions, .endCall:
            false
        }
    }

    /// The input that says that this request failed.
    fileprivate func failing(_ error: SyncError) -> EngineInput? {
        switch self {
        case .askAccount(let id): .accountStatusReceived(id, .failure(error))
        case .fetchDatabaseChanges(let id, _, _): .databaseChangesFetched(id, .failure(error))
        case .fetchZoneChanges(let id, _, _): .zoneChangesFetched(id, .failure(error))
        case .modifyZones(let id, _, _): .zonesModified(id, .failure(error))
        case .modifyRecords(let id, _, _): .recordsModified(id, .failure(error))
        case .askOutcome(let id, _, _): .outcomeReceived(id, .failure(error))
        case .asset, .cancelRequest, .deliver, .requestBatch, .requestFetchOptions, .endCall: nil
        }
    }
}
