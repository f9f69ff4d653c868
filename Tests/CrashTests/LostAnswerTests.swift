import RecordModel
import SyncCore
import TestSupport
import Testing

/// Whatever happens to one call of the server, nothing is lost or doubled.
@Suite struct LostAnswerTests {
    @Test(
        .holds("P6", "P7", "J8", "J9", "I1", "I2", "I3", "I11", "I24", "H40", "H60", "H109"),
        arguments: Story.all
    )
    func everyCallMayGoWrong(story: Story) {
        let undisturbed = Recorder.calls(of: story)
        #expect(undisturbed.end.findings == [])
        var counts = (courses: 0, alike: 0)
        for call in undisturbed.calls {
            for fault in CallFault.all(of: call) {
                let end = call.course(fault)
                counts.courses += 1
                let isAlike = end.contents == undisturbed.end.contents
                let course = "\(story.name), call \(call.number), \(fault): \(call.request)"
                if isAlike { counts.alike += 1 }
                #expect(end.findings == [], "\(course)")
                // A failure may change who comes first, and so the end; then it was reported.
                let isExplained =
                    isAlike || story.isRace || call.hidesReasons(fault)
                    || end.reports != undisturbed.end.reports
                #expect(isExplained, "another end: \(course)")
            }
        }
        print("\(story.name): \(counts.courses) courses, \(counts.alike) with the same end")
    }
}
