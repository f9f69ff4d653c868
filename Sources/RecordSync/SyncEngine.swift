import RecordModel
public import SyncCore

/// Syncs records that the app owns with a server, as CKSyncEngine does.
///
/// The app tells `state` which records changed. The engine asks its delegate for a batch of them,
/// sends it, fetches what other devices changed, and tells the delegate what happened, one event at
/// a time. It stores nothing: the app keeps the state that it is handed.
public final class SyncEngine: Sendable, CustomStringConvertible {
    /// Pending changes, and what else survives a relaunch.
    public let state: State
    let shell: EngineShell

    /// Makes an engine, and starts it if the configuration says `automaticallySync`.
    ///
    /// A configuration that cannot work (the public database, a state of another database) makes
    /// every call throw, with the reason; nothing is sent or fetched then.
    public init(_ configuration: Configuration) {
        shell = EngineShell(configuration)
        state = State(shell: shell)
        shell.start(self)
    }

    deinit { shell.enqueue(.endObservation) }

    /// The server connection that the engine was made with.
    public var database: any SyncDatabase { shell.database }

    /// Fetches what changed on the server.
    ///
    /// Returns once the delegate has handled all events of the fetch, the last state update
    /// included. Throws the error that ended it, a `partialFailure` if some zones failed, or what
    /// the delegate threw. Cancelling the task ends the wait and the fetch.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await shell.call("fetchChanges") { .fetchCalled($0, options) }
    }

    /// Sends pending changes.
    ///
    /// Returns once the delegate has handled all events of the send, the last state update
    /// included. Throws the error that ended it, a `partialFailure` if some items failed, or what
    /// the delegate threw. Changes that a handler queues again for failed items go out with the
    /// next call. Cancelling the task ends the wait; a request that has left is finished.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await shell.call("sendChanges") { .sendCalled($0, options) }
    }

    /// Cancels what runs and what waits, and returns at once; also inside a delegate's method.
    ///
    /// A batch that has left is finished. One that has not is reported with `operationCancelled`,
    /// and stays pending. After the `did…` event of an operation nothing more comes of it.
    public func cancelOperations() async { shell.handle(.operationsCancelled) }

    /// The database and the account's side of it, for a log.
    public var description: String { "SyncEngine(\(database.name))" }
}

extension SyncEngine {
    /// What an engine is made with.
    public struct Configuration: Sendable, CustomStringConvertible {
        /// The server connection.
        public var database: any SyncDatabase
        /// The state that was stored last; nil at the first launch.
        public var stateSerialization: State.Serialization?
        /// The app's side; held weakly by the engine.
        public var delegate: any SyncEngineDelegate
        /// Whether the engine syncs by itself; false leaves everything to explicit calls.
        public var automaticallySync = true
        /// Whether a save into a zone that the server does not know creates the zone first, once.
        public var createsMissingZones = false
        /// The figures of the scheduler.
        public var schedulingPolicy = SchedulingPolicy()
        /// How urgent what the engine does by itself is.
        public var priority = SyncPriority.default
        /// Tells how device and network are; nil if nothing is to be known of them.
        ///
        /// It begins as the platform's own for a database that has a `serverAddress`, and as nil
        /// for one that takes no network.
        public var conditionsMonitor: (any ConditionsMonitor)?
        /// A server's subscription to go on with; kept as a plain value.
        public var subscriptionID: String?
        /// Where the engine stages the files of assets, in a folder of its own inside; nil for a
        /// folder of this user beside the system's temporary files.
        ///
        /// Choose one on the volume of the app's files, so that fetched ones can be moved there
        /// without a copy. Several engines may share it.
        public var assetFolder: String?
        /// The file system that staging uses.
        package var assetFiles: any AssetFileSystem = SystemFiles()
        /// Time, chance and the place where tasks run.
        package var environment = EngineEnvironment.system

        /// Makes a configuration.
        public init(
            database: any SyncDatabase,
            stateSerialization: State.Serialization?,
            delegate: any SyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
            conditionsMonitor = database.serverAddress == nil ? nil : Self.platformMonitor
        }

        /// Nil where the platform has none.
        private static var platformMonitor: (any ConditionsMonitor)? {
            #if os(Linux)
                LinuxConditionsMonitor()
            #elseif canImport(Network)
                AppleConditionsMonitor()
            #else
                nil
            #endif
        }

        /// The database and the mode, for a log.
        public var description: String {
            "\(database.name), \(automaticallySync ? "automatic" : "manual"), "
                + "\(stateSerialization == nil ? "no state" : "stored state")"
        }
    }
}
