internal import RecordModel
internal import SyncCore

/// What came out of a demonstration, and whether it is what it must be.
struct DemoResult: Sendable {
    /// A device at the end.
    struct Device: Sendable {
        let name: String
        let diary: DemoDiary
        let image: DemoImage
        let state: StateSerialization?

        init(name: String, store: DemoStore) {
            self.name = name
            diary = store.diary
            image = DemoImage(of: store.sortedRecords)
            state = store.state
        }
    }

    let input: DemoInput
    let devices: [Device]
    let server: DemoImage
    /// True if nobody had anything to send or to fetch any more.
    let isSettled: Bool
    /// Records on which both devices' edits do not stand as they should.
    let brokenMerges: [Record.ID]
    /// The states from which devices were relaunched.
    let relaunchStates: [(name: String, state: StateSerialization)]
    let seconds: Double

    /// Changes that the server refused for good.
    var refusals: [DemoRefusal] { devices.flatMap(\.diary.refusals) }

    var importedCount: Int {
        let refusedIDs = Set(refusals.map(\.recordID))
        return input.records.count { !refusedIDs.contains($0.recordID) }
    }

    var createdCount: Int { devices.reduce(0) { $0 + $1.diary.createdCount } }
    var deletedCount: Int { devices.reduce(0) { $0 + $1.diary.sentDeletionCount } }
    var conflicts: [DemoConflict] { devices.flatMap(\.diary.conflicts) }
    var relaunchCount: Int { devices.reduce(0) { $0 + $1.diary.relaunches.count } }
    var eventCount: Int { devices.reduce(0) { $0 + $1.diary.eventCount } }

    /// True if every device holds what the server has.
    var isConverged: Bool { isSettled && differences.isEmpty }

    /// Where a device and the server differ.
    var differences: [String] {
        devices.flatMap { $0.image.differences(on: $0.name, from: server) }
    }

    /// What is not as it must be, in sentences; empty where all is well.
    var faults: [String] {
        var faults = differences
        if !isSettled { faults.append("the devices still had something to send or to fetch") }
        let expected = importedCount + createdCount - deletedCount
        if server.count != expected {
            faults.append(
                "the server has \(server.count) records, "
                    + "but \(sum(importedCount, createdCount, deletedCount)) is \(expected)"
            )
        }
        faults += brokenMerges.map { "\($0) does not hold both edits as they should be merged" }
        if conflicts.isEmpty { faults.append("there was no conflict") }
        if relaunchCount == 0 { faults.append("there was no relaunch") }
        return faults
    }

    /// The counts in words.
    func sum(_ imported: Int, _ created: Int, _ deleted: Int) -> String {
        "\(imported) imported + \(created) created − \(deleted) deleted"
    }
}

extension DemoResult {
    /// The result as one line of JSON, its keys in a fixed order.
    var json: String {
        let devices = self.devices.map { device in
            "{\"name\":\"\(device.name)\",\"records\":\(device.image.count),"
                + "\"digest\":\"\(device.image.digest)\"}"
        }
        let milliseconds = (seconds * 1000).rounded()
        return "{\"devices\":[\(devices.joined(separator: ","))],"
            + "\"converged\":\(isConverged),"
            + "\"imported\":\(importedCount),\"created\":\(createdCount),"
            + "\"deleted\":\(deletedCount),\"records\":\(server.count),"
            + "\"conflicts\":\(conflicts.count),\"relaunches\":\(relaunchCount),"
            + "\"events\":\(eventCount),\"seconds\":\(milliseconds / 1000)}"
    }
}
