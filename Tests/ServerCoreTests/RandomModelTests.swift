import RecordModel
import ServerCore
import ServerStorageConformance
import TestSupport
import Testing

/// Random requests of two devices, against a plain model of what the server must have.
struct RandomModelTests {
    @Test(.holds("I9", "I10", "I12", "H35", "H43"), arguments: 0..<40)
    func agreesWithASimpleModel(seed: Int) throws {
        var run = try RandomRun(seed: UInt64(seed))
        for _ in 0..<120 { try run.step() }
        try run.finish()
    }
}

/// A server, the model of its records, and readers that page through its feeds.
private struct RandomRun {
    private var fixture: ServerFixture
    private var generator: SeededGenerator
    /// What must be there: text and change tag by name.
    private var model: [String: Version] = [:]
    /// What each reader has, from its pages alone.
    private var readers: [Reader] = []
    /// Every change tag that a name ever had.
    private var usedTags: [String: Set<String>] = [:]
    private var lastDates: [String: Timestamp] = [:]
    private var stepCount = 0

    private struct Version: Equatable {
        var text: String
        var record: Record
    }

    private struct Reader {
        var token: ServerChangeToken?
        var texts: [String: String] = [:]
        var isAtHead = false
    }

    init(seed: UInt64) throws {
        fixture = try ServerFixture { $0.tombstoneRetentionMilliseconds = 5_000 }
        generator = SeededGenerator(seed: seed)
        readers = [Reader(), Reader(), Reader()]
    }

    mutating func step() throws {
        stepCount += 1
        fixture.now.millisecondsSince1970 += Int64.random(in: -500...1500, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: try write()
        case 5..<9: try read(readers.indices.randomElement(using: &generator) ?? 0)
        default: try fixture.server.removeExpired(at: fixture.now)
        }
    }

    mutating func finish() throws {
        for reader in readers.indices {
            repeat { try read(reader) } while !readers[reader].isAtHead
            #expect(readers[reader].texts == model.mapValues(\.text))
        }
    }

    private mutating func write() throws {
        let names = (0..<8).map { "\($0)" }.shuffled(using: &generator)
        let count = Int.random(in: 1...4, using: &generator)
        var saves: [Record] = []
        var doomed: [RecordDeletion] = []
        for name in names.prefix(count) {
            if Int.random(in: 0..<3, using: &generator) == 0 {
                doomed.append(RecordDeletion(recordID: id(name)))
            } else {
                saves.append(edit(of: name))
            }
        }
        let isAtomic = Bool.random(using: &generator)
        let caller = Bool.random(using: &generator) ? phone : laptop
        let expected = saves.map { expectedCode(of: $0) }
        let reply = try fixture.send(saves, deleting: doomed, from: caller, isAtomic: isAtomic)
        let isRefused = isAtomic && expected.contains { $0 != nil }
        #expect(
            reply.saveCodes == expected.map { $0 ?? (isRefused ? .batchRequestFailed : nil) }
        )
        for result in reply.saveResults { if case .success(let record) = result { note(record) } }
        guard !isRefused else { return }
        for deletion in doomed { model[deletion.recordID.recordName] = nil }
    }

    /// A save over the present version, over none, or over one that is gone.
    private mutating func edit(of name: String) -> Record {
        var record = model[name]?.record ?? Record(recordType: "Note", recordID: id(name))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: record = Record(recordType: "Note", recordID: id(name))
        case 1:
            let fields = Record.SystemFields(
                recordType: "Note",
                recordID: id(name),
                recordChangeTag: "stale"
            )
            record = Record(systemFields: fields)
        default: break
        }
        record["text"] = "\(stepCount) of \(name)"
        return record
    }

    private func expectedCode(of save: Record) -> SyncError.Code? {
        guard let version = model[save.recordID.recordName] else {
            return save.recordChangeTag == nil ? nil : .unknownItem
        }
        let isCurrent = save.recordChangeTag == version.record.recordChangeTag
        return isCurrent ? nil : .serverRecordChanged
    }

    private mutating func note(_ record: Record) {
        let name = record.recordID.recordName
        let tag = record.recordChangeTag ?? ""
        #expect(usedTags[name, default: []].insert(tag).inserted)
        if let date = record.modification?.timestamp, model[name] != nil {
            #expect(lastDates[name].map { $0 < date } ?? true)
        }
        lastDates[name] = record.modification?.timestamp
        model[name] = Version(text: record["text"] ?? "", record: record)
    }

    private mutating func read(_ place: Int) throws {
        var reader = readers[place]
        let limit = Int.random(in: 1...5, using: &generator)
        do {
            let page = try fixture.page(since: reader.token, limit: limit)
            #expect(page.modifications.count + page.deletions.count <= limit)
            let changed = page.savedNames + page.deletedNames
            #expect(Set(changed).count == changed.count)
            for change in page.modifications {
                reader.texts[change.record.recordID.recordName] = change.record["text"]
            }
            for name in page.deletedNames { reader.texts[name] = nil }
            reader.token = page.changeToken
            reader.isAtHead = !page.moreComing
            if reader.isAtHead { #expect(reader.texts == model.mapValues(\.text)) }
        } catch let error as SyncError where error.code == .changeTokenExpired {
            reader = Reader()
        }
        readers[place] = reader
    }
}
