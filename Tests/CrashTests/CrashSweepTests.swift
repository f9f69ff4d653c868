import SyncCore
import TestSupport
import Testing

/// Whatever an app has written when its process dies, the next one goes on from there.
@Suite struct CrashSweepTests {
    @Test(
        .holds("P5", "P7", "P9", "J6", "J7", "J9", "I1", "I2", "I3", "I5", "I11", "I15", "I17"),
        arguments: Story.all
    )
    func everyRestartLosesAndDoublesNothing(story: Story) {
        let crashes = Recorder.crashes(of: story)
        for (number, crash) in crashes.enumerated() {
            let fate = World.Fate(rawValue: number % 3) ?? .dropped
            for source in crash.sources(number: number) {
                let findings = crash.restart(from: source, fate)
                #expect(
                    findings == [],
                    "\(story.name), \(number): \(crash.label), \(crash.moment), \(source), \(fate)"
                )
            }
        }
    }

    @Test(.holds("I15"))
    func theSweepIsWide() {
        let counts = Story.all.map { story in
            Recorder.crashes(of: story).reduce(0) { $0 + $1.sources(number: 0).count }
        }
        let count = counts.reduce(0, +)
        print("The crash sweep has \(Story.all.count) stories and \(count) restarts.")
        #expect(Story.all.count >= 25)
        #expect(count >= 2000)
    }

    @Test(
        .holds("J7", "I15", "I16"),
        arguments: Story.allWithSnapshots
    )
    func withSnapshotsOnlyTheAppCanNameWhatItLost(story: Story) {
        let crashes = Recorder.crashes(of: story)
        for (number, crash) in crashes.enumerated() {
            let fate = World.Fate(rawValue: number % 3) ?? .dropped
            let findings = crash.restart(from: .newest, fate)
            #expect(
                findings == [],
                "\(story.name), \(number): \(crash.label), \(crash.moment), \(fate)"
            )
        }
    }
}
