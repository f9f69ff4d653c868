import Foundation

/// The package's own files, read from the disk.
struct PackageTree {
    /// Every file of `Sources`, `Tests` and `Docs`, `Package.swift`, `README.md` and `.ci/run`.
    let texts: [(path: String, text: String)]
    /// Paths of files and folders, for links.
    let paths: Set<String>
    let topLevelNames: [String]
    let swiftFiles: [SwiftText]
    let documents: [Document]

    static let own = PackageTree(root: rootOfThisPackage())

    init(root: String) {
        let manager = FileManager.default
        let top = (try? manager.contentsOfDirectory(atPath: root)) ?? []
        let below = ["Sources", "Tests", "Docs"].flatMap { folder in
            ((try? manager.subpathsOfDirectory(atPath: "\(root)/\(folder)")) ?? []).map { path in
                "\(folder)/\(path)"
            }
        }
        let candidates = (below + ["Package.swift", "README.md", ".ci/run"]).sorted()
        texts = candidates.compactMap { path in
            guard let data = manager.contents(atPath: "\(root)/\(path)") else { return nil }
            return String(data: data, encoding: .utf8).map { (path, $0) }
        }
        paths = Set(top + candidates)
        topLevelNames = top
        swiftFiles = texts.filter { $0.path.hasSuffix(".swift") }.map(SwiftText.init)
        documents = texts.filter { $0.path.hasSuffix(".md") }.map(Document.init)
    }
}

/// The folder three levels above this file.
private func rootOfThisPackage() -> String {
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")
}
