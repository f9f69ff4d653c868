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
    }

    let name: String
    /// Who is signed in on the device.
    var account: String?
    var core: EngineCore
    var writer: WriterID
    var disk = Disk()
    /// When the process began.
    var bootedAt: Duration
    var hand = Hand.empty
    /// Requests that have not reached the server.
    var requests: [EngineEffect] = []
    /// The server's answers that have not reached the engine.
    var answers: [EngineInput] = []
    /// What happens to the next batches on their way.
    var batchFaults: [CallFault] = []
    /// Events at which the app throws, by the beginning of their names.
    var throwing: [(event: String, times: Int)] = []
    /// The record that the app puts off whenever it is asked for it.
    var postponed: Record.ID?
    var stateUpdateCount = 0
    /// Rows that a launch found to be changed and not pending: what an app that stores snapshots
    /// only has lost, and can name.
    var named: Set<Record.ID> = []
    /// The edits that the state in the delegate's hands holds.
    var windowInHand = 0
    /// What the app has not written yet although it should.
    var owed: [Part] = []
    var callCount: UInt64 = 0
    var eventNames: [String] = []
}

/// What happens to a call of the server.
enum CallFault: Hashable, Sendable {
    /// It never arrives.
    case requestLost
    /// It arrives; its answer does not.
    case answerLost
    /// It arrives twice, and both answers come back.
    case duplicated
    /// It counts as lost and arrives later all the same.
    case late
    /// The server answers with an error and does nothing.
    case failure(SyncError.Code, retryAfter: Double? = nil)

    static let networkFaults: [CallFault] = [.requestLost, .answerLost, .duplicated, .late]
    static let all = networkFaults + SyncError.Code.allCases.map { .failure($0) }

    /// What can happen to a call.
    ///
    /// A call that writes fails with each code there is. To others the engine asks only for the
    /// code's row in its table, so each row is tried with one of its codes, a call after a call
    /// with another.
    static func all(of call: Recorder.Call) -> [CallFault] {
        guard !call.isModifying else { return all }
        var rows: [(outcome: RequestOutcome, codes: [SyncError.Code])] = []
        // A zone that is there is not said to be gone: the engine would believe it.
        let codes = SyncError.Code.allCases.filter { $0 != .zoneNotFound && $0 != .userDeletedZone }
        for code in codes {
            let outcome = RequestOutcome(code)
            if let row = rows.firstIndex(where: { $0.outcome == outcome }) {
                rows[row].codes.append(code)
            } else {
                rows.append((outcome, [code]))
            }
        }
        return networkFaults + rows.map { .failure($0.codes[call.number % $0.codes.count]) }
    }
}
