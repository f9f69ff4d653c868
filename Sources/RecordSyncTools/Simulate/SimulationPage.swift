import SyncSimulation

/// A page that shows a run: a lane for each device and one for the server, from the top down.
struct SimulationPage {
    let run: Simulation.Result
    let options: SimulationOptions

    private static let lineCountMax = 4000

    /// The page, in one file, without anything from a network.
    var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Seed \(run.seed)</title>
        <style>\(style)</style></head>
        <body><h1>Seed \(run.seed)</h1>
        <p class="verdict \(run.verdict == nil ? "good" : "bad")">\(verdict)</p>
        <p>\(summary)</p>
        <p class="key">\(key)</p>
        <div class="scroll"><table><thead><tr><th>time</th>\(heads)</tr></thead>
        <tbody>
        \(rows)
        </tbody></table></div>
        </body></html>

        """
    }

    private var verdict: String {
        guard let verdict = run.verdict else { return "Nothing was broken." }
        return escaped("\(verdict.kind.rawValue), \(verdict.checker): \(verdict.what)")
    }

    private var summary: String {
        let counts = run.counts
        return "\(counts.steps) steps, \(counts.inputs) inputs, \(counts.edits) edits, "
            + "\(counts.relaunches) relaunches, \(counts.conflicts) conflicts, "
            + "\(rounded(counts.virtualSeconds)) virtual seconds; "
            + escaped("recordsync simulate --seed \(run.seed) \(options.arguments)")
    }

    private var key: String {
        let kinds: [Diary.Kind] = [
            .step, .request, .answer, .fault, .conflict, .launch, .store, .server, .broken,
        ]
        return kinds.map { "<span class=\"\($0.rawValue)\">\($0.rawValue)</span>" }
            .joined(separator: " ")
    }

    private var heads: String {
        let devices = (0..<options.deviceCount).map { "<th>\(deviceName($0))</th>" }
        return devices.joined() + "<th>server and world</th>"
    }

    private var rows: String {
        let lines = run.diary.lines.suffix(Self.lineCountMax)
        return lines.map { line in
            let lane = line.device ?? options.deviceCount
            let cells = (0...options.deviceCount).map { number in
                number == lane
                    ? "<td class=\"\(line.kind.rawValue)\">\(cell(line))</td>" : "<td></td>"
            }
            let time = rounded(line.time / .seconds(1))
            return "<tr><th>\(time)</th>\(cells.joined())</tr>"
        }.joined(separator: "\n")
    }

    /// What is long is folded, and opens at a tap.
    private func cell(_ line: Diary.Line) -> String {
        let arrow = line.kind == .request ? "&rarr; " : ""
        guard line.text.count > 60 else { return arrow + escaped(line.text) }
        return "<details><summary>\(arrow)\(escaped(String(line.text.prefix(56))))…</summary>"
            + "\(escaped(line.text))</details>"
    }

    private func escaped(_ text: String) -> String {
        var escaped = ""
        for letter in text {
            switch letter {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case let other: escaped.append(other)
            }
        }
        return escaped
    }

    private var style: String {
        """
        :root{color-scheme:light dark}
        body{font:14px/1.4 system-ui,sans-serif;margin:1rem}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;min-width:40rem}
        thead th{position:sticky;top:0;background:Canvas;text-align:left}
        tbody th{font-weight:normal;text-align:right;white-space:nowrap;opacity:.7}
        th,td{padding:.1rem .5rem;border-left:1px solid #8884;vertical-align:top}
        td{max-width:22rem;overflow-wrap:anywhere}
        .step{font-weight:bold}.request{color:#06c}.answer{color:#087}.store{color:#666}
        .fault{color:#b50}.conflict{color:#a0a}.launch{color:#850}
        .broken,.bad{background:#c00;color:#fff}.good{background:#083;color:#fff}
        .verdict{padding:.5rem}.key span{margin-right:.8rem}
        @media print{.scroll{overflow:visible}thead th{position:static}}
        """
    }
}
