package import RecordModel

/// The server: one request in, one reply out, over a storage.
///
/// A value without clock, chance or waiting: the time is an argument, and everything that lasts is
/// in the storage. Every call is one transaction; a call that throws had no effect, but for the two
/// that say otherwise. One call runs at a time; whoever holds the server sees to it.
///
/// What the rules are is told where they stand: saves in `SaveRules`, links in `ReferenceRules`,
/// batches in `ModifyPlan`, feeds and tokens in `TokenCodec` and the `Fetch…` files.
package struct Server<Storage: ServerStorage>: Sendable {
    /// Also written by whoever runs the server, between requests.
    package var storage: Storage
    package var configuration: ServerConfiguration
    /// Items that requests refuse for now, whatever the rules say: faults that a test asked for.
    package var refusals: [SyncError.ItemID: SyncError] = [:]

    package init(storage: Storage, configuration: ServerConfiguration) {
        self.storage = storage
        self.configuration = configuration
    }
}

#if PLANTED_BUGS
    extension Server {
        /// True if the server is to make this mistake; nothing else asks.
        func makes(_ bug: PlantedBug) -> Bool { configuration.plantedBugs.contains(bug) }
    }
#endif

extension Server {
    /// Throws what an item is refused with for now.
    func checkRefusal(of item: SyncError.ItemID) throws {
        guard !refusals.isEmpty, let refusal = refusals[item] else { return }
        throw refusal
    }

    /// Runs a request that writes: all of it lasts, or nothing of it.
    mutating func write<Reply>(_ body: (inout Self) throws -> Reply) throws(SyncError) -> Reply {
        try transact(.writing, body)
    }

    /// Runs a request that only reads.
    mutating func read<Reply>(_ body: (inout Self) throws -> Reply) throws(SyncError) -> Reply {
        try transact(.reading, body)
    }

    private mutating func transact<Reply>(
        _ access: StorageAccess,
        _ body: (inout Self) throws -> Reply
    ) throws(SyncError) -> Reply {
        do {
            try storage.begin(access)
        } catch {
            throw syncError(from: error)
        }
        do {
            let reply = try body(&self)
            try storage.commit()
            return reply
        } catch {
            storage.rollback()
            throw syncError(from: error)
        }
    }
}

private func syncError(from error: any Error) -> SyncError {
    if let error = error as? SyncError { return error }
    switch error as? StorageError {
    case .unavailable(let message): return SyncError(.serviceUnavailable, message)
    case .damaged(let message): return SyncError(.internalError, message)
    case nil: return SyncError(.internalError, "the server failed")
    }
}
