import RecordModel
import SyncCore
import TestSupport
import Testing

@Suite struct FetchScopeTests {
    /// A device whose server has one record in each of three zones.
    private func device() -> CoreFixture {
        var device = CoreFixture()
        for zone in [notes, tasks, .default] {
            device.server.saveElsewhere(record(note("a", in: zone)))
        }
        return device
    }

    private func fetched(_ device: CoreFixture) -> [RecordZone.ID] {
        device.events.compactMap {
            if case .willFetchRecordZoneChanges(let fetch) = $0 { fetch.zoneID } else { nil }
        }
    }

    @Test(
        .holds("S26", "S29"),
        arguments: [
            (FetchChangesOptions.Scope.all, [notes, tasks, .default], []),
            (.allExcluding([tasks]), [notes, .default], [tasks]),
            (.zoneIDs([tasks]), [tasks], [notes, .default]),
            (.zoneIDs([]), [], [notes, tasks, .default]),
        ] as [(FetchChangesOptions.Scope, [RecordZone.ID], [RecordZone.ID])]
    )
    func fetchesTheScopeAndKeepsTheRestListed(
        scope: FetchChangesOptions.Scope,
        zones: [RecordZone.ID],
        left: [RecordZone.ID]
    ) {
        var device = device()
        #expect(device.fetch(FetchChangesOptions(scope: scope)) == .returned)
        #expect(fetched(device) == zones)
        #expect(device.core.zoneIDsWithUnfetchedChanges == left)
    }

    @Test(.holds("S29"))
    func fetchesLaterWhatAScopeLeftOutAlsoAfterARelaunch() {
        var device = device()
        device.fetch(FetchChangesOptions(scope: .zoneIDs([tasks])))
        var relaunched = device.relaunched()
        #expect(relaunched.core.zoneIDsWithUnfetchedChanges == [notes, .default])
        relaunched.fetch()
        #expect(fetched(relaunched) == [notes, .default])
    }

    @Test(.holds("S27"))
    func fetchesPrioritizedZonesFirstAndPassesOverThoseWithoutChanges() {
        var device = device()
        var options = FetchChangesOptions()
        options.prioritizedZoneIDs = [
            .default, RecordZone.ID(zoneName: "quiet"), tasks, .default,
        ]
        device.fetch(options)
        #expect(fetched(device) == [.default, tasks, notes])
    }

    @Test(.holds("S28"))
    func asksBetweenZonesWhichComesNext() {
        var device = device()
        device.callFetch()
        var asked = 0
        while true {
            device.run { if case .fetchOptions = $0.hand { true } else { false } }
            guard case .fetchOptions(let id, var options) = device.hand.withOptions else { break }
            asked += 1
            options.prioritizedZoneIDs = asked == 1 ? [tasks] : [.default]
            device.hand = .empty
            device.handle(.fetchOptionsProvided(id, options))
        }
        #expect(fetched(device) == [tasks, .default, notes])
        #expect(asked == 3)
    }

    @Test(.holds("S28", "S26"))
    func neverLeavesTheScopeOfTheCallWhateverTheDelegateAnswers() {
        var device = device()
        let call = device.callFetch(FetchChangesOptions(scope: .zoneIDs([tasks])))
        device.run { if case .fetchOptions = $0.hand { true } else { false } }
        guard case .fetchOptions(let id, _) = device.hand else { return }
        device.hand = .empty
        device.handle(.fetchOptionsProvided(id, FetchChangesOptions()))
        device.run()
        #expect(fetched(device) == [tasks])
        #expect(device.ended[call] == .returned)
    }

    @Test(.holds("S28"))
    func endsTheFetchWhenTheDelegateNarrowsItToNothing() {
        var device = device()
        let call = device.callFetch()
        device.run { if case .fetchOptions = $0.hand { true } else { false } }
        guard case .fetchOptions(let id, _) = device.hand else { return }
        device.hand = .empty
        device.handle(.fetchOptionsProvided(id, FetchChangesOptions(scope: .zoneIDs([]))))
        device.run()
        #expect(fetched(device) == [])
        #expect(device.ended[call] == .returned)
        #expect(device.core.zoneIDsWithUnfetchedChanges == [notes, tasks, .default])
    }

    @Test(.holds("S95"))
    func saysWhoWantedTheFetch() {
        var manual = device()
        manual.fetch()
        #expect(manual.delivered.first == "willFetchChanges(manual, all)")
        var automatic = device().relaunched(isAutomatic: true)
        automatic.wake()
        automatic.run()
        #expect(
            automatic.delivered.first { $0.contains("FetchC") }
                == "willFetchChanges(scheduled, all)"
        )
    }
}

extension CoreFixture.Hand {
    /// The question for options, with the options that it offers.
    fileprivate enum Question {
        case fetchOptions(QuestionID, FetchChangesOptions)
        case other
    }

    fileprivate var withOptions: Question {
        if case .fetchOptions(let id, let context) = self {
            .fetchOptions(id, context.options)
        } else {
            .other
        }
    }
}
