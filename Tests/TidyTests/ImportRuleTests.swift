import Testing

struct ImportRuleTests {
    @Test(arguments: [
        ("RecordModel/A.swift", "import Foundation"),
        ("SyncCore/A.swift", "package import ServerCore"),
        ("SyncCore/A.swift", "import struct Foundation.Date"),
        ("RecordSync/A.swift", "import Glibc"),
        ("RecordSync/A.swift", "public import RecordWire"),
        ("RecordSync/A.swift", "import Foundation"),
        ("MemoryCloud/A.swift", "@_exported import SyncCore"),
        ("recordsync/main.swift", "import RecordSync"),
        ("Surprise/A.swift", ""),
    ])
    func catchesAnImportFromOutsideTheRing(path: String, text: String) {
        #expect(importViolations(SwiftText("Sources/" + path, text)).count == 1)
    }

    @Test(arguments: [
        ("Sources/SyncCore/A.swift", "public import RecordModel"),
        ("Sources/SyncCore/A.swift", "// import Foundation\nlet text = \"import Foundation\""),
        ("Sources/RecordSync/Platform/A.swift", "import Glibc\nimport Synchronization"),
        ("Sources/RecordSync/A.swift", "import FoundationEssentials\nimport Foundation"),
        ("Sources/RecordSyncTools/A.swift", "import ServerCore"),
        ("Tests/SyncCoreTests/A.swift", "import Foundation"),
    ])
    func passesAnImportOfTheRing(path: String, text: String) {
        #expect(importViolations(SwiftText(path, text)) == [])
    }

    @Test func catchesASecondFileWithTheOneFilesImport() {
        let text = "import FoundationEssentials"
        let first = SwiftText("Sources/RecordSync/A.swift", text)
        let second = SwiftText("Sources/RecordSync/B.swift", text)
        let other = SwiftText("Sources/RecordWire/A.swift", text)
        #expect(oneFileImportViolations([first, other]) == [])
        #expect(
            oneFileImportViolations([first, second, other]).map(\.path)
                == ["Sources/RecordSync/B.swift"]
        )
    }

    @Test func catchesApplesPrefixOutsideItsTarget() {
        let text = "let record = CKRecord()"
        #expect(prefixViolations(SwiftText("Sources/RecordSync/A.swift", text)).count == 1)
        #expect(prefixViolations(SwiftText("Sources/CloudKit/A.swift", text)) == [])
        #expect(prefixViolations(SwiftText("Sources/RecordSync/A.swift", "let CKey = 1")) == [])
    }
}
