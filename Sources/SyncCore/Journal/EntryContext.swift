/// What was the case when a journal entry was made, as far as a replay must know; mostly nothing.
package struct EntryContext: Hashable, Sendable {
    /// The database of a launch that began without a state: so that entries alone name it (H30).
    package var databaseName: String?
    /// Entries of the same launch that were prepared, and neither applied nor discarded: what they
    /// ask for came later, wherever they were stored.
    package var awaited = CoveredNumbers()
    /// Entries of others that the launch has applied while it ran; it knows of no others that were
    /// stored since it began.
    package var applied: [EngineState.WriterCoverage] = []

    package init() {}

    var isEmpty: Bool { databaseName == nil && awaited.isEmpty && applied.isEmpty }
}

extension StateChange {
    /// True if it ends changes that the app asked for, or takes them out of the queue: an entry
    /// that does so says what it does not know of.
    var endsIntents: Bool {
        switch self {
        case .recordChangesRemoved, .sendOpened, .databaseChangesSettled, .zoneChangesAbandoned,
            .zoneSendOpened, .zoneSendClosed, .accountReplaced:
            true
        case .recordChangesAdded, .prioritizedChangesAdded, .databaseChangesAdded,
            .untrackedChangesSet, .parkedChangesResumed, .sendPartOpened, .sendClosed,
            .databasePageHandled,
            .zoneListingBegun, .zoneListingPageHandled, .historySeen, .damageSettled,
            .tokensReset, .zonePageHandled, .fullFetchBegun, .zoneForgotten, .zoneMissed,
            .accountIdentified, .accountSignedOut, .retryDelaySet:
            false
        }
    }

    /// True if the app asks for something with it.
    var isIntent: Bool {
        if case .recordChangesAdded = self { return true }
        if case .prioritizedChangesAdded = self { return true }
        if case .databaseChangesAdded = self { return true }
        return false
    }
}
