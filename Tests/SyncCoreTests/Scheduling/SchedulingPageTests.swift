import Foundation
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
