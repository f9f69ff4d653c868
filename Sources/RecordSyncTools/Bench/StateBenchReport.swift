/// The figures of `recordsync bench state`: a journal beside snapshots.
struct StateBenchReport {
    private(set) var lines: [String] = []
    private(set) var verdict = BenchVerdict()
    /// The figures as one line of JSON, in this order.
    let json: String

    init(changeCount: Int, _ output: Output) throws {
        let bench = StateBench(changeCount: changeCount)
        var journals: [StateBench.Figures] = []
        for round in 1...3 {
            output.showProgress("round \(round) of 3: \(changeCount) changes, entries stored")
            journals.append(try bench.run(.entries))
        }
        output.showProgress("\(changeCount) changes, snapshots stored")
        let snapshots = try bench.run(.snapshots)
        output.clearProgress()
        let seconds = journals.map(\.seconds).min() ?? 0
        let updateCount = journals.first?.updateCount ?? 0
        let bytesPerChange = Double(journals.first?.journalByteCount ?? 0) / Double(changeCount)
        lines = [
            "\(changeCount) changes sent in batches of 250, \(updateCount) state updates stored:",
            "entries \(rounded(seconds)) s (best of 3), snapshots \(rounded(snapshots.seconds)) s; "
                + "CPU time for encoding and writing alone, no sync to disk",
            "journal of \(rounded(bytesPerChange)) bytes a change: added, in flight, confirmed",
        ]
        verdict.add("seconds for a journal of \(changeCount) changes", seconds, atMost: 0.5)
        verdict.add("bytes of the journal for a change", bytesPerChange, atMost: 199)
        lines += verdict.rows.map(\.line)
        json =
            "{\"changes\":\(changeCount),\"journalSeconds\":\(seconds),"
            + "\"snapshotSeconds\":\(snapshots.seconds),"
            + "\"journalBytesPerChange\":\(bytesPerChange)}"
    }
}
