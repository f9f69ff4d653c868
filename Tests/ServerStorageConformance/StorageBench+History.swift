import RecordModel
import ServerCore
import Testing

extension StorageBench {
    mutating func findsAVersionByItsTag() throws {
        try write { storage in
            for tag in ["1", "2"] {
                let action = HistoryEntry.Action.saved(World.record("a", tag: tag))
                let entry = World.entry("a", sequence: 1, action: action)
                try storage.append(entry, in: World.zone)
            }
            let refused = HistoryEntry.Action.refused(World.record("a", tag: "3"), .unknownItem)
            try storage.append(World.entry("a", sequence: 2, action: refused), in: World.zone)
        }
        let version = try read { try $0.version("1", of: "a", in: World.zone) }
        #expect(version == World.record("a", tag: "1"))
        #expect(try read { try $0.version("3", of: "a", in: World.zone) } == nil)
        #expect(try read { try $0.version("1", of: "b", in: World.zone) } == nil)
        #expect(try read { try $0.version("1", of: "a", in: World.zones[1]) } == nil)
    }

    mutating func removesHistoryBeforeAnInstant() throws {
        try write { storage in
            try storage.append(World.entry("a", sequence: 1, time: 10), in: World.zone)
            try storage.append(World.entry("b", sequence: 2, time: 11), in: World.zone)
            try storage.append(World.entry("a", sequence: 3, time: 12), in: World.zones[1])
            try storage.append(World.entry("a", sequence: 4, time: 13), in: World.zone)
        }
        #expect(try write { try $0.removeHistory(before: World.time(12), countMax: 1) } == 1)
        #expect(try write { try $0.removeHistory(before: World.time(13), countMax: 9) } == 2)
        #expect(try read { try $0.history(of: "a", in: World.zone) }.map(\.sequence) == [4])
        #expect(try read { try $0.history(of: "b", in: World.zone) }.isEmpty)
        #expect(try read { try $0.history(of: "a", in: World.zones[1]) }.isEmpty)
    }

    mutating func removesTheHistoryOfALife() throws {
        try write { storage in
            try storage.append(World.entry("a", sequence: 1), in: World.zone)
            try storage.append(World.entry("a", sequence: 2), in: World.zones[1])
            try storage.removeHistory(in: World.zone)
        }
        #expect(try read { try $0.history(of: "a", in: World.zone) }.isEmpty)
        #expect(try read { try $0.history(of: "a", in: World.zones[1]) }.count == 1)
        #expect(try write { try $0.removeHistory(before: World.time(99), countMax: 9) } == 1)
    }

    /// Random transactions, some of them rolled back, against rows in a plain array.
    mutating func agreesWithASimpleModel() throws {
        var generator = SeededGenerator(seed: 7)
        var model: [StoredRecord] = []
        var sequence: UInt64 = 0
        for _ in 0..<200 {
            let before = model
            try storage.begin(.writing)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                sequence += 1
                let name = World.names.randomElement(using: &generator) ?? "a"
                let row =
                    Bool.random(using: &generator)
                    ? World.row(name, at: sequence) : World.tombstone(name, at: sequence)
                model.removeAll { $0.recordName == name }
                model.append(row)
                try storage.put(row, in: World.zone)
            }
            if Bool.random(using: &generator) {
                try storage.commit()
            } else {
                storage.rollback()
                model = before
            }
            #expect(try view().records[0].rows == model)
        }
    }
}
