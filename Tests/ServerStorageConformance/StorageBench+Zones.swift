import RecordModel
import ServerCore
import Testing

extension StorageBench {
    mutating func listsAccountsByName() throws {
        try write { storage in
            for name in ["bob", "ann", "carl"] { try storage.put(StoredAccount(name: name)) }
        }
        let first = try read { try $0.accounts(after: nil, countMax: 2) }
        #expect(first.map(\.name) == ["ann", "bob"])
        let second = try read { try $0.accounts(after: "bob", countMax: 2) }
        #expect(second.map(\.name) == ["carl"])
    }

    mutating func listsZonesByPosition() throws {
        try write { storage in
            for (place, name) in ["x", "y", "z"].enumerated() {
                try storage.put(World.zoneRow(name, at: UInt64(place + 1)), in: World.database)
            }
            try storage.put(World.zoneRow("x", at: 4), in: World.database)
        }
        let all = try read { try $0.zones(in: World.database, after: .start, countMax: 9) }
        #expect(all.map(\.zoneName) == ["y", "z", "x"])
        let position = LogPosition(sequence: 2, ordinal: 0)
        let some = try read { try $0.zones(in: World.database, after: position, countMax: 1) }
        #expect(some.map(\.zoneName) == ["z"])
        let others = try read { try $0.zones(in: World.databases[1], after: .start, countMax: 9) }
        #expect(others.isEmpty)
    }

    mutating func keepsTheOrderOfAZonePutAtItsOldPosition() throws {
        var changed = World.zoneRow("x", at: 1)
        changed.floor = .end(of: 1)
        try write { storage in
            try storage.put(World.zoneRow("x", at: 1), in: World.database)
            try storage.put(World.zoneRow("y", at: 2), in: World.database)
            try storage.put(changed, in: World.database)
        }
        let all = try read { try $0.zones(in: World.database, after: .start, countMax: 9) }
        #expect(all == [changed, World.zoneRow("y", at: 2)])
    }

    mutating func forgetsAZone() throws {
        try write { storage in
            try storage.put(World.zoneRow("x", at: 1), in: World.database)
            try storage.removeZone("x", in: World.database)
            try storage.removeZone("y", in: World.database)
        }
        #expect(try read { try $0.zone("x", in: World.database) } == nil)
        #expect(try read { try $0.zones(in: World.database, after: .start, countMax: 9) } == [])
    }

    mutating func keepsAnswersOfAccountsApart() throws {
        let closed = StoredAnswer(timestamp: World.time(1), outcome: .closed)
        try write { try $0.put(closed, to: World.keys[0], of: "ann") }
        #expect(try read { try $0.answer(to: World.keys[0], of: "ann") } == closed)
        #expect(try read { try $0.answer(to: World.keys[0], of: "bob") } == nil)
        #expect(try read { try $0.answer(to: World.keys[1], of: "ann") } == nil)
    }

    mutating func removesAnswersBeforeAnInstant() throws {
        try write { storage in
            for (place, key) in World.keys.enumerated() {
                let answer = StoredAnswer(
                    timestamp: World.time(Int64(place + 1)),
                    outcome: .closed
                )
                try storage.put(answer, to: key, of: "ann")
            }
        }
        #expect(try write { try $0.removeAnswers(before: World.time(3), countMax: 1) } == 1)
        #expect(try write { try $0.removeAnswers(before: World.time(3), countMax: 9) } == 1)
        #expect(try view().answers.map { $0 == nil }.prefix(4) == [true, true, false, false])
    }
}
