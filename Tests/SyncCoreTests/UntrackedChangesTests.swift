import RecordModel
import SyncCore
import TestSupport
import Testing

/// An answer of nil says that nothing is left only where everything was asked for.
@Suite struct UntrackedChangesTests {
    @Test(.holds("P13", "S54"))
    func theFlagStaysWhenAZoneThatFailedWasLeftOut() {
        var device = CoreFixture()
        device.server.recordErrors[note("a")] = SyncError(.zoneBusy)
        device.edit(note("a"))
        device.handle(.untrackedChangesSet(true))
        device.send()
        #expect(device.core.state.hasPendingUntrackedChanges)
        device.server.recordErrors = [:]
        device.send()
        #expect(!device.core.state.hasPendingUntrackedChanges)
    }

    @Test(
        .holds("P13", "S54"),
        arguments: [
            SendChangesOptions.Scope.zoneIDs([notes]), .allExcluding([tasks]),
            .recordIDs([note("a")]),
        ]
    )
    func theFlagStaysWhenTheCallWasAboutSome(scope: SendChangesOptions.Scope) {
        var device = CoreFixture()
        device.handle(.untrackedChangesSet(true))
        device.send(scope)
        #expect(device.core.state.hasPendingUntrackedChanges)
        device.send()
        #expect(!device.core.state.hasPendingUntrackedChanges)
    }
}
