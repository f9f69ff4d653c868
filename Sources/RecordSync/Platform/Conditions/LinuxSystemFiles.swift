import SyncCore

/// What a Linux system tells about itself in files.
struct LinuxSystemFiles: Sendable {
    /// The folder in which `proc` and `sys` are.
    let root: String

    /// What the batteries and the mains say together; nil where there is none.
    var power: (percent: Int?, isCharging: Bool?) {
        var percents: [Int] = []
        var isCharging: Bool?
        for name in names(in: "sys/class/power_supply") {
            let folder = "sys/class/power_supply/\(name)"
            // The battery of a mouse is not the device's.
            if line("\(folder)/scope") == "Device" { continue }
            switch line("\(folder)/type") {
            case "Battery":
                if let percent = line("\(folder)/capacity").flatMap(Int.init) {
                    percents.append(min(max(percent, 0), 100))
                }
                switch line("\(folder)/status") {
                case "Charging", "Full", "Not charging": isCharging = true
                case "Discharging": isCharging = isCharging ?? false
                case _: break
                }
            case "Mains", "USB", "USB_C", "USB_PD", "Wireless":
                if line("\(folder)/online") == "1" { isCharging = true }
            case _: continue
            }
        }
        let sum = percents.reduce(0, +)
        return (percents.isEmpty ? nil : sum / percents.count, isCharging)
    }

    /// True while the system's power profile is the saving one; nil where there are no profiles.
    var isLowPowerMode: Bool? {
        line("sys/firmware/acpi/platform_profile").map { $0 == "low-power" || $0 == "quiet" }
    }

    /// Tasks that wanted to run in the last minute, for each processor.
    var load: Double? {
        guard let first = line("proc/loadavg")?.split(separator: " ").first,
            let tasks = Double(first), tasks.isFinite, tasks >= 0
        else { return nil }
        return tasks / Double(max(processorCount, 1))
    }

    /// From a list such as `0-3,6`.
    private var processorCount: Int {
        guard let list = line("sys/devices/system/cpu/online") else { return 1 }
        return list.split(separator: ",").reduce(0) { count, range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last, last < 1 << 20 else {
                return count
            }
            return count + last - first + 1
        }
    }

    /// True for a link that is up; one that does not say counts if it has a carrier.
    func isUp(_ interface: String) -> Bool {
        let folder = "sys/class/net/\(interface)"
        switch line("\(folder)/operstate") {
        case "up": return true
        case "unknown": return line("\(folder)/carrier") != "0"
        case nil: return true
        case _: return false
        }
    }

    func names(in folder: String) -> [String] {
        let names = try? SystemFiles().names(in: path(folder))
        return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The first line of a file; nil if it cannot be read.
    func line(_ file: String) -> String? { lines(file)?.first }

    func lines(_ file: String) -> [String]? {
        guard let bytes = try? SystemFiles().contents(of: path(file)) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
            line in
            var line = line[...]
            while line.last?.isWhitespace == true { line.removeLast() }
            return String(line)
        }
    }

    private func path(_ file: String) -> String {
        root.hasSuffix("/") ? root + file : root + "/" + file
    }
}
