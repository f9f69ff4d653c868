import RecordSyncTools
import Testing

struct SimulateCommandTests {
    private func run(_ words: String...) async -> (status: Int32, lines: [String]) {
        let capture = Capture()
        let status = await RecordSyncTools.run(
            arguments: ["simulate"] + words,
            output: capture.output()
        )
        return (status, capture.standardOutput.split(separator: "\n").map(String.init))
    }

    @Test func printsWhatSeedsShowedAsJSONOnTheLastLine() async throws {
        let (status, lines) = await run("--seeds", "0..<3", "--steps", "40", "--json")
        #expect(status == 0)
        let last = try #require(lines.last)
        for key in [
            "seeds", "failures", "inputs", "edits", "relaunches", "conflicts", "virtualSeconds",
            "wallSeconds", "faults", "digest",
        ] {
            #expect(last.contains("\"\(key)\":"))
        }
        #expect(last.contains("\"seeds\":3") && last.contains("\"failures\":[]"))
    }

    @Test func theDigestOfARangeIsTheSumOfItsParts() async throws {
        let whole = await run("--seeds", "0..<4", "--steps", "30")
        let again = await run("--seeds", "0..<4", "--steps", "30")
        let digest = try #require(whole.lines.last { $0.hasPrefix("digest ") })
        #expect(again.lines.last { $0.hasPrefix("digest ") } == digest)
    }

    @Test func tellsWhatHappensInASeed() async {
        let (_, lines) = await run("--seed", "1", "--steps", "10", "--trace")
        #expect(lines.contains { $0.contains("willFetchChanges") })
    }

    @Test(arguments: ["0..<0", "5", "a..<b", "3..<1"])
    func aRangeThatIsNoneIsWrongUsage(text: String) async {
        #expect(await run("--seeds", text).status == 2)
    }

    @Test func aSeedAndARangeAreWrongUsage() async {
        #expect(await run("--seed", "1", "--seeds", "0..<2").status == 2)
    }
}
