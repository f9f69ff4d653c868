import RecordModel
import SyncCore
import Testing

/// One step of a story.
///
/// Devices are numbered; a record is named `name` or `zone/name`.
enum Step: Sendable {
    // Intents of an app.
    case edit(Int, [String])
    case editUnder(Int, String, parent: String)
    case editLarge(Int, String)
    case editUnlisted(Int, String)
    case delete(Int, [String])
    case removePending(Int, String)
    case saveZone(Int, String)
    case deleteZone(Int, String)
    case resume(Int)

    // Calls, and how far they get.
    case send(Int)
    case fetch(Int)
    case startSend(Int)
    case startFetch(Int)
    case runUntil(Int, Milestone)
    case run
    case cancel(Int)
    case notify(Int)
    case wait(seconds: Int64)
    case relaunch(Int)

    // What the world does.
    case signIn(Int, String)
    case signOut(Int)
    case purgeZone(String)
    case resetZone(String)
    case expireTokens(String)
    case expireAllTokens
    case refuse(String, SyncError.Code)
    case allowAll
    case quota(Int?)
    case batchCountMax(Int)
    case failNext(Int, SyncError.Code, retryAfter: Double?)
    case loseAnswer(Int)
    case loseRequest(Int)
    case delay(Int)
    case throwAt(Int, String, times: Int)
    case alwaysLater(Int, String?)

    /// How far a device gets.
    enum Milestone: Sendable {
        /// The app is asked for a batch.
        case asked
        /// A batch is on its way to the server.
        case sent
        /// The server has answered it.
        case arrived
        /// An event whose name begins so is in the app's hands.
        case handling(String)
    }

    /// The device whose app commits something in this step; nil if none does.
    var committingDevice: Int? {
        switch self {
        case .edit(let device, _), .editUnder(let device, _, _), .editLarge(let device, _),
            .editUnlisted(let device, _), .delete(let device, _), .removePending(let device, _),
            .saveZone(let device, _), .deleteZone(let device, _):
            device
        case .resume, .send, .fetch, .startSend, .startFetch, .runUntil, .run, .cancel, .notify,
            .wait, .relaunch, .signIn, .signOut, .purgeZone, .resetZone, .expireTokens,
            .expireAllTokens, .refuse, .allowAll, .quota, .batchCountMax, .failNext, .loseAnswer,
            .loseRequest, .delay, .throwAt, .alwaysLater:
            nil
        }
    }
}

/// What happens on some devices and their server, step after step.
struct Story: Sendable, CustomTestStringConvertible {
    var name: String
    var deviceCount = 2
    var isAutomatic = false
    var isAtomic = false
    /// True if the app lists its edits in entries that it prepares and stores; else it stores
    /// snapshots only.
    var storesEntries = true
    /// After so many state updates the app stores a snapshot and deletes what it covers.
    var compactsEvery = Int.max
    var batchCountMax = 250
    var pageCountMax = 400
    var recordByteCountMax = 1_000_000
    /// True if the end depends on who comes first, so that a delay may change it.
    var isRace = false
    var steps: [Step]

    var testDescription: String { name }
}

let notes = RecordZone.ID(zoneName: "notes")

/// The record that a story calls so.
func recordID(_ name: String) -> Record.ID {
    let parts = name.split(separator: "/").map(String.init)
    return parts.count == 2
        ? Record.ID(recordName: parts[1], zoneID: RecordZone.ID(zoneName: parts[0]))
        : Record.ID(recordName: name, zoneID: notes)
}
