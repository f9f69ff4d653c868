import RecordModel
import SyncCore
import TestSupport
import Testing

/// The sweep sees what it is there for: an app or a launch that breaks a rule makes it fail.
@Suite struct PlantedBugTests {
    private func findings(
        in stories: [Story] = Story.all,
        _ breakage: World.Breakage,
        forgetting entry: Int? = nil
    ) -> [String] {
        var findings: [String] = []
        for story in stories {
            let crashes = Recorder.crashes(of: story, breakage: breakage, forgetting: entry)
            for (number, crash) in crashes.enumerated() {
                let fate = World.Fate(rawValue: number % 3) ?? .dropped
                findings += crash.restart(from: .newest, fate)
            }
        }
        return findings
    }

    private let simple = Array(Story.all.prefix(2))

    @Test(.holds("P4", "I16"))
    func aStateThatIsStoredBeforeItsDataLosesSome() {
        let findings = findings(in: simple, .stateBeforeData)
        #expect(findings.contains { $0.contains("server has") || $0.contains("lost") })
    }

    @Test(.holds("J1", "I15"), arguments: 1...4)
    func anEntryThatIsNotStoredLosesAnEdit(entry: Int) {
        #expect(!findings(in: simple, .none, forgetting: entry).isEmpty)
    }

    @Test(.holds("J8", "I11"))
    func aWriterThatComesAgainUsesAKeyTwice() {
        let stories = Story.all.filter { $0.name == "launched again and again" }
        let findings = findings(in: stories, .sameWriter)
        #expect(findings.contains { $0.contains("names two requests") })
    }
}

#if PLANTED_BUGS
    extension PlantedBugTests {
        @Test(.holds("I15"), arguments: PlantedBug.ofTheSweep)
        func theSweepSeesAMistakeOfTheEngine(bug: PlantedBug) {
            let sign = bug.sign
            let isSeen = Story.all.contains { story in
                findings(in: [story], .engine(bug)).contains { $0.contains(sign) }
            }
            #expect(isSeen, "no finding says: \(sign)")
        }
    }

    extension PlantedBug {
        /// Those that the sweep is to see; the simulation sees all.
        static let ofTheSweep: [PlantedBug] = [
            .tokenBeforeNews, .sendBeforeMark, .entryDropped, .keyReused, .outcomeNotAsked,
            .unsentChangesForgotten, .accountChangeMissed,
        ]

        /// What the sweep says of it, beside all else.
        fileprivate var sign: String {
            switch self {
            case .tokenBeforeNews: "has [\"nothing\"] where the server has"
            case .sendBeforeMark: "left before its mark was stored"
            case .entryDropped: "lost"
            case .keyReused: "names two requests"
            case .outcomeNotAsked: "it never becomes quiet"
            case .unsentChangesForgotten: "lost"
            case .accountChangeMissed: "which is not theirs"
            case _: "the simulation sees it"  // These are no mistakes of the sweep's.
            }
        }
    }
#endif
