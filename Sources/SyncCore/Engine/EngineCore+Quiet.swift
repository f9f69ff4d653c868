// What is left to do, for whoever watches an engine from the outside.

extension EngineCore {
    /// True if nothing is under way: no operation runs or waits, and the delegate has heard all.
    package var isIdle: Bool {
        guard case .empty = session.delegateQueue.hand else { return false }
        return session.send.current == nil && session.send.waiting.isEmpty
            && session.fetch.current == nil && session.fetch.waiting.isEmpty
            && session.delegateQueue.items.isEmpty && session.delegateQueue.thrown.isEmpty
    }

    /// True while something is to be sent that nothing but time holds back.
    package var hasOpenWork: Bool {
        !state.databaseChanges.entries.isEmpty || !state.openSends.isEmpty
            || state.records.hasOfferable(after: WalkPosition(), in: .all)
    }

    /// True while something is pending, in flight or of unknown outcome.
    package var hasWork: Bool {
        !state.records.isEmpty || !state.databaseChanges.entries.isEmpty
            || !state.openSends.isEmpty || state.hasPendingUntrackedChanges
    }
}
