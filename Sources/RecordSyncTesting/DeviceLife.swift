import RecordSync

/// One launch of an app on a simulated device: from its start to its crash.
final class DeviceLife: Sendable {
    let name: String
    private let executor: SteppedExecutor
    private let trace: SimulationTrace
    private let protected = Guarded(Protected())

    fileprivate struct Protected {
        var isDead = false
        var crash: PlannedCrash?
        /// True while an edit is in no stored state: no planned crash comes then.
        var isSafe = false
    }

    /// A crash at one of the delegate's next calls.
    struct PlannedCrash {
        /// Calls that go well before it.
        var skipCount: Int
        /// Whether the app has done its work by then, of which the engine does not learn.
        let isAfterCall: Bool
    }

    fileprivate enum Entry {
        case dead
        case crashes
        case runs(crashesAfter: Bool)
    }

    init(name: String, executor: SteppedExecutor, trace: SimulationTrace) {
        self.name = name
        self.executor = executor
        self.trace = trace
    }

    var isDead: Bool { protected.withLock { $0.isDead } }

    func plan(_ crash: PlannedCrash?) { protected.withLock { $0.crash = crash } }

    /// Puts a planned crash off until the next state update was handled.
    func putCrashOff() { protected.withLock { $0.isSafe = true } }

    func stateWasStored() { protected.withLock { $0.isSafe = false } }

    /// Ends the life; no call of its delegate and no request comes after.
    func end() { protected.withLock { $0.isDead = true } }

    /// Does the delegate's part of a call, unless the app is dead or dies at it.
    func call<Value: Sendable>(
        _ call: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        guard case .runs(let crashesAfter) = enter(call) else { throw DeviceCrash() }
        trace.add("\(name): \(call)")
        let id = executor.beginCall("\(name): \(call)")
        let value: Value
        do {
            value = try await SteppedExecutor.$call.withValue(id) { try await body() }
            executor.endCall(id)
        } catch {
            executor.endCall(id)
            trace.add("\(name): \(call) threw")
            throw error
        }
        guard crashesAfter else { return value }
        end()
        trace.add("\(name): crashes after \(call)")
        throw DeviceCrash()
    }

    private func enter(_ call: String) -> Entry {
        let entry = protected.withLock { $0.enter() }
        if case .crashes = entry { trace.add("\(name): crashes before \(call)") }
        return entry
    }
}

extension DeviceLife.Protected {
    fileprivate mutating func enter() -> DeviceLife.Entry {
        if isDead { return .dead }
        guard !isSafe, let planned = crash else { return .runs(crashesAfter: false) }
        if planned.skipCount > 0 {
            crash?.skipCount -= 1
            return .runs(crashesAfter: false)
        }
        crash = nil
        if planned.isAfterCall { return .runs(crashesAfter: true) }
        isDead = true
        return .crashes
    }
}

/// What the engine of a dead app is told.
struct DeviceCrash: Error {}

/// Stands between an engine and the app's delegate: it names each call, and lets the app die.
final class SimulatedDelegate<App: SyncEngineDelegate>: SyncEngineDelegate {
    let app: App
    private let life: DeviceLife

    init(_ app: App, life: DeviceLife) {
        self.app = app
        self.life = life
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async throws {
        try await life.call(event.description) {
            try await app.handleEvent(event, syncEngine: syncEngine)
            if case .stateUpdate = event { life.stateWasStored() }
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.RecordZoneChangeBatch? {
        try await life.call("nextRecordZoneChangeBatch") {
            try await app.nextRecordZoneChangeBatch(context, syncEngine: syncEngine)
        }
    }

    func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext,
        syncEngine: SyncEngine
    ) async throws -> SyncEngine.FetchChangesOptions {
        try await life.call("nextFetchChangesOptions") {
            try await app.nextFetchChangesOptions(context, syncEngine: syncEngine)
        }
    }
}
