import MemoryCloud
import RecordSync
import Synchronization

/// The figures of `recordsync bench engine`: the engine's CPU time beside that of a bare loop.
///
/// The loop makes the same calls to the same kind of server. It takes records from a list and
/// throws the answers to its sends away, as no app could.
struct EngineReport {
    private(set) var lines: [String] = []
    private(set) var verdict = BenchVerdict()
    private(set) var data: Data

    /// Turn and turn about, so that what else the machine does meets both.
    private static let roundCount = 7

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
        for round in 1...Self.roundCount {
            output.showProgress("round \(round) of \(Self.roundCount): the bare loop")
            loopTimes.append(BareLoop(recordCount: recordCount).run())
            output.showProgress("round \(round) of \(Self.roundCount): the engine")
            engineTimes.append(EngineRun(recordCount: recordCount).run())
        }
        output.clearProgress()
        // What disturbs the machine lasts longer than a round: each engine is set beside the loop
        // that ran just before it, and the middle pair counts.
        let engine = engineTimes.map { $0.nanoseconds / 1e9 }
        let loop = loopTimes.map { $0.nanoseconds / 1e9 }
        data = Data(
            records: recordCount,
            engineSeconds: engine.median,
            loopSeconds: loop.median,
            ratio: zip(engine, loop).map(/).median
        )
        lines.append("\(recordCount) records sent by one device and fetched by another:")
        lines.append(
            "median of \(Self.roundCount): engine \(rounded(data.engineSeconds)) s, "
                + "bare loop \(rounded(data.loopSeconds)) s of CPU time"
        )
        verdict.add("engine's time in the bare loop's", data.ratio, atMost: 1.5)
        lines += verdict.rows.map(\.line)
    }
}

extension [Double] {
    /// The middle one in order; zero if there is none.
    fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
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

/// The same requests without an engine: what the server takes, and storing what was fetched.
private struct BareLoop {
    let recordCount: Int

    func run() -> Duration {
        let thread = BenchThread()
        let cloud = InMemoryCloud()
        let sender = cloud.database(.private, account: "bench", device: "A")
        let receiver = cloud.database(.private, account: "bench", device: "B")
        let store = Mutex<[Record.ID: Record]>([:])
        let records = (0..<recordCount).map { number in
            var record = Record(recordType: "Note", recordID: Bench.id(number))
            record["text"] = "note \(number)"
            return record
        }
        return BenchThread.measure {
            thread.run {
                do {
                    _ = try await sender.accountStatus()
                    try await send(records, to: sender)
                    try await fetch(from: receiver, into: store)
                } catch {
                    preconditionFailure("the cloud answered \(error)")
                }
            }
        }
    }

    private func send(_ records: [Record], to database: any SyncDatabase) async throws {
        let zones = ModifyZonesRequest(zonesToSave: [Notes.zone])
        _ = try await database.modifyZones(zones, account: "bench")
        for start in stride(from: 0, to: records.count, by: 250) {
            let batch = Array(records[start..<min(start + 250, records.count)])
            let request = ModifyRecordsRequest(
                recordsToSave: batch,
                idempotencyKey: IdempotencyKey(
                    writer: WriterID(high: 1, low: 1),
                    number: UInt64(start)
                )
            )
            _ = try await database.modifyRecords(request, account: "bench")
        }
    }

    private func fetch(
        from database: any SyncDatabase,
        into store: borrowing Mutex<[Record.ID: Record]>
    ) async throws {
        _ = try await database.databaseChanges(.init(since: nil), account: "bench")
        var token: ServerChangeToken?
        var moreComing = true
        while moreComing {
            let page = try await database.zoneChanges(
                .init(zoneID: Notes.zone.zoneID, since: token),
                account: "bench"
            )
            store.withLock { store in
                for change in page.modifications {
                    store[change.record.recordID] = change.record
                }
            }
            (token, moreComing) = (page.changeToken, page.moreComing)
        }
    }
}
