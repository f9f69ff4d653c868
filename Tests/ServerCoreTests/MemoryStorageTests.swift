import RecordModel
import ServerCore
import ServerStorageConformance
import Testing

struct MemoryStorageTests {
    @Test(arguments: StorageCheck.allCases)
    func doesWhatEveryStorageMust(_ check: StorageCheck) throws {
        try ServerStorageSuite { MemoryStorage() }.run(check)
    }
}
