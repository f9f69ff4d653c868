internal import MemoryCloud
internal import RecordModel
internal import RecordSync
internal import SyncCore

/// Three devices of one account, from the first import to the moment at which all have the same.
struct DemoRun {
    private let input: DemoInput
    private let fields: DemoFields
    private let progress: DemoProgress
    /// Gives each device its connection.
    private let database: @Sendable (String) -> any SyncDatabase
    /// A imports and edits, B creates and edits, C deletes.
    private var devices: [DemoDevice] = []
    private var relaunchStates: [(name: String, state: StateSerialization)] = []
    private var edits: [DemoEdit] = []

    static let deviceNames = ["A", "B", "C"]
    /// Who looks at the server's records at the end, without an engine.
    static let auditorName = "auditor"
    private static let roundCountMax = 10

    /// Makes a run over connections that are given, each device by its name; otherwise over a cloud
    /// in memory.
    init(
        _ input: DemoInput,
        progress: DemoProgress,
        database: (@Sendable (String) -> any SyncDatabase)? = nil
    ) {
        let cloud = InMemoryCloud()
        self.database =
            database ?? { cloud.database(.private, account: "demo", device: $0) }
        self.input = input
        self.progress = progress
        fields = DemoFields(unusedIn: input.records)
    }

    /// Does all of it; `isSabotaged` loses a record on C that no engine hears of.
    mutating func run(isSabotaged: Bool) async throws -> DemoResult {
        let start = ContinuousClock.now
        try await importOnA()
        try await createOnB()
        workOffline()
        try relaunch()
        try await sendEverything()
        let isSettled = try await converge()
        if isSabotaged, let lost = devices[2].contents.sortedRecords.last?.recordID {
            devices[2].lose(lost)
        }
        progress.begin("comparing the stores with the server")
        let server = try await allRecords(in: database(Self.auditorName))
        progress.end()
        return DemoResult(
            input: input,
            devices: devices.map { DemoResult.Device(name: $0.name, store: $0.contents) },
            server: DemoImage(of: server),
            isSettled: isSettled,
            brokenMerges: brokenMerges(in: server),
            relaunchStates: relaunchStates,
            seconds: (ContinuousClock.now - start).inSeconds
        )
    }

    private func launch(_ name: String, zoneIDs: [RecordZone.ID] = []) -> DemoDevice {
        DemoDevice(
            name,
            database: database(name),
            fields: fields,
            zoneIDs: zoneIDs,
            progress: progress
        )
    }

    private mutating func importOnA() async throws {
        let count = input.records.count
        progress.begin("A imports \(count) records", total: count)
        devices = [launch("A", zoneIDs: input.zoneIDs), launch("B"), launch("C")]
        devices[0].importRecords(input.records)
        try await devices[0].sendAll()
        for device in devices.dropFirst() {
            let sentCount = devices[0].contents.diary.sentRecordCount
            progress.begin("\(device.name) receives them", total: sentCount)
            try await device.fetch()
        }
    }

    private var importedIDs: Set<Record.ID> { Set(input.records.map(\.recordID)) }

    private func createOnB() async throws {
        progress.begin("B creates records")
        let plan = DemoPlan(devices[1].contents.sortedRecords, importedIDs: importedIDs)
        devices[1].create(plan.newRecords(in: input.zoneIDs, fields))
        try await devices[1].sendAll()
        try await devices[0].fetch()
        try await devices[2].fetch()
    }

    /// Everybody works without a connection: A and B on the same records.
    private mutating func workOffline() {
        progress.begin("all work offline: A and B edit the same records, C deletes some")
        let plan = DemoPlan(devices[0].contents.sortedRecords, importedIDs: importedIDs)
        let editedIDs = plan.editedIDs
        for (place, id) in editedIDs.enumerated() {
            // By turns, the later edit is B's and A's.
            let isBLater = place.isMultiple(of: 2)
            let numbers = isBLater ? (2 * place + 1, 2 * place + 2) : (2 * place + 2, 2 * place + 1)
            edits.append(DemoEdit(recordID: id, device: "A", number: numbers.0))
            edits.append(DemoEdit(recordID: id, device: "B", number: numbers.1))
        }
        for device in devices.prefix(2) { device.make(edits.filter { $0.device == device.name }) }
        devices[2].delete(plan.deletedIDs(besides: editedIDs))
    }

    /// The devices that come last end and start again, with their changes still pending.
    private mutating func relaunch() throws {
        for place in [1, 2] where devices[place].hasPendingChanges {
            let device = devices[place]
            progress.begin("\(device.name) relaunches from its stored state")
            if let state = device.contents.state { relaunchStates.append((device.name, state)) }
            devices[place] = try device.relaunched()
        }
    }

    private func sendEverything() async throws {
        for device in devices {
            progress.begin("\(device.name) sends what it did offline")
            try await device.sendAll()
        }
    }

    /// Fetches and sends until nobody has news; false if there is no end of it.
    private func converge() async throws -> Bool {
        progress.begin("all fetch what the others did")
        for _ in 0..<Self.roundCountMax {
            let before = devices.map(\.contents.diary.fetchedCount)
            for device in devices {
                if device.hasPendingChanges { try await device.sendAll() }
                try await device.fetch()
            }
            let isQuiet = devices.map(\.contents.diary.fetchedCount) == before
            if isQuiet, !devices.contains(where: \.hasPendingChanges) { return true }
        }
        return false
    }

    /// The records that were edited on two devices and do not have the notes of both and the text
    /// of the later edit.
    private func brokenMerges(in server: [Record]) -> [Record.ID] {
        let later = Dictionary(grouping: edits, by: \.recordID).compactMapValues { edits in
            edits.max { $0.number < $1.number }
        }
        return server.filter { record in
            guard let edit = later[record.recordID] else { return false }
            var expected = record
            edit.apply(to: &expected, fields)
            let notes: [String?] = ["A", "B"].map { record[fields.note(of: $0)] }
            return expected.contentDigest != record.contentDigest || notes.contains(nil)
        }.map(\.recordID)
    }
}

extension DemoDiary {
    fileprivate var fetchedCount: Int { fetchedRecordCount + fetchedDeletionCount }
}
