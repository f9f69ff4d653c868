// Mistakes on purpose, by which a test sees that its checks notice. Debug builds alone hold them:
// `PLANTED_BUGS` is defined in Package.swift, and a release build compiles none of this.
#if PLANTED_BUGS
    /// A mistake that an engine or a server makes if its configuration says so.
    package enum PlantedBug: String, CaseIterable, Hashable, Sendable {
        /// The state names a zone's new token before the delegate has what it stands behind.
        case tokenBeforeNews
        /// A batch leaves before the state with its in-flight mark was handled.
        case sendBeforeMark
        /// Every third entry of the journal is in no state update.
        case entryDropped
        /// Every batch of a launch has the same idempotency key.
        case keyReused
        /// Nobody asks what became of the sends of an earlier launch.
        case outcomeNotAsked
        /// A batch that had no effect leaves the queue.
        case unsentChangesForgotten
        /// Another account takes over what the former one had not sent, and nobody is told.
        case accountChangeMissed
        /// Nobody waits as long as the server asks to.
        case retryDelayIgnored
        /// The answer to an older request counts for the present one.
        case lateAnswerTaken
        /// What a send confirms takes a newer edit of the same record along.
        case newerEditConfirmedToo
        /// An edit made while its batch is being made counts as sent.
        case editWhileBatchIsMadeLost
        /// A page that was asked for before a reset counts as the whole list of zones.
        case pageOfBeforeResetTaken
        /// Of several pages the first counts as the last.
        case pagesSkipped
        /// Nobody hears of deletions.
        case deletionsNotTold
        /// A zone that is not there is forgotten, and its rows stay.
        case missingZoneForgotten
        /// What this engine sent is no news, even if it was told that the send failed.
        case failedSendHidden
        /// A batch is as large as it gets.
        case batchLimitIgnored
        /// A zone's pages come without a beginning.
        case zoneNotAnnounced
        /// A failed send is tried again at once.
        case retryWithoutDelay
        /// A failed send is not tried again.
        case retryNeverComes
        /// A call ends twice.
        case callEndsTwice
        /// Former launches are never forgotten.
        case writersKept
        /// What failed for a passing reason leaves the queue.
        case failedChangesForgotten
        /// A server takes a save built on any version.
        case anyVersionTaken
        /// A server forgets the keys of sends.
        case keysForgotten
        /// A server takes the good members of an atomic batch.
        case atomicityIgnored
        /// A server stores the sent keys alone.
        case otherKeysDropped
        /// A server's pages lack their last row.
        case rowSkipped
        /// A server says that there is no more when there is.
        case moreComingDenied
        /// A server takes tokens whatever their seal says.
        case tokenSealUnchecked
        /// A server that said that a send had no effect takes it when it comes.
        case closedKeyTaken
        /// A server takes children without parents.
        case parentUnchecked
        /// A server makes a record anew that was saved on a deleted version.
        case deletedRecordMade
    }
#endif
