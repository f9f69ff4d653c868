import RecordModel
import SyncCore

/// Collects the places where a story can be interrupted.
final class Recorder {
    /// When, within a commit, the process dies.
    enum Moment: CaseIterable {
        case before
        case after
        case torn
    }

    /// A device whose process dies here.
    struct Crash {
        var world: World
        var device: Int
        var label: String
        var moment: Moment
    }

    /// A call of the server that is about to be made.
    struct Call {
        var world: World
        var device: Int
        var number: Int
        var request: String
        var isModifying: Bool
    }

    private(set) var crashes: [Crash] = []
    private(set) var calls: [Call] = []
    private let wantsCrashes: Bool

    init(wantsCrashes: Bool) { self.wantsCrashes = wantsCrashes }

    func add(_ world: World, _ device: Int, _ label: String, _ moment: Moment) {
        guard wantsCrashes else { return }
        var world = world
        world.recorder = nil
        crashes.append(Crash(world: world, device: device, label: label, moment: moment))
    }

    /// Before a request leaves.
    func addCall(_ world: World, _ device: Int, _ request: EngineEffect) {
        var world = world
        world.recorder = nil
        // The request is on its way again in the copy.
        world.devices[device].requests.insert(request, at: 0)
        if wantsCrashes {
            guard request.isModifying else { return }
            crashes.append(
                Crash(world: world, device: device, label: "request", moment: .before)
            )
        } else {
            calls.append(
                Call(
                    world: world,
                    device: device,
                    number: world.callCount,
                    // Tokens are no text.
                    request: String("\(request)".prefix { $0 != "\u{1}" && $0.isASCII }),
                    isModifying: request.isModifying
                )
            )
        }
    }

    /// After it arrived, before its answer comes.
    func addArrival(_ world: World, _ device: Int, _ request: EngineEffect) {
        guard wantsCrashes, request.isModifying else { return }
        var world = world
        world.recorder = nil
        crashes.append(Crash(world: world, device: device, label: "answer", moment: .after))
    }
}

extension Recorder {
    /// Every way to go on after the interruptions of a story.
    static func crashes(
        of story: Story,
        breakage: World.Breakage = .none,
        forgetting entry: Int? = nil
    ) -> [Crash] {
        var world = World(story, breakage: breakage)
        if let entry {
            let present = world.devices[0].disk.entryCount
            world.devices[0].disk.forgottenEntry = present + entry
        }
        let recorder = Recorder(wantsCrashes: true)
        world.recorder = recorder
        world.runStory()
        world.settle()
        return recorder.crashes
    }
}

extension Recorder.Crash {
    /// The states to restart from: the stored one, and some that were handed out before.
    func sources(number: Int) -> [Disk.Source] {
        guard world.story.storesEntries else { return [.newest] }
        let count = world.devices[device].disk.handedOut.count
        guard count > 0 else { return [.newest] }
        switch moment {
        case .before: return [.newest]
        case .after: return [.handedOut(count - 1)]
        case .torn: return [.handedOut(number % count)]
        }
    }

    /// Restarts, lets the rest of the story happen, and gives what is wrong at the end.
    func restart(from source: Disk.Source, _ fate: World.Fate) -> [String] {
        var world = world
        world.crash(device, from: source, fate)
        if !world.story.storesEntries { return restartWithoutEntries(world) }
        world.goOn(after: device)
        world.settle()
        return world.findings()
    }

    /// What an app that stores snapshots only lost, it can name; nothing else is missing.
    private func restartWithoutEntries(_ world: World) -> [String] {
        var world = world
        world.goOn(after: device)
        world.settle()
        let lost = world.devices[device].named.sorted().filter { id in
            world.devices[device].disk.rows[id].map {
                !$0.unsent.isEmpty || $0.isDeleted
            } == true
        }
        guard !lost.isEmpty else { return world.findings() }
        // The app asks again for what it named; then nothing is missing.
        world.askAgain(for: lost, on: device)
        world.settle()
        return world.findings()
    }
}

extension World {
    /// The app asks for changes again that a launch found to be lost.
    mutating func askAgain(for ids: [Record.ID], on device: Int) {
        for id in ids {
            let isDeleted = devices[device].disk.rows[id]?.isDeleted == true
            let change: PendingRecordZoneChange = isDeleted ? .deleteRecord(id) : .saveRecord(id)
            handle(.recordZoneChangesAdded([change]), on: device)
        }
    }
}

/// How a story ended.
struct StoryEnd {
    var findings: [String]
    /// The edits of every record that the server has.
    var contents: [Record.ID: Set<String>]
    /// Failures that apps were told of.
    var reports: [String]
}

extension World {
    mutating func end() -> StoryEnd {
        settle()
        var contents: [Record.ID: Set<String>] = [:]
        for account in ["ann", "bob"] {
            for record in records(of: account) {
                contents[record.recordID, default: []].formUnion(record.tags)
            }
        }
        return StoryEnd(
            findings: findings(),
            contents: contents,
            reports: failures + devices.flatMap { $0.disk.reported.map { "\($0)" } }
        )
    }
}

extension Recorder {
    /// Every call of the server in a story, and how the story ends if nothing happens to it.
    static func calls(of story: Story) -> (calls: [Call], end: StoryEnd) {
        var world = World(story)
        let recorder = Recorder(wantsCrashes: false)
        world.recorder = recorder
        world.runStory()
        return (recorder.calls, world.end())
    }
}

extension Recorder.Call {
    /// True if the engine lists all zones anew: such a listing tells which zones are gone, and not
    /// why.
    func hidesReasons(_ fault: CallFault) -> Bool {
        fault == .failure(.changeTokenExpired) && request.hasPrefix("fetchDatabaseChanges")
    }

    /// The rest of the story if this happens to the call.
    func course(_ fault: CallFault) -> StoryEnd {
        var world = world
        world.callFault = (number, fault)
        world.finishStep()
        world.runStory()
        return world.end()
    }
}
