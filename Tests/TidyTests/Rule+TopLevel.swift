private let topLevelNames: Set<String> = ["Package.swift", "Sources", "Tests", "Docs", "README.md"]

/// The top of the repository holds what every Swift package holds, dotfiles, and nothing else.
func topLevelViolations(_ names: [String]) -> [Violation] {
    names.filter { !topLevelNames.contains($0) && !$0.hasPrefix(".") }.sorted().map { name in
        Violation(path: name, line: 1, what: "a new name at the top of the repository")
    }
}
