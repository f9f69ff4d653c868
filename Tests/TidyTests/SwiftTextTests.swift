import Testing

struct SwiftTextTests {
    private func words(_ text: String) -> [String] {
        SwiftText("A.swift", text).tokens.filter { $0.kind == .word }.map(\.text)
    }

    @Test(arguments: [
        "one // two\nthree", "one /* two /* two */ two */ three", "one \"two\" three",
        "one \"\"\"\ntwo \"two\"\n\"\"\" three", "one #\"two \"two\" \\(two)\"# three",
        "one \"two \\\" two\" three", "one ##\"two \"# two\"## three",
    ])
    func leavesCommentsAndStringsOut(text: String) {
        #expect(words(text) == ["one", "three"])
    }

    @Test func readsTheCodeInsideAnInterpolation() {
        #expect(words("a(\"x \\(b(c(\"\\(d)\"), e)) y\", f)") == ["a", "b", "c", "d", "e", "f"])
        #expect(words("#\"x \\#(a) \\(b)\"#") == ["a"])
    }

    @Test func countsLinesThroughStringsAndComments() {
        let file = SwiftText("A.swift", "/*\n*/ let a = \"\"\"\n  b\n  \"\"\"\nlet c")
        #expect(file.tokens.first { $0.text == "a" }?.line == 2)
        #expect(file.tokens.first { $0.text == "c" }?.line == 5)
        #expect(file.commentLines == [1, 2])
    }

    @Test func keepsAnEscapedWordApartFromAKeyword() {
        #expect(words("`default` default") == ["`default`", "default"])
    }

    @Test func findsTheClosingBracket() {
        let file = SwiftText("A.swift", "f { ( [ ] ) \"}\" } }")
        #expect(file.closing(of: 1) == 7)
    }

    @Test func knowsTheTargetOfAFile() {
        #expect(SwiftText("Sources/SyncCore/A/B.swift", "").target == "SyncCore")
        #expect(SwiftText("Package.swift", "").target == nil)
    }
}
