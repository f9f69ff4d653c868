import TestSupport
import Testing

/// What no compiler sees, kept over the package's own files.
struct TidyTests {
    private let tree = PackageTree.own

    private func violations(_ rule: (SwiftText) -> [Violation]) -> [Violation] {
        tree.swiftFiles.flatMap(rule)
    }

    @Test func readsThePackage() {
        #expect(tree.swiftFiles.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
        #expect(tree.swiftFiles.contains { $0.path == "Sources/RecordModel/Record.swift" })
        #expect(tree.swiftFiles.contains { $0.path == "Package.swift" })
        #expect(tree.documents.contains { $0.path == "README.md" })
        #expect(tree.texts.contains { $0.path == ".ci/run" })
    }

    @Test func importsStayInsideTheirRing() {
        #expect(violations(importViolations) == [])
        #expect(oneFileImportViolations(tree.swiftFiles) == [])
    }

    @Test func onlyOneTargetSpellsApplesPrefix() {
        #expect(violations(prefixViolations) == [])
    }

    @Test func pureTargetsStayPure() {
        #expect(violations(purityViolations) == [])
        #expect(violations(unorderedWalkViolations) == [])
    }

    @Test func pureTargetsWriteEveryCase() {
        #expect(violations(defaultCaseViolations) == [])
    }

    @Test func filesFunctionsAndLinesStayShort() {
        #expect(violations(fileLengthViolations) == [])
        #expect(violations(functionLengthViolations) == [])
        #expect(violations(columnViolations) == [])
    }

    @Test func tasksStartInOnePlace() {
        #expect(taskViolations(tree.swiftFiles) == [])
    }

    @Test func noTestSleeps() {
        #expect(violations(sleepViolations) == [])
    }

    @Test func noFileLeavesTheCompilersChecks() {
        #expect(violations(escapeViolations) == [])
    }

    @Test func noTextCarriesUnfinishedWorkOrOneMachinesPaths() {
        let violations = tree.texts.flatMap { wordViolations(path: $0.path, text: $0.text) }
        #expect(violations == [])
    }

    @Test func theTopLevelHoldsNoNewName() {
        #expect(topLevelViolations(tree.topLevelNames) == [])
    }

    @Test func claimsAreSpelledAsTheirDocumentsSpellThem() {
        #expect(violations(numberViolations) == [])
    }
}
