import Testing

struct PureTargetRuleTests {
    private func file(_ text: String, in target: String = "SyncCore") -> SwiftText {
        SwiftText("Sources/\(target)/A.swift", text)
    }

    @Test(arguments: [
        "let now = Date()", "func a() async {}", "await b()", "Task { }", "let lock: Mutex<Int>",
        "Int.random(in: 0..<2)", "any Clock", "print(1)", "actor A {}",
        "let text = \"\\(Date())\"",
    ])
    func catchesWhatDiffersBetweenRuns(text: String) {
        #expect(purityViolations(file(text)).count == 1)
        #expect(purityViolations(file(text, in: "RecordSync")) == [])
    }

    @Test(arguments: [
        "case date(Timestamp)", "// Task, await and Date()", "let text = \"print(1)\"",
        "let randomness = generator.next()", "func printed() {}",
    ])
    func passesPureCode(text: String) {
        #expect(purityViolations(file(text)) == [])
    }

    @Test func catchesADefaultCaseWithoutAReason() {
        #expect(defaultCaseViolations(file("switch a {\ndefault: b\n}")).map(\.line) == [2])
        #expect(defaultCaseViolations(file("switch a {\n@unknown default: b\n}")).count == 1)
    }

    @Test(arguments: [
        "switch a {\ndefault: b  // bytes have no cases\n}", "a ? .default : b",
        "switch a {\n// bytes have no cases\ndefault: b\n}", "subscript(key: K, default value: V)",
        "table[key, default: 0] += 1",
    ])
    func passesADefaultThatIsNoCaseOrHasAReason(text: String) {
        #expect(defaultCaseViolations(file(text)) == [])
        #expect(defaultCaseViolations(file("default:", in: "RecordSync")) == [])
    }

    @Test(arguments: [
        "var ids: Set<Int>\nfor id in ids { }", "let table: [A: B]\nfor (a, b) in self.table { }",
        "let table = [A: B]()\nfor a in table.keys where a { }", "var ids: Set<Int>\nids.map { }",
        "var table: [A: [B]] = [:]\ntable.values.flatMap { $0 }", "let ids = Set(list)\nids.first",
        "let table: [A: B]\nlet a = b(table.keys.reduce(0, +))",
    ])
    func catchesAWalkInNoFixedOrder(text: String) {
        #expect(unorderedWalkViolations(file(text)).count == 1)
        #expect(unorderedWalkViolations(file(text, in: "RecordSync")) == [])
    }

    @Test(arguments: [
        "var ids: Set<Int>\nfor id in ids.sorted() { }", "let table: [A: B]\ntable.keys.sorted()",
        "let table: [A: B]\ntable[a]", "let list: [A]\nfor a in list { }",
        "var ids: Set<Int>\nids.contains(1)", "let list: [(a: A, b: B)]\nlist.map { }",
        "let table: OrderedTable<A, B>\nfor a in table.keys { }",
    ])
    func passesAWalkInAFixedOrder(text: String) {
        #expect(unorderedWalkViolations(file(text)) == [])
    }
}
