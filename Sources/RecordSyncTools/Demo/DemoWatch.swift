internal import MemoryCloud
internal import RecordModel
internal import RecordSync
internal import RecordSyncTesting

/// Three devices that sync by themselves while conditions change, and what they say they wait for.
///
/// Time is virtual: what takes minutes is shown in seconds, and every run shows the same.
struct DemoWatch {
    private let output: Output
    private let world = TestWorld(seed: 4)
    private let cloud: InMemoryCloud
    private let devices: [Watched]
    /// How long a person has for each step to read it.
    private let pause: Duration

    private struct Watched {
        let device: TestDevice
        let conditions: ManualConditions
    }

    init(_ output: Output) {
        self.output = output
        pause = output.hasReader ? .milliseconds(200) : .zero
        let cloud = InMemoryCloud(world)
        self.cloud = cloud
        let world = world
        devices = ["phone", "tablet", "laptop"].map { name in
            let conditions = ManualConditions(
                Conditions(
                    network: .available,
                    isLowPowerMode: false,
                    batteryPercent: 80,
                    isCharging: false,
                    load: 0.2,
                    isForeground: true
                )
            )
            let device = TestDevice(
                name,
                on: world,
                cloud: cloud,
                conditionsMonitor: conditions
            )
            return Watched(device: device, conditions: conditions)
        }
    }

    /// Shows it all; true if the devices hold the same at the end and wait for nothing.
    func run() async throws -> Bool {
        for step in steps {
            output.print("")
            output.print("\(elapsed)  \(step.words)")
            step.action()
            for duration in step.durations {
                try world.advance(by: duration)
                show()
                if pause > .zero { try await Task.sleep(for: pause) }
            }
        }
        return conclude()
    }

    private var elapsed: String { "t = \(world.elapsed.components.seconds) s" }

    private func show() {
        for watched in devices {
            let schedule = watched.device.engine.schedule
            guard !schedule.isAtRest else {
                output.print("\(elapsed)  \(watched.device.name): \(restWords(watched, schedule))")
                continue
            }
            output.print("\(elapsed)  \(watched.device.name):")
            for line in schedule.explain().split(separator: "\n") { output.print("    \(line)") }
        }
    }

    private func restWords(_ watched: Watched, _ schedule: Schedule) -> String {
        let notes = counted(watched.device.delegate.records.count, "note")
        guard let next = schedule.nextInstant else { return "at rest with \(notes)" }
        let rest = next.millisecondsSince1970 - schedule.instant.millisecondsSince1970
        return "at rest with \(notes); looks for changes in \(rest / 1000) s"
    }

    private func conclude() -> Bool {
        let zoneID = devices[0].device.zone.zoneID
        let server = cloud.records(in: zoneID, account: "alice").map(\.recordID.recordName)
        let isAlike = devices.allSatisfy { watched in
            watched.device.delegate.records.keys.map(\.recordName).sorted() == server.sorted()
                && watched.device.engine.schedule.isAtRest
        }
        output.print("")
        output.print(
            isAlike
                ? "\(elapsed)  All three hold the same \(counted(server.count, "note"))."
                : "\(elapsed)  The devices differ."
        )
        return isAlike
    }
}

// What happens.

extension DemoWatch {
    private struct Step {
        let words: String
        /// After each of these times the devices are asked.
        let durations: [Duration]
        let action: () -> Void
    }

    private var phone: Watched { devices[0] }
    private var tablet: Watched { devices[1] }
    private var laptop: Watched { devices[2] }

    private var steps: [Step] {
        [
            Step(words: "All three are launched.", durations: [.seconds(3)]) {},
            Step(
                words: "The phone loses its network; three notes are written on it.",
                durations: [.seconds(2), .seconds(20)]
            ) {
                phone.conditions.change { $0.network = .unavailable }
                cloud.setOnline(false, device: "phone")
                for name in ["milk", "bread", "tea"] { phone.device.save(name, text: "buy") }
            },
            Step(
                words: "The tablet writes a note; the laptop hears of it.",
                durations: [.seconds(2)]
            ) { tablet.device.save("train", text: "at nine") },
            Step(
                words: "The laptop's battery falls to 12 %; a note is written on it.",
                durations: [.seconds(2)]
            ) {
                laptop.conditions.change { $0.batteryPercent = 12 }
                laptop.device.save("report", text: "first draft")
            },
            Step(words: "Its user pulls the list down.", durations: [.seconds(2)]) {
                laptop.device.engine.requestSync(priority: .userInitiated)
            },
            Step(
                words: "The server is busy and asks the tablet to wait for 30 seconds.",
                durations: [.seconds(5), .seconds(27)]
            ) {
                cloud.inject(.next(.rateLimit(retryAfterSeconds: 30)).from("tablet"))
                tablet.device.save("train", text: "at ten")
            },
            Step(
                words: "The phone is back online.",
                durations: [.seconds(1), .seconds(2)]
            ) {
                cloud.setOnline(true, device: "phone")
                phone.conditions.change { $0.network = .available }
            },
            Step(
                words: "Notifications are lost; the phone writes a note, and the tablet finds it "
                    + "when it looks by itself.",
                durations: [.seconds(5), .seconds(120)]
            ) {
                cloud.setPushSilent(true)
                phone.device.save("butter", text: "buy")
            },
            Step(
                words: "The laptop is plugged in.",
                durations: [.seconds(5), .seconds(35)]
            ) {
                cloud.setPushSilent(false)
                laptop.conditions.change { $0.isCharging = true }
            },
        ]
    }
}
