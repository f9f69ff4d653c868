public import RecordSync

/// Several devices that run an app's own delegate through trouble that a seed chooses.
///
///     var devices = SimulatedDevices(
///         store: { _ in Notes() },
///         delegate: { _, notes in notes },
///         state: { notes in notes.storedState },
///         content: { notes in notes.lines }
///     )
///     devices.action("edit") { notes, engine, turn in notes.write("n", "\(turn.step)", engine) }
///     try devices.run(seeds: 0..<500)
///
/// A run makes the devices, lets them act and sync while requests get lost and apps crash, then
/// heals everything and waits until nothing is left to do. All devices of an account must then
/// have the same content. A run that fails throws a `SimulationFailure`, which names the seed.
///
/// A store is what is left when the app crashes; the delegate is made anew from it at each launch.
/// All runs in a `TestWorld`: no real time passes, and one seed always gives one trace.
public struct SimulatedDevices<Store: Sendable, App: SyncEngineDelegate>: Sendable {
    /// How many devices there are.
    public var deviceCount = 3
    /// Whose they are: the first device is the first account's, and so on, in turn.
    public var accounts = ["alice"]
    /// How many steps a run has before all is healed.
    public var stepCount = 60
    /// What may go wrong.
    public var faults = Set(SimulatedFault.allCases)
    /// Whether a crash may come between an action and the state update that it leads to.
    ///
    /// False is right for an app that keeps its edits and the state apart, as CKSyncEngine's do;
    /// such a crash loses what was added. An app that stores journal entries with its rows, or
    /// looks for unsent rows at launch, can stand true.
    public var crashesBeforeEditsAreStored = false

    let makeStore: @Sendable (SimulatedDevice) -> Store
    let makeApp: @Sendable (SimulatedDevice, Store) -> App
    let state: @Sendable (Store) -> SyncEngine.State.Serialization?
    let content: @Sendable (Store) -> [String]
    var actions: [Action] = []
    var launches: [@Sendable (App, SyncEngine) throws -> Void] = []
    var checks: [@Sendable ([SimulatedContent<Store>]) throws -> Void] = []

    /// Something that the app's user does on a device.
    public typealias ActionBody = @Sendable (App, SyncEngine, SimulatedTurn) throws -> Void

    struct Action: Sendable {
        let name: String
        let weight: Int
        let body: ActionBody
    }

    /// Says how the app is made, and what of it is compared.
    ///
    /// - Parameters:
    ///   - store: Makes an empty store, once for each device of a run.
    ///   - delegate: Makes the delegate on a store, at each launch.
    ///   - state: Gives the engine's state that the app stored last.
    ///   - content: Gives, as sorted lines, what must be equal on all devices of an account.
    public init(
        store: @escaping @Sendable (SimulatedDevice) -> Store,
        delegate: @escaping @Sendable (SimulatedDevice, Store) -> App,
        state: @escaping @Sendable (Store) -> SyncEngine.State.Serialization?,
        content: @escaping @Sendable (Store) -> [String]
    ) {
        makeStore = store
        makeApp = delegate
        self.state = state
        self.content = content
    }

    /// Adds something that users do; one of double weight is done twice as often.
    public mutating func action(
        _ name: String,
        weight: Int = 1,
        _ body: @escaping ActionBody
    ) {
        precondition(weight > 0, "an action of no weight is never done")
        actions.append(Action(name: name, weight: weight, body: body))
    }

    /// Adds what the app does at each launch, once it has an engine.
    public mutating func atLaunch(
        _ body: @escaping @Sendable (App, SyncEngine) throws -> Void
    ) {
        launches.append(body)
    }

    /// Adds a check of the devices at the end of a run; what it throws fails the run.
    ///
    /// Devices that lost an edit together are equal: have each action leave a mark of its own, and
    /// look for the marks here.
    public mutating func check(
        _ body: @escaping @Sendable ([SimulatedContent<Store>]) throws -> Void
    ) {
        checks.append(body)
    }

    /// Runs a seed, and gives its trace, line by line: the same in every run and process.
    @discardableResult
    public func run(seed: UInt64) throws(SimulationFailure) -> [String] {
        var run = SimulationRun(self, seed: seed)
        do {
            try run.play()
        } catch {
            throw run.failure(error)
        }
        return run.trace.lines
    }

    /// Runs one seed after the other, up to the first that fails.
    public func run(seeds: Range<UInt64>) throws(SimulationFailure) {
        for seed in seeds { try run(seed: seed) }
    }
}
