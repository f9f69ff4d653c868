extension StateSerialization {
    /// A state that says whose it is, account and database, and holds nothing.
    ///
    /// Entries put onto it instead of a lost snapshot never go out under another account.
    package var owner: StateSerialization {
        var owner = EngineState()
        owner.account = state.account
        owner.databaseName = state.databaseName
        return StateSerialization(snapshotOf: owner)
    }

    /// True if whose it is stands in it.
    package var namesOwner: Bool { state.account != .unidentified || state.databaseName != nil }
}
