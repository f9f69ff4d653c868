// Mistakes on purpose, by which a test sees that its checks notice. Debug builds alone hold them:
// `PLANTED_BUGS` is defined in Package.swift, and a release build compiles none of this.
#if PLANTED_BUGS
    /// A mistake that an engine makes if its configuration says so.
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
    }
#endif
