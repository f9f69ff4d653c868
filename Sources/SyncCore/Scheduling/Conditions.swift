/// What the scheduler looks at besides the work: the device and what it is connected to.
///
/// What nobody measured is unknown. It counts as good, and the schedule says so.
public struct Conditions: Hashable, Sendable {
    /// The way to the server.
    public var network: Network
    /// True while the user wants power saved.
    public var isLowPowerMode: Bool?
    /// What is left in the battery, from 0 to 100; nil without a battery too.
    public var batteryPercent: Int?
    /// True on mains, charging or full.
    public var isCharging: Bool?
    /// Tasks that want to run, for each processor: above 1 some of them wait.
    public var load: Double?
    /// True while the user has the app in front of them.
    public var isForeground: Bool?

    /// Makes conditions; what is left out is unknown.
    public init(
        network: Network = .unknown,
        isLowPowerMode: Bool? = nil,
        batteryPercent: Int? = nil,
        isCharging: Bool? = nil,
        load: Double? = nil,
        isForeground: Bool? = nil
    ) {
        self.network = network
        self.isLowPowerMode = isLowPowerMode
        self.batteryPercent = batteryPercent
        self.isCharging = isCharging
        self.load = load
        self.isForeground = isForeground
    }

    /// The way to the server.
    public enum Network: String, Hashable, Sendable, CaseIterable {
        /// Nobody measured it.
        case unknown
        /// There is no way.
        case unavailable
        /// The user wants little data on it.
        case constrained
        /// It costs money.
        case expensive
        /// There is a way, and nothing is against using it.
        case available
    }

    /// Nothing was measured.
    public static let unknown = Conditions()

    /// The names of what nobody measured, and what therefore counts as good.
    public var unknownNames: [String] {
        let names: [(name: String, isUnknown: Bool)] = [
            ("network", network == .unknown),
            ("low-power mode", isLowPowerMode == nil),
            ("battery", batteryPercent == nil),
            ("charging", isCharging == nil),
            ("load", load.map(\.isNaN) ?? true),
            ("foreground", isForeground == nil),
        ]
        return names.filter(\.isUnknown).map(\.name)
    }
}

extension Conditions: CustomStringConvertible {
    /// What was measured, in words.
    public var description: String {
        var words: [String] = []
        if network != .unknown { words.append("network \(network.rawValue)") }
        if isLowPowerMode == true { words.append("low-power mode") }
        if let batteryPercent { words.append("battery \(batteryPercent) %") }
        if let isCharging { words.append(isCharging ? "charging" : "not charging") }
        if let load, !load.isNaN { words.append("load \(Self.hundredths(load))") }
        if let isForeground { words.append(isForeground ? "in front" : "in the background") }
        return words.isEmpty ? "nothing measured" : words.joined(separator: ", ")
    }

    private static func hundredths(_ value: Double) -> String {
        guard value > -1e15, value < 1e15 else { return "\(value)" }
        let hundredths = Int((value * 100).rounded())
        let rest = abs(hundredths % 100)
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
