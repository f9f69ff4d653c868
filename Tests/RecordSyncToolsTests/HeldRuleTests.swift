import RecordSyncTools
import Testing

struct HeldRuleTests {
    @Test func findsTheNameAndTheSuiteBehindATrait() {
        let text = """
            import Testing

            struct OuterTests {
                @Test(.holds("S39", "H01"), arguments: [1, 2])
                func keepsOne(_ number: Int) { if number > 0 { print("}") } }

                struct Inner {
                    @Test(.holds("P4")) @MainActor func `keeps two`() {}
                }
                @Test func holdsNothing() {}
            }
            @Test(.holds("I7")) func stands() {}
            """
        #expect(
            places(text) == [
                "S39 OuterTests.keepsOne 5", "H01 OuterTests.keepsOne 5",
                "P4 OuterTests.Inner.keeps two 8", "I7 stands 12",
            ]
        )
    }

    @Test func aSuiteHoldsUnderItsOwnName() {
        let text = """
            @Suite("words", .serialized, .holds("J4")) final class Journal { class func make() {} }
            extension Journal { @Test(.holds("J5")) func more() {} }
            """
        #expect(places(text) == ["J4 Journal 1", "J5 Journal.more 2"])
    }

    @Test func nothingInACommentOrAStringIsATest() {
        let text = """
            // @Test(.holds("S1")) func one() {}
            /* @Test(.holds("S2")) /* nested */ func two() {} */
            let a = "@Test(.holds(\\"S3\\")) func three() {}"
            let b = #"@Test(.holds("S4")) func four() {}"#
            let c = \"\"\"
                @Test(.holds("S5")) func five() {}
                \"\"\"
            let d = "\\(e("@Test(.holds(")) func six() {}"
            @Test(.holds("S7")) func seven() {}
            """
        #expect(places(text) == ["S7 seven 9"])
    }

    @Test func aDisabledTestHoldsNothing() {
        let text = """
            @Test(.disabled("slow"), .holds("S1")) func one() {}
            @Test(.holds("S2")) func two() {}
            """
        #expect(places(text) == ["S2 two 2"])
    }

    @Test(arguments: ["@Test(", "@Test(.holds(\"S1\"", "@", "struct", "\"", "/*", "\"\\(", "`"])
    func aFileThatEndsTooEarlyHoldsNothing(text: String) {
        #expect(places(text) == [])
    }

    private func places(_ text: String) -> [String] {
        HeldRule.all(in: text, file: "Tests/A.swift").map { held in
            "\(held.rule) \(held.test.name) \(held.test.line)"
        }
    }
}
