import RecordModel
import SQLiteStorage
import ServerCore
import ServerStorageConformance
import TestSupport
import Testing

struct SQLiteStorageTests {
    @Test(arguments: StorageCheck.allCases)
    func doesWhatEveryStorageMust(_ check: StorageCheck) throws {
        let folder = try TemporaryFolder()
        try suite(in: folder) { $0 }.run(check)
    }

    @Test(arguments: StorageCheck.allCases)
    func doesWhatEveryStorageMustWhenItIsOpenedAnew(_ check: StorageCheck) throws {
        let folder = try TemporaryFolder()
        try suite(in: folder) { _ in try SQLiteStorage(path: folder.file("records")) }.run(check)
    }

    @Test func keepsWhatWasFlushedAndNotWhatWasOnlyCommitted() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        try storage.beginGrouping()
        try put("flushed", in: storage)
        try storage.flush()
        try put("waiting", in: storage)
        #expect(try names(in: SQLiteStorage(path: folder.file("records"))) == ["flushed"])
        try storage.flush()
        #expect(
            try names(in: SQLiteStorage(path: folder.file("records"))) == ["flushed", "waiting"]
        )
    }

    @Test func undoesOneRequestOfAGroup() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        try storage.beginGrouping()
        try put("first", in: storage)
        try storage.begin(.writing)
        try storage.put(StoredAccount(name: "refused"))
        storage.rollback()
        try put("third", in: storage)
        try storage.flush()
        #expect(try names(in: storage) == ["first", "third"])
    }

    @Test func aGroupThatSQLiteUndidIsNotFlushed() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        try storage.beginGrouping()
        try put("lost", in: storage)
        storage.abort()
        // A request of the same group must not last without those before it.
        #expect(throws: StorageError.self) { try put("later", in: storage) }
        #expect(throws: StorageError.self) { try storage.flush() }
        try put("next", in: storage)
        try storage.flush()
        #expect(try names(in: storage) == ["next"])
    }

    @Test func writesAfterARequestOfTheSameGroupThatOnlyRead() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        try storage.beginGrouping()
        try storage.begin(.reading)
        #expect(try storage.epoch() == 0)
        try storage.commit()
        let other = try SQLiteStorage(path: folder.file("records"))
        try put("other", in: other)
        try put("own", in: storage)
        try storage.flush()
        #expect(try names(in: other) == ["other", "own"])
    }

    @Test func tellsThatAnotherConnectionWrote() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        let before = try storage.foreignChangeNumber()
        try put("own", in: storage)
        #expect(try storage.foreignChangeNumber() == before)
        try put("other", in: SQLiteStorage(path: folder.file("records")))
        #expect(try storage.foreignChangeNumber() != before)
    }

    @Test func refusesAFileThatIsNoDatabase() throws {
        let folder = try TemporaryFolder()
        try folder.write("no database, but long enough to have a header of one", to: "records")
        #expect(throws: StorageError.self) {
            _ = try SQLiteStorage(path: folder.file("records"))
        }
    }

    @Test func refusesTablesOfANewerVersion() throws {
        let folder = try TemporaryFolder()
        try put("ann", in: SQLiteStorage(path: folder.file("records")))
        // The version stands in the file's header, its last byte in the place of this one.
        try folder.set(9, at: 63, of: "records")
        do {
            _ = try SQLiteStorage(path: folder.file("records"))
            Issue.record("the file was taken")
        } catch {
            #expect("\(error)".contains("version 9"))
        }
    }

    @Test func keepsOneCredentialForADevice() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        let made = [1, 2].map { (number: UInt8) in
            StoredCredential(
                hash: Array(repeating: number, count: 32),
                account: "ann",
                deviceID: "phone",
                created: Timestamp(millisecondsSince1970: Int64(number))
            )
        }
        try storage.begin(.writing)
        for credential in made { try storage.put(credential) }
        try storage.commit()
        try storage.begin(.writing)
        #expect(try storage.credentials(of: "ann") == [made[1]])
        #expect(try storage.credential(withHash: made[0].hash) == nil)
        #expect(try storage.credential(withHash: made[1].hash) == made[1])
        #expect(try storage.removeCredential(ofDevice: "phone", account: "ann"))
        #expect(try !storage.removeCredential(ofDevice: "phone", account: "ann"))
        #expect(try storage.credential(withHash: made[1].hash) == nil)
        try storage.commit()
    }

    @Test func aCopyIsTheStateAtOneMoment() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file("records"))
        try put("ann", in: storage)
        try storage.begin(.writing)
        try storage.put(StoredAccount(name: "bob"))
        try SQLiteStorage.copy(folder.file("records"), to: folder.file("copy"))
        try storage.commit()
        #expect(try names(in: SQLiteStorage(path: folder.file("copy"))) == ["ann"])
    }

    @Test func answersAsAServerInMemoryDoes() throws {
        let folder = try TemporaryFolder()
        let configuration = ServerConfiguration(tokenKey: Array(0..<32))
        var stored = Server(
            storage: try SQLiteStorage(path: folder.file("records")),
            configuration: configuration
        )
        var remembered = Server(storage: MemoryStorage(), configuration: configuration)
        for seed in 1...3 as ClosedRange<UInt64> {
            let replies = try randomReplies(from: &stored, seed: seed)
            #expect(try replies == randomReplies(from: &remembered, seed: seed))
        }
        #expect(try stored.storage.integrityFaults() == [])
    }

    private func suite(
        in folder: TemporaryFolder,
        reopen: @escaping (SQLiteStorage) throws -> SQLiteStorage
    ) -> ServerStorageSuite<SQLiteStorage> {
        ServerStorageSuite(
            make: { try SQLiteStorage(path: folder.file("records")) },
            reopen: reopen
        )
    }

    private func put(_ name: String, in storage: SQLiteStorage) throws {
        try storage.begin(.writing)
        try storage.put(StoredAccount(name: name))
        try storage.commit()
    }

    private func names(in storage: SQLiteStorage) throws -> [String] {
        try storage.begin(.reading)
        let names = try storage.accounts(after: nil, countMax: 9).map(\.name)
        try storage.commit()
        return names
    }
}
