/// The targets of the program, which may start tasks as they like.
private let programTargets: Set<String> = ["RecordSyncTools", "recordsync"]

/// Every task of a library starts in the one function `launch` of `RecordSync`.
func taskViolations(_ files: [SwiftText]) -> [Violation] {
    let libraries = files.filter { file in
        file.isSource && file.target.map { !programTargets.contains($0) } == true
    }
    let launching = libraries.filter { file in
        file.target == "RecordSync" && !file.positions(of: ["func", "launch"]).isEmpty
    }
    let second = launching.dropFirst().map { file in
        Violation(path: file.path, line: 1, what: "a second file holds func launch")
    }
    let others = libraries.filter { $0.path != launching.first?.path }
    return second
        + others.flatMap { file in
            taskStarts(file).map { file.violation(at: $0, "starts a task outside of launch") }
        }
}

/// The places where a file starts a task of its own; `Task` as a type's name is none.
private func taskStarts(_ file: SwiftText) -> [Int] {
    file.positions(of: ["Task"]).filter { position in
        var next = position + 1
        if file.reads(["<"], at: next) {
            while next < file.tokens.count, !file.reads([">"], at: next) { next += 1 }
            next += 1
        }
        let starts = [["{"], ["("], [".", "detached"], [".", "immediate"], [".", "init"]]
        return starts.contains { file.reads($0, at: next) }
    }
}
