import RecordSyncTesting
import Synchronization
import Testing

@Test func notesAgreeWhateverHappens() throws {
    var devices = SimulatedDevices(
        store: { _ in Notes() },  // here the delegate itself is what outlives a crash
        delegate: { _, notes in notes },
        state: { notes in notes.storedState.withLock { $0 } },
        content: { notes in
            ["milk", "bread"].map { "\($0): \(notes.text($0) ?? "none")" }
        }
    )
    devices.action("write", weight: 2) { notes, engine, turn in
        notes.write(turn.pick(["milk", "bread"]), "\(turn.device.name) \(turn.step)", engine)
    }
    try devices.run(seeds: 0..<100)
}
