package import RecordModel

/// An engine's state as a value that the app stores and gives back at the next launch.
///
/// Handing it out costs nothing: it is encoded only when the app asks for `bytes` or encodes it.
/// The bytes carry a version and a checksum; `Docs/StateFormat.md` has their grammar.
public struct StateSerialization: Sendable {
    package let state: EngineState
    /// The launches of which entries were replayed onto it.
    package var replayedWriters: Set<WriterID> = []

    /// Makes the state of an engine that has done nothing, such as a test needs for an event.
    public init() { self.init(snapshotOf: EngineState()) }

    package init(snapshotOf state: EngineState) {
        var state = state
        state.records = state.records.withoutIndex
        self.state = state
    }

    /// Puts stored entries onto a stored snapshot: the state to give to the next launch.
    ///
    /// Give the entries in the order in which they were stored. One that the snapshot covers, or
    /// that comes twice, changes nothing; gaps do no harm. Without a snapshot the entries are the
    /// whole state.
    public init(
        _ snapshot: StateSerialization?,
        applying entries: some Sequence<JournalEntry>
    ) {
        var state = snapshot?.restoredState() ?? EngineState()
        var replayed = snapshot?.replayedWriters ?? []
        for entry in ReplayOrder(Array(entries)).entries {
            replayed.insert(entry.id.writer)
            if !state.covers(entry.id) { state.apply(entry) }
        }
        self.init(snapshotOf: state)
        replayedWriters = replayed
    }

    /// Begins anew after the stored bytes turned out to be damaged.
    ///
    /// Every zone is fetched from the beginning with the reason `stateDamaged`, so that the app
    /// takes no row that the listing lacks for deleted. What was pending in the damaged state only
    /// the app knows: add it again.
    public init(afterDamage error: StateSerializationError) {
        var state = EngineState()
        state.firstFetchReason = .stateDamaged
        self.init(snapshotOf: state)
    }

    /// True if the state holds what the entry did: storing this state, delete the entry.
    public func covers(_ entry: JournalEntry) -> Bool { state.covers(entry.id) }

    /// The state as bytes: the form to store.
    public var bytes: [UInt8] { StateEncoder.encode(state) }

    /// Takes stored bytes back.
    ///
    /// Throws `StateSerializationError`, which keeps the bytes, if they are damaged or come from a
    /// newer version. An engine made without a state fetches everything and sends nothing of what
    /// was pending.
    public init(bytes: [UInt8]) throws(StateSerializationError) {
        state = try StateDecoder.decode(bytes)
    }

    /// The state as an engine works on it.
    package func restoredState() -> EngineState {
        guard let state = try? StateDecoder.decode(StateEncoder.encode(state)) else {
            preconditionFailure("what the encoder wrote, the decoder reads")
        }
        return state
    }
}

extension StateSerialization: Codable {
    /// Reads the state from its base64 text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Base64.decode(Array(text.utf8)) else {
            throw StateSerializationError.damaged(
                bytes: Array(text.utf8),
                reason: "it is not base64"
            )
        }
        try self.init(bytes: bytes)
    }

    /// Writes the state as one base64 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }
}

/// Why stored bytes are no state.
public enum StateSerializationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Something is missing or wrong in them; the bytes are kept for whoever can mend them.
    case damaged(bytes: [UInt8], reason: String)
    /// A newer version of this package wrote them.
    case newerFormat(bytes: [UInt8], version: Int)

    /// What is wrong, and what follows.
    public var description: String {
        switch self {
        case .damaged(let bytes, let reason):
            "the stored state of \(bytes.count) bytes is damaged: \(reason)"
        case .newerFormat(_, let version):
            "the stored state has format \(version), newer than \(StateEncoder.version): "
                + "a newer version of the app must read it"
        }
    }
}
