import RecordModel
import SyncCore

/// A running engine with its app.
struct Device {
    /// What the delegate has in hand.
    enum Hand {
        case empty
        case event(EventID, SyncEvent)
        case batch(QuestionID, SendChangesContext)
        case fetchOptions(QuestionID, FetchChangesContext)

        var isEmpty: Bool { if case .empty = self { true } else { false } }
    }

    /// What kind of an app and device this is; a relaunch keeps it.
    struct Character {
        var isAutomatic = true
        /// True if the app stores prepared entries with its rows; else it stores snapshots only.
        var storesEntries = true
        var isAtomic = false
        /// True if a deletion names the version that is to be deleted.
        var deletesConditionally = true
        /// After so many state updates the app stores a snapshot and deletes what it covers.
        var compactsEvery = 5
        var batchCountMax = 250
        /// Registers that this version of the app knows.
        var registerCount = 3
    }

    let number: Int
    var character: Character
    /// Who is signed in on the device.
    var account: String?
    var core: EngineCore
    var writer: WriterID
    var disk = Disk()
    /// Counts launches.
    var boot = 0
    var isRunning = true
    /// When the process began.
    var bootedAt: Duration
    /// How far the device's wall clock is off, in milliseconds.
    var clockOffset: Int64 = 0
    var wakeGeneration = 0
    var wakeTime: Duration?

    var hand = Hand.empty
    var handNumber = 0
    /// Requests whose answers the engine still waits for.
    var open: [OpenRequest] = []
    /// Calls that have not ended.
    var calls: [CallID] = []
    var callCount: UInt64 = 0
    var stateUpdateCount = 0
    /// Entries that are stored and not applied yet.
    var unapplied = 0

    var weather = Weather()
    /// Where the process dies next.
    var crashPoint: CrashPoint?
    var isStoreFailing = false
    var throwCount = 0
    var handlerDelay = 3
    /// The record that the app puts off whenever it is asked for it.
    var postponed: Record.ID?
    /// Codes with which the next requests fail.
    var failures: [SyncError] = []
    var isNextAnswerHostile = false

    var name: String { deviceName(number) }
}

/// A request that the engine waits for.
struct OpenRequest {
    var id: RequestID
    var request: EngineEffect
    var sentAt: Duration
}

/// Where a process dies.
enum CrashPoint: Hashable {
    case beforeStateStored
    case tornWrite
    case betweenPages
    case whileAcknowledging
    case inFullFetch
}

/// What the network does to a device's messages, in percent.
struct Weather {
    var requestLoss = 0
    var answerLoss = 0
    var duplicates = 0
    var silence = 0
    var slowness = 0
    var isCutUp = false
    var isCutDown = false
    var isOffline = false
}
