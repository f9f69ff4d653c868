extension SyncEvent {
    /// What kind an event is, without its content.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `stateUpdate`.
        case stateUpdate
        /// `accountChange`.
        case accountChange
        /// `fetchedDatabaseChanges`.
        case fetchedDatabaseChanges
        /// `fetchedRecordZoneChanges`.
        case fetchedRecordZoneChanges
        /// `sentDatabaseChanges`.
        case sentDatabaseChanges
        /// `sentRecordZoneChanges`.
        case sentRecordZoneChanges
        /// `willFetchChanges`.
        case willFetchChanges
        /// `willFetchRecordZoneChanges`.
        case willFetchRecordZoneChanges
        /// `didFetchRecordZoneChanges`.
        case didFetchRecordZoneChanges
        /// `didFetchChanges`.
        case didFetchChanges
        /// `willSendChanges`.
        case willSendChanges
        /// `didSendChanges`.
        case didSendChanges
        /// `abandonedChanges`.
        case abandonedChanges

        /// The kind of an event.
        public init(_ event: SyncEvent) {
            self =
                switch event {
                case .stateUpdate: .stateUpdate
                case .accountChange: .accountChange
                case .fetchedDatabaseChanges: .fetchedDatabaseChanges
                case .fetchedRecordZoneChanges: .fetchedRecordZoneChanges
                case .sentDatabaseChanges: .sentDatabaseChanges
                case .sentRecordZoneChanges: .sentRecordZoneChanges
                case .willFetchChanges: .willFetchChanges
                case .willFetchRecordZoneChanges: .willFetchRecordZoneChanges
                case .didFetchRecordZoneChanges: .didFetchRecordZoneChanges
                case .didFetchChanges: .didFetchChanges
                case .willSendChanges: .willSendChanges
                case .didSendChanges: .didSendChanges
                case .abandonedChanges: .abandonedChanges
                }
        }
    }
}
