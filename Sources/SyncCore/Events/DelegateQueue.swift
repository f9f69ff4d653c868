import RecordModel

/// What waits for the delegate, in order, and what it has in hand: one thing at a time.
struct DelegateQueue: Sendable {
    /// Something for the delegate.
    enum Item: Sendable {
        /// An event, and what follows once it was handled.
        case event(SyncEvent, FollowUp)
        /// The state as it is when this leaves, unless the delegate has that one already.
        case stateUpdate([FollowUp])
        /// A question for a batch.
        case batchQuestion(QuestionID, SendChangesContext)
        /// A question for the order of zones.
        case fetchOptionsQuestion(QuestionID, FetchChangesContext)
    }

    /// What the delegate has in hand.
    enum Hand: Sendable {
        /// Nothing: the next item may leave.
        case empty
        /// An event.
        case event(EventID, SyncEvent, FollowUp)
        /// The state with this version.
        case stateUpdate(EventID, SyncEvent.StateUpdate, UInt64, [FollowUp])
        /// A question.
        case question(QuestionID)
    }

    /// The number of what the delegate has in hand; nil if it has nothing.
    var handNumber: UInt64? {
        switch hand {
        case .empty: nil
        case .event(let id, _, _), .stateUpdate(let id, _, _, _): id.number
        case .question(let id): id.number
        }
    }

    /// The files of the event in hand: they stay until the delegate returns, whatever happens.
    var folderInHand: AssetFolderID?
    var items: [Item] = []
    var hand = Hand.empty
    /// Events during which the delegate threw: they come first in the next operation.
    var thrown: [Item] = []

    mutating func add(_ event: SyncEvent, _ followUp: FollowUp = .nothing) {
        items.append(.event(event, followUp))
    }

    /// Adds a state update, or lets one that is next in line serve this follow-up too.
    mutating func addStateUpdate(_ followUp: FollowUp) {
        if case .stateUpdate(let others) = items.last {
            items[items.count - 1] = .stateUpdate(others + [followUp])
        } else {
            items.append(.stateUpdate([followUp]))
        }
    }

    /// Drops what was to be told or asked of a former account's requests, and what would follow
    /// from the event in hand; gives what will not follow any more.
    ///
    /// A state update stays: the lanes that wait for it end on their own. So does the end of a
    /// zone whose beginning the delegate has seen.
    mutating func dropNewsOfRequests() -> [FollowUp] {
        var dropped: [FollowUp] = []
        var kept: [Item] = []
        for item in items {
            switch item {
            case .event(let event, .zoneConcluded):
                kept.append(.event(event, .formerAccount))
            case .event(_, let followUp) where followUp.isOfRequest:
                dropped.append(followUp)
            case .event, .stateUpdate:
                kept.append(item)
            case .batchQuestion, .fetchOptionsQuestion:
                continue
            }
        }
        items = kept
        thrown.removeAll { $0.isNewsOfRequest }
        if case .event(let id, let event, let followUp) = hand, followUp.isOfRequest {
            hand = .event(id, event, .formerAccount)
        }
        return dropped
    }

    /// Puts news of accounts first, but behind those that are there already.
    mutating func insertAccountNews(_ news: [Item]) {
        let place = items.lastIndex { $0.isNewsOfAccount }.map { $0 + 1 } ?? 0
        items.insert(contentsOf: news, at: place)
    }

    /// True while the delegate is being told of a sign-in that the state does not name.
    var isAnnouncementInHand: Bool {
        if case .event(_, _, .accountAnnounced) = hand { true } else { false }
    }

    /// True while news of accounts that the state tells of already wait for a second try.
    var keepsAccountNews: Bool { thrown.contains { $0.isNewsOfAccount && !$0.isAnnouncement } }

    /// Takes back a sign-in that the delegate has not been told of.
    mutating func withdrawAnnouncement() {
        items.removeAll { $0.isAnnouncement }
        thrown.removeAll { $0.isAnnouncement }
    }
}

extension DelegateQueue.Item {
    fileprivate var isNewsOfRequest: Bool {
        if case .event(_, let followUp) = self { followUp.isOfRequest } else { false }
    }

    fileprivate var isAnnouncement: Bool {
        if case .event(_, .accountAnnounced) = self { true } else { false }
    }

    fileprivate var isNewsOfAccount: Bool {
        guard case .event(let event, _) = self else { return false }
        if case .accountChange = event { return true }
        guard case .abandonedChanges(let abandoned) = event,
            case .accountChanged = abandoned.reason
        else { return false }
        return true
    }
}

/// What the engine does once the delegate has handled an event.
enum FollowUp: Sendable {
    /// Nothing.
    case nothing
    /// Nothing: its account is gone. Thrown at, it is not told again.
    case formerAccount
    /// An account was announced: the state is its.
    case accountAnnounced(userRecordName: String)
    /// A change of accounts was announced: operations may go on.
    case accountChangeAnnounced
    /// `willSendChanges` was handled: send zones.
    case sendAnnounced
    /// The state with the mark of changes of zones was stored: send.
    case zonesMarkStored(IdempotencyKey)
    /// What became of zones was reported.
    case zonesReported(
        IdempotencyKey,
        settled: [PendingZoneChanges.Entry],
        deleted: [RecordZone.ID]
    )
    /// The state with the in-flight mark was stored: send.
    case inFlightMarkStored(IdempotencyKey)
    /// What became of a batch was reported.
    case batchReported(IdempotencyKey, [StateChange.Disposition])
    /// Changes of a deleted zone were handed back.
    case zoneChangesAbandoned([StateChange.EndedChange])
    /// `didSendChanges` was handled.
    case sendConcluded
    /// The last state update of a send was handled: its call returns.
    case sendStored
    /// `willFetchChanges` was handled: fetch changed zones.
    case fetchAnnounced
    /// A page of changed zones was reported.
    case databasePageReported(DatabaseChangesReply, entry: IdempotencyKey)
    /// `willFetchRecordZoneChanges` was handled: fetch the zone.
    case zoneAnnounced(RecordZone.ID)
    /// A page of a zone's changes was reported.
    case zonePageReported(
        RecordZone.ID,
        token: ServerChangeToken,
        moreComing: Bool,
        kind: SyncEvent.FetchKind,
        folder: AssetFolderID?
    )
    /// `didFetchRecordZoneChanges` was handled: the next zone.
    case zoneConcluded(RecordZone.ID)
    /// `didFetchChanges` was handled.
    case fetchConcluded
    /// The last state update of a fetch was handled: its call returns.
    case fetchStored
}

extension FollowUp {
    /// The files that belong to the event.
    var folder: AssetFolderID? {
        if case .zonePageReported(_, _, _, _, let folder) = self { folder } else { nil }
    }

    /// True if it belongs to a request to the server, and so to an account.
    fileprivate var isOfRequest: Bool {
        switch self {
        case .sendAnnounced, .zonesReported, .batchReported, .zoneChangesAbandoned,
            .fetchAnnounced, .databasePageReported, .zoneAnnounced, .zonePageReported,
            .zoneConcluded:
            true
        case .nothing, .formerAccount, .accountAnnounced, .accountChangeAnnounced,
            .inFlightMarkStored, .zonesMarkStored,
            .sendConcluded, .sendStored, .fetchConcluded, .fetchStored:
            false
        }
    }
}
