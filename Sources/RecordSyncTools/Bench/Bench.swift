import RecordSync
import Synchronization

/// An engine with the README's delegate, on a thread of its own and a server that takes all.
struct Bench {
    static let excludedZone = RecordZone.ID(zoneName: "Excluded")

    let thread: BenchThread
    let database = BenchDatabase()
    let delegate = MeteredNotes()
    let engine: SyncEngine

    init(thread: BenchThread, isAutomatic: Bool = false) {
        self.thread = thread
        var configuration = SyncEngine.Configuration(
            database: database,
            stateSerialization: nil,
            delegate: delegate
        )
        configuration.automaticallySync = isAutomatic
        configuration.environment.executor = thread
        // Nothing but the measured steps: no timer comes in between, but what is due at once.
        let now = configuration.environment.now
        configuration.environment.sleep = { instant in
            guard instant > now() else { return }
            try await Task.sleep(for: .seconds(86_400))
        }
        engine = SyncEngine(configuration)
    }

    /// A name as long as a UUID, in an order that looks random.
    static func id(_ number: Int, in zoneID: RecordZone.ID = Notes.zone.zoneID) -> Record.ID {
        let scattered = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        let digits = String(scattered, radix: 16)
        let name = String(repeating: "0", count: 16 - digits.count) + digits
        return Record.ID(recordName: "\(name)-4000-8000-\(name.prefix(9))", zoneID: zoneID)
    }

    /// Writes `count` notes, nine of ten of them in the excluded zone if asked, these first.
    ///
    /// At least so many may be sent that each measured batch is full.
    func fill(_ count: Int, excludesMost: Bool) {
        let excludedCount = excludesMost ? count / 10 * 9 : 0
        let sentCount = max(count - excludedCount, PendingBench.batchCount * 250)
        for number in 0..<excludedCount + sentCount {
            let zoneID = number < excludedCount ? Self.excludedZone : Notes.zone.zoneID
            let id = Self.id(number, in: zoneID)
            delegate.notes.records.withLock { records in
                var record = Record(recordType: "Note", recordID: id)
                record["text"] = "note \(number)"
                records[id] = record
            }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }
    }

    func send(_ options: SendChangesOptions, batchCountMax: Int) {
        let (engine, delegate) = (engine, delegate)
        delegate.limitBatches(to: batchCountMax)
        thread.run {
            do {
                try await engine.sendChanges(options)
            } catch {
                preconditionFailure("a server that takes all answered \(error)")
            }
        }
    }

    /// Lets an automatic engine do what is due: it launches, and sends by itself.
    func letSend(batchCountMax: Int) {
        delegate.limitBatches(to: batchCountMax)
        thread.run {}
    }

    /// From each answer of the server to the next question for a batch.
    var answerTimes: [Duration] {
        let questions = delegate.questionTimes
        return database.answers.withLock { $0 }.compactMap { answer in
            questions.first { $0 > answer }.map { $0 - answer }
        }
    }
}
