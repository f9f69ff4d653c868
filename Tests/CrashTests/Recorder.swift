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
                    request: "\(request)"
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
    static func crashes(of story: Story, breakage: World.Breakage = .none) -> [Crash] {
        var world = World(story)
        world.breakage = breakage
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
        var findings: [String] = []
        let named = world.devices[device].named
        let window = world.devices[device].disk.window
        for id in named.sorted() {
            let row = world.devices[device].disk.rows[id]
            let isKnown =
                row?.isDeleted == true
                ? window.contains("deletion of \(id)")
                : row?.unsent.allSatisfy(window.contains) == true
            if !isKnown { findings.append("\(id) was lost outside of the window") }
        }
        world.goOn(after: device)
        let lost = named.sorted().filter { id in
            world.devices[device].disk.rows[id].map {
                !$0.unsent.isEmpty || $0.isDeleted
            } == true
        }
        // The app asks again for what it named; then nothing is missing.
        world.askAgain(for: lost, on: device)
        world.settle()
        return findings + world.findings()
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
