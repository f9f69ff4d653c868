import RecordSyncTools
import Testing

struct BenchCommandTests {
    @Test func endsWithTheFiguresOfStoringTheState() async throws {
        let capture = Capture()
        let arguments = ["bench", "state", "--most", "1000", "--json"]
        #expect(await run(arguments: arguments, output: capture.output()) == 0)
        let last = try #require(capture.standardOutput.split(separator: "\n").last)
        let figure = #/:[0-9.e-]+/#
        let names = ["journalSeconds", "snapshotSeconds", "journalBytesPerChange"]
        #expect(
            last.replacing(figure, with: ":0")
                == "{\"changes\":0," + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        )
    }

    @Test func keepsTheJournalOfAChangeUnder200Bytes() async throws {
        let capture = Capture()
        let arguments = ["bench", "state", "--most", "1000", "--json"]
        #expect(await run(arguments: arguments, output: capture.output()) == 0)
        let match = try #require(
            capture.standardOutput.firstMatch(of: #/"journalBytesPerChange":([0-9.]+)/#)
        )
        let byteCount = try #require(Double(match.1))
        #expect(byteCount > 50)
        #expect(byteCount < 200)
    }

    /// The figure itself is for a machine that does nothing else; nothing comes faster than the
    /// way to the server, the hint back and two questions take.
    @Test func measuresAnEditsWayToAnotherDevice() async throws {
        let capture = Capture()
        let arguments = ["bench", "latency", "--most", "1", "--json"]
        #expect(await run(arguments: arguments, output: capture.output()) == 0)
        let match = try #require(capture.standardOutput.firstMatch(of: #/"median":([0-9.]+)/#))
        let milliseconds = try #require(Double(match.1))
        #expect(milliseconds >= 300)
    }

    @Test(arguments: ["pending", "engine", "state"])
    func refusesToMeasureTooLittle(what: String) async {
        #expect(
            await run(arguments: ["bench", what, "--most", "999"], output: Capture().output()) == 2
        )
    }
}
