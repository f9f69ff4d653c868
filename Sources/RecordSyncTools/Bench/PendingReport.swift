import RecordSync

/// The figures of `recordsync bench pending`, and how they stand to their limits.
struct PendingReport {
    private(set) var lines: [String] = []
    private(set) var verdict = BenchVerdict()
    private(set) var data = Data()

    /// The figures as JSON.
    struct Data: Encodable {
        var rows: [Row] = []
        var excludedZoneRows: [Row] = []
        var automaticRows: [Row] = []
        var drainRatio = 0.0

        struct Row: Encodable {
            var pending: Int
            var addNanoseconds: Double
            var batchMicroseconds: Double
            var answerMicroseconds: Double
            var updateMicroseconds: Double
            var bytesPerChange: Double
        }
    }

    init(most: Int, _ output: Output) {
        let counts = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].filter { $0 <= most }
        let bench = PendingBench()
        for situation in PendingBench.Situation.allCases {
            measure(bench, counts, situation, output)
        }
        measureDrain(bench, counts, output)
        output.clearProgress()
        lines += verdict.rows.map(\.line)
    }

    private mutating func measure(
        _ bench: PendingBench,
        _ counts: [Int],
        _ situation: PendingBench.Situation,
        _ output: Output
    ) {
        let title = situation.title
        lines.append("pending changes, \(title): thread CPU time, best of three")
        lines.append("   pending    add ns   batch us  answer us  update us  bytes/change")
        var rows: [PendingBench.Row] = []
        for count in counts {
            output.showProgress("\(count) pending changes, \(title)")
            let row = bench.row(count, situation)
            rows.append(row)
            lines.append(line(row))
            judgeSteps(row, title)
        }
        let encoded = rows.map(Data.Row.init)
        switch situation {
        case .called: data.rows = encoded
        case .mostExcluded: data.excludedZoneRows = encoded
        case .automatic: data.automaticRows = encoded
        }
        guard let first = encoded.first, let last = encoded.last, encoded.count > 1 else { return }
        judgeGrowth(from: first, to: last, title)
    }

    private mutating func judgeSteps(_ row: PendingBench.Row, _ title: String) {
        let steps = [
            ("add", row.longestAdd), ("batch", row.batch), ("answer", row.answer),
            ("update", row.update),
        ]
        for (name, time) in steps {
            verdict.add(
                "microseconds of one \(name) with \(row.pending), \(title)",
                time.nanoseconds / 1_000,
                atMost: 1_000
            )
        }
    }

    private mutating func judgeGrowth(from first: Data.Row, to last: Data.Row, _ title: String) {
        let figures: [(String, Double, Double, Double)] = [
            ("add", first.addNanoseconds, last.addNanoseconds, 5),
            ("batch", first.batchMicroseconds, last.batchMicroseconds, 2),
            ("answer", first.answerMicroseconds, last.answerMicroseconds, 2),
            ("update", first.updateMicroseconds, last.updateMicroseconds, 2),
            ("bytes a change", first.bytesPerChange, last.bytesPerChange, 2),
        ]
        for (name, small, large, limit) in figures {
            verdict.add(
                "growth of \(name) from \(first.pending) to \(last.pending), \(title)",
                large / small,
                atMost: limit
            )
        }
    }

    private mutating func measureDrain(
        _ bench: PendingBench,
        _ counts: [Int],
        _ output: Output
    ) {
        guard let large = counts.last, large >= 10_000 else { return }
        output.showProgress("sending \(large / 10) changes")
        let small = bench.drain(large / 10)
        output.showProgress("sending \(large) changes")
        data.drainRatio = bench.drain(large).nanoseconds / small.nanoseconds
        verdict.add(
            "CPU time of sending \(large) changes, in that of sending \(large / 10)",
            data.drainRatio,
            atMost: 15
        )
    }

    private func line(_ row: PendingBench.Row) -> String {
        let cells = [
            (String(row.pending), 10), (rounded(row.add.nanoseconds), 10),
            (rounded(row.batch.nanoseconds / 1_000), 11),
            (rounded(row.answer.nanoseconds / 1_000), 11),
            (rounded(row.update.nanoseconds / 1_000), 11), (rounded(row.bytesPerChange), 14),
        ]
        return cells.map { String(repeating: " ", count: max(0, $1 - $0.count)) + $0 }.joined()
    }
}

extension PendingReport.Data.Row {
    fileprivate init(_ row: PendingBench.Row) {
        self.init(
            pending: row.pending,
            addNanoseconds: row.add.nanoseconds,
            batchMicroseconds: row.batch.nanoseconds / 1_000,
            answerMicroseconds: row.answer.nanoseconds / 1_000,
            updateMicroseconds: row.update.nanoseconds / 1_000,
            bytesPerChange: row.bytesPerChange
        )
    }
}
