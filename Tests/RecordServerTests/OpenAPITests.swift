import Foundation
import RecordServer
import Testing

/// `Docs/openapi.yaml` names what the server takes, and nothing else.
struct OpenAPITests {
    @Test func everyRouteStandsInTheOpenAPIText() throws {
        let base = "/database/1/{container}/{environment}/{database}/"
        let taken = Route.allCases.flatMap { route in
            route.methods.map {
                "\($0) \(route.isOpenToAll ? "/" : base)\(route.path)"
            }
        }
        #expect(try operations().sorted() == taken.sorted())
    }

    /// The operations of the text: a path stands at two blanks, and its methods at four.
    private func operations() throws -> [String] {
        var path = ""
        var operations: [String] = []
        for line in try text().split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if ["    get:", "    post:"].contains(line) {
                operations.append("\(line.dropFirst(4).dropLast().uppercased()) \(path)")
            }
        }
        return operations
    }

    private func text() throws -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = tests.appendingPathComponent("../../Docs/openapi.yaml")
        return try String(contentsOf: file, encoding: .utf8)
    }
}
