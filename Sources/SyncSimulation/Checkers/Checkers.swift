import RecordModel
import ServerCore
import SyncCore

/// Everything that watches a run, apart from what drives it.
struct Checkers {
    /// The first rule that was broken; the run ends there.
    private(set) var verdict: Verdict?
    var ledger = Ledger()
    var order = EventOrder()
    var spin = SpinChecker()
    var tokens = TokenOrder()
    /// Whose edit each tag is.
    var ownerOfTag: [String: String] = [:]
    /// What a page of a zone told, by the token at its end.
    var pages: [[UInt8]: Page] = [:]
    /// Until when the server asked each device to leave it alone.
    var rests: [Rest?] = []
    /// The tokens of each device's newest state.
    var stateTokens: [[(zoneID: RecordZone.ID, token: ServerChangeToken)]] = []
    var reader = Reader()

    /// The versions of records in one page, and whose it was.
    struct Page {
        var account: String
        var records: [(id: Record.ID, changeTag: String)]
    }

    /// Until when, in a device's time.
    struct Rest {
        var until: Duration
    }

    mutating func report(_ kind: Verdict.Kind, _ checker: String, _ what: String) {
        guard verdict == nil else { return }
        verdict = Verdict(kind: kind, checker: checker, what: what)
    }

    mutating func addDevice() {
        order.addDevice()
        spin.addDevice()
        tokens.addDevice()
        rests.append(nil)
        stateTokens.append([])
    }

    mutating func relaunched(_ device: Int) {
        order.relaunched(device)
        tokens.relaunched(device)
        rests[device] = nil
        stateTokens[device] = []
    }

    /// The server's history, or its secret, is another one: old tokens say nothing any more.
    mutating func forgetTokens() {
        tokens.forget()
        reader = Reader()
    }
}

/// Sees an engine that goes round without time passing (I21).
struct SpinChecker {
    private var counts: [(time: Duration, inputs: Int)] = []
    static let inputCountMax = 3000

    mutating func addDevice() { counts.append((.zero, 0)) }

    /// Notes an input.
    mutating func note(_ device: Int, _ time: Duration) {
        // A thousandth of a second is none: handlers return at once.
        if time - counts[device].time > .milliseconds(50) { counts[device] = (time, 0) }
        counts[device].inputs += 1
    }

    func isSpinning(_ device: Int) -> Bool { counts[device].inputs > Self.inputCountMax }
}

/// Sees a zone's token that moves back (I18).
struct TokenOrder {
    typealias Place = (generation: UInt64, position: LogPosition)

    private var newest: [[RecordZone.ID: Place]] = []

    mutating func addDevice() { newest.append([:]) }

    mutating func relaunched(_ device: Int) { newest[device] = [:] }

    mutating func forget() {
        for device in newest.indices { newest[device] = [:] }
    }

    /// True if a request goes on behind a place at which the device was already.
    ///
    /// No token at all is a full fetch, which is announced.
    mutating func isBackward(_ place: Place?, _ zoneID: RecordZone.ID, on device: Int) -> Bool {
        let known = newest[device][zoneID]
        newest[device][zoneID] = place
        guard let known, let place, known.generation == place.generation else { return false }
        return place.position < known.position
    }
}
