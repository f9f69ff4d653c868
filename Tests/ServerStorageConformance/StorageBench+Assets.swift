import RecordModel
import ServerCore
import Testing

extension StorageBench {
    mutating func keepsFilesOfAccountsApart() throws {
        try write { storage in
            try storage.put(asset(1, touched: 5), of: "ann")
            try storage.put(asset(2, touched: 6), of: "bob")
        }
        try read { (storage: inout Storage) throws in
            #expect(try storage.asset(checksum(1), of: "ann") == asset(1, touched: 5))
            #expect(try storage.asset(checksum(1), of: "bob") == nil)
            #expect(try storage.unheldAssets(of: "bob", before: .distant, countMax: 9).count == 1)
        }
    }

    mutating func countsTheRecordsThatHoldAFile() throws {
        try write { storage in
            for number in 1...2 { try storage.put(asset(number, touched: 5), of: "ann") }
            try storage.putAssetLinks([checksum(1), checksum(2)], of: "a", in: World.zone)
            try storage.putAssetLinks([checksum(1)], of: "b", in: World.zone)
            // A later put of the file leaves its holders.
            try storage.put(asset(1, touched: 7), of: "ann")
        }
        #expect(try holderCounts() == [2, 1])
        try write { try $0.putAssetLinks([], of: "a", in: World.zone) }
        #expect(try holderCounts() == [1, 0])
        try write { storage in
            try storage.put(World.row("b", at: 1), in: World.zone)
            try storage.removeRecords(in: World.zone)
        }
        #expect(try holderCounts() == [0, 0])
        // Another life of the zone held nothing, and nothing goes below zero.
        try write { storage in
            try storage.putAssetLinks([checksum(1)], of: "a", in: World.zones[1])
            try storage.removeRecords(in: World.zone)
        }
        #expect(try holderCounts() == [1, 0])
    }

    mutating func listsFilesThatNobodyHoldsByAge() throws {
        try write { storage in
            for (number, time) in [(1, 9), (2, 5), (3, 5), (4, 20), (5, 1)] {
                try storage.put(asset(number, touched: Int64(time)), of: "ann")
            }
            try storage.putAssetLinks([checksum(5)], of: "a", in: World.zone)
        }
        try read { (storage: inout Storage) throws in
            let all = try storage.unheldAssets(of: "ann", before: World.time(20), countMax: 9)
            #expect(all.map(\.checksum) == [2, 3, 1].map(checksum))
            let some = try storage.unheldAssets(of: "ann", before: World.time(9), countMax: 1)
            #expect(some.map(\.checksum) == [checksum(2)])
        }
        try write { try $0.removeAsset(checksum(2), of: "ann") }
        #expect(try read { try $0.asset(checksum(2), of: "ann") } == nil)
    }

    mutating func undoesFilesThatWereRolledBack() throws {
        try write { storage in
            try storage.put(asset(1, touched: 5), of: "ann")
            try storage.putAssetLinks([checksum(1)], of: "a", in: World.zone)
        }
        try storage.begin(.writing)
        try storage.putAssetLinks([], of: "a", in: World.zone)
        try storage.putAssetLinks([checksum(1)], of: "b", in: World.zone)
        try storage.put(asset(2, touched: 5), of: "ann")
        try storage.removeAsset(checksum(1), of: "ann")
        storage.rollback()
        try read { (storage: inout Storage) throws in
            #expect(try storage.asset(checksum(1), of: "ann")?.holderCount == 1)
            #expect(try storage.asset(checksum(2), of: "ann") == nil)
        }
        try write { try $0.putAssetLinks([], of: "a", in: World.zone) }
        #expect(try read { try $0.asset(checksum(1), of: "ann")?.holderCount } == 0)
    }

    private mutating func holderCounts() throws -> [Int?] {
        try read { storage in
            try [1, 2].map { try storage.asset(checksum($0), of: "ann")?.holderCount }
        }
    }
}

private func checksum(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(number), count: 32)
}

private func asset(_ number: Int, touched: Int64) -> StoredAsset {
    StoredAsset(
        checksum: checksum(number),
        byteCount: Int64(number),
        touched: World.time(touched)
    )
}

extension Timestamp {
    fileprivate static let distant = Timestamp(millisecondsSince1970: .max)
}
