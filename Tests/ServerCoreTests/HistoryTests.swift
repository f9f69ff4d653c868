import RecordModel
import ServerCore
import TestSupport
import Testing

struct HistoryTests {
    @Test func keepsWhoChangedWhatFromWhichDeviceWhenAndUnderWhichKey() throws {
        var fixture = try ServerFixture()
        let first = try fixture.save(note("a", "one"), key: key(1))
        fixture.now.millisecondsSince1970 += 10
        let stale = note("a", "tagless")
        try fixture.send([stale], from: laptop, key: key(2))
        try fixture.send(deleting: deletions("a"), from: laptop, key: key(3))
        let history = try fixture.server.history(of: id("a"), of: phone)
        #expect(
            history.map(\.action)
                == [.saved(first), .refused(stale, .serverRecordChanged), .deleted]
        )
        #expect(history.map(\.stamp.deviceID) == ["phone", "laptop", "laptop"])
        #expect(history.map(\.stamp.userRecordName) == ["ann", "ann", "ann"])
        #expect(
            history.map(\.stamp.timestamp.millisecondsSince1970)
                == [1_000_000, 1_000_010, 1_000_010]
        )
        #expect(history.map(\.key) == [key(1), key(2), key(3)])
        #expect(history.map(\.sequence) == [2, 2, 3])
    }

    @Test func namesTheRecordWithWhichAnotherWasDeleted() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("list"), note("a", deletedWith: "list")])
        try fixture.delete(id("list"))
        let history = try fixture.server.history(of: id("a"), of: phone)
        #expect(history.last?.action == .deletedWith("list"))
    }

    @Test func keepsNoContentThatWasRefusedForItsSize() throws {
        var fixture = try ServerFixture { $0.limits.recordByteCountMax = 100 }
        try fixture.send([note("a", String(repeating: "x", count: 200))])
        let bare = Record(systemFields: note("a").systemFields)
        #expect(
            try fixture.server.history(of: id("a"), of: phone).map(\.action)
                == [.refused(bare, .limitExceeded)]
        )
    }

    @Test func leavesNoHistoryOfAPurgedZone() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        try fixture.server.purgeZone(notes, of: phone, at: fixture.now)
        let zone = ZoneKey(
            database: DatabaseKey(account: "ann", scope: .private),
            zoneName: "notes",
            generation: 1
        )
        #expect(fixture.server.storage.history(of: "a", in: zone).isEmpty)
    }
}
