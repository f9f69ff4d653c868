import Testing

struct TaskRuleTests {
    private let launcher = SwiftText(
        "Sources/RecordSync/Launch.swift",
        "func launch() { Task(executorPreference: executor) { } }"
    )

    @Test(arguments: [
        "Task { }", "Task(priority: .low) { }", "Task.detached { }", "Task.immediate { }",
        "Task<Void, Never> { }",
    ])
    func catchesATaskOutsideOfLaunch(text: String) {
        let inSync = SwiftText("Sources/RecordSync/A.swift", text)
        let inCloud = SwiftText("Sources/MemoryCloud/A.swift", text)
        #expect(
            taskViolations([launcher, inSync, inCloud]).map(\.path) == [inSync.path, inCloud.path]
        )
    }

    @Test func passesTasksInLaunchInTheProgramAndInTests() {
        let program = SwiftText("Sources/RecordSyncTools/A.swift", "Task { }")
        let test = SwiftText("Tests/RecordSyncTests/A.swift", "Task { }")
        let type = SwiftText(
            "Sources/RecordSync/B.swift",
            "var a: Task<Void, Never>?\nTask.isCancelled"
        )
        #expect(taskViolations([launcher, program, test, type]) == [])
    }

    @Test func catchesASecondLaunch() {
        let second = SwiftText("Sources/RecordSync/Other.swift", "func launch() { }")
        #expect(taskViolations([launcher, second]).map(\.path) == [second.path])
    }
}
