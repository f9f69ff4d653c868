import RecordModel
import ServerCore
import Testing

extension StorageBench {
    mutating func listsARecordOnceAtItsLastChange() throws {
        try write { storage in
            try storage.put(World.row("a", at: 1), in: World.zone)
            try storage.put(World.row("b", at: 2), in: World.zone)
            try storage.put(World.row("a", at: 3), in: World.zone)
        }
        #expect(try page() == NamedPage(names: ["b", "a"], isLast: true))
        #expect(try page(after: .end(of: 2)) == NamedPage(names: ["a"], isLast: true))
        #expect(try page(after: .end(of: 3)) == NamedPage(names: [], isLast: true))
    }

    mutating func splitsACommitOverPages() throws {
        try write { storage in
            for (ordinal, name) in World.names.enumerated() {
                try storage.put(World.row(name, at: 1, ordinal: UInt32(ordinal)), in: World.zone)
            }
        }
        let behindTheSecond = LogPosition(sequence: 1, ordinal: 1)
        #expect(try page(after: behindTheSecond) == NamedPage(names: ["c", "d"], isLast: true))
    }

    mutating func limitsAPageByCount() throws {
        try write { storage in
            for (place, name) in World.names.enumerated() {
                try storage.put(World.row(name, at: UInt64(place + 1)), in: World.zone)
            }
        }
        #expect(
            try page(limit: PageLimit(countMax: 3))
                == NamedPage(names: ["a", "b", "c"], isLast: false)
        )
        #expect(
            try page(limit: PageLimit(countMax: 4))
                == NamedPage(names: ["a", "b", "c", "d"], isLast: true)
        )
    }

    mutating func limitsAPageByBytes() throws {
        try write { storage in
            for (place, name) in World.names.enumerated() {
                let row = World.row(name, at: UInt64(place + 1), byteCount: 10)
                try storage.put(row, in: World.zone)
            }
        }
        let expected = [
            (0, NamedPage(names: ["a"], isLast: false)),
            (19, NamedPage(names: ["a"], isLast: false)),
            (20, NamedPage(names: ["a", "b"], isLast: false)),
            (40, NamedPage(names: World.names, isLast: true)),
        ]
        for (byteCount, names) in expected {
            let limit = PageLimit(countMax: 9, byteCountMax: byteCount)
            #expect(try page(limit: limit) == names)
        }
    }

    mutating func hidesOldTombstones() throws {
        try write { storage in
            try storage.put(World.tombstone("a", at: 1), in: World.zone)
            try storage.put(World.row("b", at: 2), in: World.zone)
            try storage.put(World.tombstone("c", at: 3), in: World.zone)
        }
        #expect(
            try page(hidingTombstonesThrough: 1) == NamedPage(names: ["b", "c"], isLast: true)
        )
        #expect(try page(hidingTombstonesThrough: 3) == NamedPage(names: ["b"], isLast: true))
        #expect(
            try page(hidingTombstonesThrough: 3, limit: PageLimit(countMax: 1))
                == NamedPage(names: ["b"], isLast: true)
        )
    }

    mutating func keepsLivesOfAZoneApart() throws {
        try write { try $0.put(World.row("a", at: 1), in: World.zone) }
        let view = try view()
        #expect(view.records.map { $0.rows.count } == [1] + World.zones.dropFirst().map { _ in 0 })
    }

    mutating func removesALifeButItsHistory() throws {
        try write { storage in
            try storage.put(World.row("a", at: 1, targets: ["b"]), in: World.zone)
            try storage.put(World.row("a", at: 1), in: World.zones[1])
            try storage.append(World.entry("a", sequence: 1), in: World.zone)
            try storage.removeRecords(in: World.zone)
        }
        #expect(try page() == NamedPage(names: [], isLast: true))
        #expect(try read { try $0.record("a", in: World.zones[1]) } != nil)
        let sources = try read {
            try $0.deleteSelfSources(of: "b", in: World.zone, countMax: 9)
        }
        #expect(sources.isEmpty)
        #expect(try read { try $0.history(of: "a", in: World.zone).count } == 1)
    }

    mutating func removesTombstonesBeforeAnInstant() throws {
        try write { storage in
            try storage.put(World.tombstone("a", at: 1, time: 10), in: World.zone)
            try storage.put(World.row("b", at: 2, time: 11), in: World.zone)
            try storage.put(World.tombstone("c", at: 3, time: 12), in: World.zone)
            try storage.put(World.tombstone("d", at: 4, time: 13), in: World.zone)
        }
        let end = World.time(13)
        let first = try write {
            try $0.removeTombstones(in: World.zone, before: end, countMax: 1)
        }
        #expect(first == RemovedTombstones(count: 1, highest: World.row("a", at: 1).position))
        let second = try write {
            try $0.removeTombstones(in: World.zone, before: end, countMax: 9)
        }
        #expect(second == RemovedTombstones(count: 1, highest: World.row("c", at: 3).position))
        #expect(try page() == NamedPage(names: ["b", "d"], isLast: true))
        let third = try write {
            try $0.removeTombstones(in: World.zones[1], before: end, countMax: 9)
        }
        #expect(third == RemovedTombstones())
    }

    mutating func keepsARecordSavedAfterItsDeletion() throws {
        try write { storage in
            try storage.put(World.tombstone("a", at: 1, time: 10), in: World.zone)
            try storage.put(World.row("a", at: 2, time: 11), in: World.zone)
            try storage.put(World.tombstone("b", at: 3, time: 12), in: World.zone)
        }
        let removed = try write {
            try $0.removeTombstones(in: World.zone, before: World.time(99), countMax: 9)
        }
        #expect(removed == RemovedTombstones(count: 1, highest: World.row("b", at: 3).position))
        #expect(try page() == NamedPage(names: ["a"], isLast: true))
    }

    mutating func followsDeleteSelfLinks() throws {
        try write { storage in
            try storage.put(World.row("c", at: 1, targets: ["a", "b"]), in: World.zone)
            try storage.put(World.row("b", at: 2, targets: ["a"]), in: World.zone)
            try storage.put(World.row("d", at: 3, targets: ["a"]), in: World.zone)
        }
        #expect(try sources(of: "a") == ["b", "c", "d"])
        #expect(try sources(of: "a", countMax: 2) == ["b", "c"])
        try write { storage in
            try storage.put(World.row("c", at: 4, targets: ["b"]), in: World.zone)
            try storage.put(World.tombstone("d", at: 5), in: World.zone)
        }
        #expect(try sources(of: "a") == ["b"])
        #expect(try sources(of: "b") == ["c"])
    }

    private mutating func sources(of name: String, countMax: Int = .max) throws -> [String] {
        try read { try $0.deleteSelfSources(of: name, in: World.zone, countMax: countMax) }
    }
}
