import MemoryCloud
import RecordSync
import Synchronization

/// The figures of `recordsync bench engine`: the engine's CPU time beside that of a bare loop.
///
/// The loop makes the same calls to the same kind of server, and keeps the same records.
struct EngineReport {
    private(set) var lines: [String] = []
    private(set) var verdict = BenchVerdict()
    private(set) var data: Data

    /// The figures as JSON.
    struct Data: Encodable {
        var records: Int
        var engineSeconds: Double
        var loopSeconds: Double
        var ratio: Double
    }

    init(recordCount: Int, _ output: Output) async throws {
        var engineTimes: [Duration] = []
        var loopTimes: [Duration] = []
        for round in 1...3 {
            output.showProgress("round \(round) of 3: the bare loop")
            loopTimes.append(BareLoop(recordCount: recordCount).run())
            output.showProgress("round \(round) of 3: the engine")
            engineTimes.append(EngineRun(recordCount: recordCount).run())
        }
        output.clearProgress()
        let engine = (engineTimes.min() ?? .zero).nanoseconds / 1e9
        let loop = (loopTimes.min() ?? .zero).nanoseconds / 1e9
        data = Data(
            records: recordCount,
            engineSeconds: engine,
            loopSeconds: loop,
            ratio: engine / loop
        )
        lines.append("\(recordCount) records sent by one device and fetched by another, best of 3:")
        lines.append("engine \(rounded(engine)) s, bare loop \(rounded(loop)) s of CPU time")
        verdict.add("engine's time in the bare loop's", data.ratio, atMost: 1.5)
        lines += verdict.rows.map(\.line)
    }
}

/// Two engines with the README's delegate.
private struct EngineRun {
    let recordCount: Int

    func run() -> Duration {
        let thread = BenchThread()
        let cloud = InMemoryCloud()
        let (sender, receiver) = (Notes(), Notes())
        let sending = engine(sender, cloud, "A", thread)
        let receiving = engine(receiver, cloud, "B", thread)
        for number in 0..<recordCount {
            sender.write(Bench.id(number).recordName, "note \(number)", sending)
        }
        let time = BenchThread.measure {
            thread.run {
                do {
                    try await sending.sendChanges()
                    try await receiving.fetchChanges()
                } catch {
                    preconditionFailure("the cloud answered \(error)")
                }
            }
        }
        let received = receiver.records.withLock { $0.count }
        precondition(received == recordCount, "\(received) of \(recordCount) records arrived")
        return time
    }

    private func engine(
        _ notes: Notes,
        _ cloud: InMemoryCloud,
        _ device: String,
        _ thread: BenchThread
    ) -> SyncEngine {
        var configuration = SyncEngine.Configuration(
            database: cloud.database(.private, account: "bench", device: device),
            stateSerialization: nil,
            delegate: notes
        )
        configuration.automaticallySync = false
        configuration.environment.executor = thread
        configuration.environment.sleep = { _ in try await Task.sleep(for: .seconds(86_400)) }
        return SyncEngine(configuration)
    }
}

/// The same requests without an engine.
///
/// What any client does that makes the same calls and keeps the same records, the tags of what it
/// sent included.
private struct BareLoop {
    let recordCount: Int

    func run() -> Duration {
        let thread = BenchThread()
        let cloud = InMemoryCloud()
        let sender = cloud.database(.private, account: "bench", device: "A")
        let receiver = cloud.database(.private, account: "bench", device: "B")
        let (sent, received) = (Notes(), Notes())
        let names = (0..<recordCount).map { Bench.id($0) }
        for (number, id) in names.enumerated() {
            var record = Record(recordType: "Note", recordID: id)
            record["text"] = "note \(number)"
            sent.records.withLock { $0[id] = record }
        }
        return BenchThread.measure {
            thread.run {
                do {
                    _ = try await sender.accountStatus()
                    try await send(names, of: sent, to: sender)
                    try await fetch(from: receiver, into: received)
                } catch {
                    preconditionFailure("the cloud answered \(error)")
                }
            }
        }
    }

    private func send(
        _ names: [Record.ID],
        of notes: Notes,
        to database: any SyncDatabase
    ) async throws {
        let zones = ModifyZonesRequest(zonesToSave: [Notes.zone])
        _ = try await database.modifyZones(zones, account: "bench")
        for start in stride(from: 0, to: names.count, by: 250) {
            let batch = names[start..<min(start + 250, names.count)]
            let request = ModifyRecordsRequest(
                recordsToSave: notes.records.withLock { records in
                    batch.compactMap { records[$0] }
                },
                idempotencyKey: IdempotencyKey(
                    writer: WriterID(high: 1, low: 1),
                    number: UInt64(start)
                )
            )
            let reply = try await database.modifyRecords(request, account: "bench")
            for result in reply.saveResults { notes.keep(try result.get()) }
        }
    }

    private func fetch(from database: any SyncDatabase, into notes: Notes) async throws {
        _ = try await database.databaseChanges(.init(since: nil), account: "bench")
        var token: ServerChangeToken?
        var moreComing = true
        while moreComing {
            let page = try await database.zoneChanges(
                .init(zoneID: Notes.zone.zoneID, since: token),
                account: "bench"
            )
            for change in page.modifications { notes.keep(change.record) }
            (token, moreComing) = (page.changeToken, page.moreComing)
        }
    }
}

extension Notes {
    /// Keeps a version of the server, as the engine's delegate does.
    fileprivate func keep(_ new: Record) {
        records.withLock { $0[new.recordID] = $0[new.recordID]?.rebased(onLatest: new) ?? new }
    }
}
