import RecordSync
import RecordSyncHTTP
import Synchronization

/// The figures of `recordsync bench latency`: how long a change is on its way from one device to
/// another.
///
/// Two engines sync by themselves with a server on SQLite that is a round trip of 100 ms away. Each
/// edit comes after a rest, so that no window for gathering adds to it.
struct LatencyReport {
    private(set) var lines: [String] = []
    private(set) var verdict = BenchVerdict()
    private(set) var data: Data

    private static let roundTrip = Duration.milliseconds(100)
    /// Longer than the window in which edits and notifications are gathered.
    private static let rest = Duration.milliseconds(2_500)

    /// The figures as JSON, in milliseconds.
    struct Data: Encodable {
        var edits: Int
        var roundTrip: Double
        var median: Double
        var percentile95: Double
    }

    init(editCount: Int, _ output: Output) async throws {
        let server = try BenchServer()
        let proxy = try DelayProxy(to: server.port, roundTrip: Self.roundTrip)
        let (writer, reader) = (Notes(), Arrivals())
        let sending = try Self.engine("writer", writer, proxy)
        let receiving = try Self.engine("reader", reader, proxy)
        var times: [Double] = []
        for number in 0...editCount {
            output.showProgress("edit \(number) of \(editCount)")
            try await Task.sleep(for: Self.rest)
            let name = "note-\(number)"
            let start = ContinuousClock.now
            writer.write(name, "text", sending)
            let arrival = try await reader.arrival(of: name)
            // The first makes the zone.
            if number > 0 { times.append(start.duration(to: arrival).nanoseconds / 1e6) }
        }
        output.clearProgress()
        await sending.cancelOperations()
        await receiving.cancelOperations()
        proxy.end()
        server.end()
        times.sort()
        data = Data(
            edits: editCount,
            roundTrip: Self.roundTrip.nanoseconds / 1e6,
            median: times[times.count / 2],
            percentile95: times[min(times.count - 1, times.count * 95 / 100)]
        )
        lines.append("\(editCount) edits, from one device's edit to the other's delegate,")
        lines.append("each with a server that is a round trip of \(Self.roundTrip) away:")
        lines.append("median \(rounded(data.median)) ms")
        verdict.add("95th percentile in milliseconds", data.percentile95, atMost: 420)
        lines += verdict.rows.map(\.line)
    }

    private static func engine(
        _ name: String,
        _ delegate: any SyncEngineDelegate,
        _ proxy: DelayProxy
    ) throws -> SyncEngine {
        let server = try RemoteServer("http://127.0.0.1:\(proxy.port)", deviceName: name)
        var configuration = SyncEngine.Configuration(
            database: server.database(.private),
            stateSerialization: nil,
            delegate: delegate
        )
        // A busy machine makes an engine wait; the way of an edit is what is measured.
        configuration.conditionsMonitor = nil
        return SyncEngine(configuration)
    }
}

/// The README's delegate, which notes when each record came.
private final class Arrivals: SyncEngineDelegate {
    private let notes = Notes()
    private let instants = Mutex<[String: ContinuousClock.Instant]>([:])

    /// When a record came; waits for it for half a minute at most.
    func arrival(of name: String) async throws -> ContinuousClock.Instant {
        for _ in 0..<6_000 {
            if let instant = instants.withLock({ $0[name] }) { return instant }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw JobError("\(name) did not come within 30 seconds")
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        if case .fetchedRecordZoneChanges(let changes) = event {
            let now = ContinuousClock.now
            instants.withLock { instants in
                for change in changes.modifications {
                    instants[change.record.recordID.recordName] = now
                }
            }
        }
        await notes.handleEvent(event, syncEngine: syncEngine)
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await notes.nextRecordZoneChangeBatch(context, syncEngine: syncEngine)
    }
}
