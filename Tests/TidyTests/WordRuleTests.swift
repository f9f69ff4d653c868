import Testing

struct WordRuleTests {
    private func test(_ text: String) -> SwiftText {
        SwiftText("Tests/SyncCoreTests/A.swift", text)
    }

    @Test func catchesUnfinishedWork() {
        for mark in unfinishedMarks {
            #expect(wordViolations(path: "a", text: "fine\n// \(mark): later").map(\.line) == [2])
            #expect(wordViolations(path: "a", text: "\(mark)S and a\(mark)") == [])
        }
    }

    @Test func catchesOneMachinesPaths() {
        for path in machinePaths {
            #expect(wordViolations(path: "a", text: "see \"\(path)main\"").count == 1)
            #expect(wordViolations(path: "a", text: "frame\(path)main") == [])
        }
    }

    @Test(arguments: [
        "final class A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1",
        "let a = try! b()", "let a = b as! C", "@testable import SyncCore",
    ])
    func catchesABackDoorOfTheCompiler(text: String) {
        #expect(escapeViolations(test(text)).count == 1)
    }

    @Test(arguments: [
        "let a = try !b()", "let a = b as? C", "nonisolated func a() {}", "// try! is bad",
        "let text = \"as!\"", "@unknown default: a",
    ])
    func passesCodeThatTheCompilerChecks(text: String) {
        #expect(escapeViolations(test(text)) == [])
    }

    @Test(arguments: [
        "try await Task.sleep(for: .seconds(1))", "usleep(10)", "sleep(1)", "Thread.sleep(1)",
    ])
    func catchesATestThatSleeps(text: String) {
        #expect(!sleepViolations(test(text)).isEmpty)
        #expect(sleepViolations(SwiftText("Sources/RecordSync/A.swift", text)) == [])
    }

    @Test func passesAVirtualClocksSleep() {
        #expect(sleepViolations(test("try await clock.sleep(for: a)\nfunc sleep() {}")) == [])
    }

    @Test func catchesANewNameAtTheTop() {
        #expect(topLevelViolations(["Sources", ".ci", "README.md"]) == [])
        #expect(topLevelViolations(["Sources", "Makefile"]).map(\.path) == ["Makefile"])
    }
}
