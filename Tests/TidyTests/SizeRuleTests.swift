import Testing

struct SizeRuleTests {
    private func file(_ text: String) -> SwiftText { SwiftText("Sources/SyncCore/A.swift", text) }

    private func body(_ head: String, lineCount: Int) -> String {
        head + " {\n" + String(repeating: "    a()\n", count: lineCount - 2) + "}\nlet b = 1\n"
    }

    @Test func allowsFiveHundredLinesAFile() {
        let line = "let a = 1\n"
        #expect(fileLengthViolations(file(String(repeating: line, count: 500))) == [])
        #expect(fileLengthViolations(file(String(repeating: line, count: 501))).count == 1)
    }

    @Test func allowsAHundredColumnsALine() {
        #expect(columnViolations(file(String(repeating: "ä", count: 100))) == [])
        #expect(
            columnViolations(file("\n" + String(repeating: "ä", count: 101))).map(\.line) == [2]
        )
    }

    @Test(arguments: [
        "func a()", "init?(b: [Int] = { [] }()) throws", "deinit", "subscript(b: Int) -> Int",
        "var a: [Int: () -> Int]", "func == (left: A, right: A) -> Bool",
        "func a<B>(\n) -> @Sendable (B) -> Void where B: C",
    ])
    func allowsSeventyLinesAFunction(head: String) {
        let headLineCount = head.split(separator: "\n").count - 1
        let short = body(head, lineCount: 70 - headLineCount)
        let long = body(head, lineCount: 71 - headLineCount)
        #expect(functionLengthViolations(file(short)) == [])
        #expect(functionLengthViolations(file(long)).count == 1)
    }

    @Test func doesNotTakeATypeOrACallForAFunction() {
        let call = body("let a = A.init(b)\nenum C", lineCount: 90)
        let requirement = body("protocol A { func a() }\nstruct C", lineCount: 90)
        #expect(functionLengthViolations(file(call)) == [])
        #expect(functionLengthViolations(file(requirement)) == [])
    }
}
