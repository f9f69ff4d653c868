import Foundation
import RecordModel
import SyncCore
import TestSupport
import Testing

/// `Docs/Scheduling.md` says what the code does.
@Suite struct SchedulingPageTests {
    private func page() throws -> String {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try String(contentsOf: folder.appending(path: "Docs/Scheduling.md"), encoding: .utf8)
    }

    @Test(.holds("P80", "P90"))
    func namesEveryFigure() throws {
        let page = try page()
        for name in Mirror(reflecting: SchedulingPolicy()).children.compactMap(\.label) {
            #expect(page.contains("| `\(name)` | "), "\(name)")
        }
    }

    @Test(.holds("P90"))
    func namesTheRuleOfEveryFigureThatIsRefused() throws {
        let page = try page()
        #expect(page.contains("Each time is longer than nothing and at most 30 days."))
        for rule in Self.rules {
            #expect(page.contains("| `\(rule.name)` | \(rule.words) |"), "\(rule.name)")
            var policy = SchedulingPolicy()
            rule.goToBoundary(&policy)
            #expect(throws: Never.self) { try policy.validate() }
            rule.goBeyond(&policy)
            let error = #expect(throws: SyncError.self) { try policy.validate() }
            #expect(error?.message.contains(rule.name) == true)
        }
    }

    private typealias Change = @Sendable (inout SchedulingPolicy) -> Void
    private typealias Rule = (name: String, words: String, goToBoundary: Change, goBeyond: Change)

    /// The rules of the page, each with a figure at its boundary and one beyond it.
    private static let rules: [Rule] = [
        (
            "coalescingDelayMax", "at least `coalescingWindow`",
            { $0.coalescingDelayMax = .seconds(1) }, { $0.coalescingDelayMax = .milliseconds(999) }
        ),
        (
            "backoffMax", "at least `backoffMin`",
            { $0.backoffMax = .seconds(1) }, { $0.backoffMax = .milliseconds(999) }
        ),
        (
            "pollDelayLong", "at least `pollDelayShort`",
            { $0.pollDelayLong = .seconds(30) }, { $0.pollDelayLong = .milliseconds(29_999) }
        ),
        (
            "pollDelayBackground", "at least `pollDelayLong`",
            { $0.pollDelayBackground = .seconds(120) },
            { $0.pollDelayBackground = .milliseconds(119_999) }
        ),
        (
            "batteryPercentMin", "0 to 100",
            { $0.batteryPercentMin = 100 }, { $0.batteryPercentMin = 101 }
        ),
        (
            "backgroundBatteryPercentMin", "0 to 100",
            { $0.backgroundBatteryPercentMin = 0 }, { $0.backgroundBatteryPercentMin = -1 }
        ),
        ("loadMax", "0.01 to 1000", { $0.loadMax = 1000 }, { $0.loadMax = 1001 }),
        (
            "backgroundLoadMax", "0.01 to 1000",
            { $0.backgroundLoadMax = 0.01 }, { $0.backgroundLoadMax = 0.009 }
        ),
        (
            "requestBurstMax", "1 to 1,000,000",
            { $0.requestBurstMax = 1 }, { $0.requestBurstMax = 0 }
        ),
        (
            "requestRateMax", "0.001 to 1,000,000 a second",
            { $0.requestRateMax = 1_000_000 }, { $0.requestRateMax = 1_000_001 }
        ),
        (
            "requestRateMin", "0.001 a second, to `requestRateMax`",
            { $0.requestRateMin = 100 }, { $0.requestRateMin = 100.1 }
        ),
    ]

    /// The sample of the page is what an engine says in the story that the page tells.
    @Test(.holds("P80"))
    func showsARealExplanation() throws {
        let zone = RecordZone.ID(zoneName: "Notes")
        var run = VirtualRun.idle()
        run.device.handle(.conditionsChanged(Conditions(network: .available, load: 0.2)))
        run.fate = { _, _ in .error(SyncError(.requestRateLimited, retryAfterSeconds: 300)) }
        run.plan(at: .seconds(6)) { $0.handle(.notificationReceived) }
        run.plan(at: .seconds(6)) { $0.handle(.syncRequested(.userInitiated)) }
        run.plan(at: .seconds(10)) { $0.edit(note("a", in: zone), note("b", in: zone)) }
        run.run(until: .seconds(16) + .milliseconds(50))
        let text = run.device.core.schedule(at: run.device.now).explain()
        let lines = try page().split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "print(engine.schedule.explain())"))
        let sample = lines[(start + 1)...].prefix { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }
        #expect(sample.joined(separator: "\n") == text)
    }

    @Test(.holds("P80"))
    func namesEveryReasonInItsWords() throws {
        let page = try page()
        let reasons: [Schedule.Reason] = [
            .account(nil), .serverAskedToWait, .databaseBackoff(attempts: 3, nil),
            .backoff(attempts: 3, nil), .zoneBackoff(attempts: 3, nil), .pacing,
            .networkUnavailable, .networkMetered, .lowPowerMode, .batteryLow(percent: 15),
            .loadHeavy, .launchOrder, .cancelled, .flushEnded, .coalescing, .assets, .nothingMoved,
        ]
        for reason in reasons { #expect(page.contains("` | \(reason.words) |"), "\(reason)") }
    }
}
