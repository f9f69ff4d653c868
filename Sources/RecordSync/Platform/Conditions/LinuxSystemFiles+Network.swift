import SyncCore

// Routes: whether a packet to the server would leave the device.

extension LinuxSystemFiles {
    /// Whether there is a way to the server; unknown where the system has no files of routes.
    func network(towards serverAddress: String?) -> Conditions.Network {
        guard let serverAddress, serverAddress != "localhost" else { return .available }
        let address = NetworkAddress(serverAddress)
        if address?.isLoopback == true { return .available }
        let routes = self.routes
        guard let routes else { return .unknown }
        let isReachable = routes.contains { route in
            guard route.isUsable, isUp(route.interface) else { return false }
            return address.map(route.covers) ?? (route.prefixLength == 0)
        }
        return isReachable ? .available : .unavailable
    }

    private var routes: [Route]? {
        let four = lines("proc/net/route")
        let six = lines("proc/net/ipv6_route")
        guard four != nil || six != nil else { return nil }
        return (four ?? []).dropFirst().compactMap(Route.init(lineOfFour:))
            + (six ?? []).compactMap(Route.init(lineOfSix:))
    }
}

/// An address of a host, as bytes: 4 or 16 of them.
struct NetworkAddress: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for a name.
    init?(_ text: String) {
        let bytes = text.contains(":") ? Self.six(text) : Self.four(text)
        guard let bytes else { return nil }
        self.bytes = bytes
    }

    var isLoopback: Bool {
        bytes.count == 4
            ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    private static func four(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func six(_ text: String) -> [UInt8]? {
        let text = text.filter { $0 != "[" && $0 != "]" }.split(separator: "%").first ?? ""
        guard let gap = text.firstRange(of: "::") else {
            let bytes = groups(text)
            return bytes?.count == 16 ? bytes : nil
        }
        guard let head = groups(text[..<gap.lowerBound]),
            let tail = groups(text[gap.upperBound...]),
            head.count + tail.count <= 14
        else { return nil }
        return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        for group in text.split(separator: ":", omittingEmptySubsequences: false) {
            guard group.count <= 4, let value = UInt16(group, radix: 16) else { return nil }
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
        return bytes
    }
}

/// A line of the system's table of routes.
struct Route: Hashable, Sendable {
    let interface: String
    let network: [UInt8]
    let prefixLength: Int
    /// False for a route that is down, or that refuses.
    let isUsable: Bool

    /// A line of `/proc/net/route`, whose numbers are in the byte order of the processor.
    init?(lineOfFour line: String) {
        let fields = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard fields.count >= 8, let network = UInt32(fields[1], radix: 16),
            let flags = UInt32(fields[3], radix: 16), let mask = UInt32(fields[7], radix: 16)
        else { return nil }
        interface = fields[0]
        self.network = (0..<4).map { UInt8(truncatingIfNeeded: network >> (8 * $0)) }
        prefixLength = mask.nonzeroBitCount
        isUsable = Self.isUsable(flags)
    }

    /// A line of `/proc/net/ipv6_route`.
    init?(lineOfSix line: String) {
        let fields = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard fields.count >= 10, fields[0].count == 32, let length = Int(fields[1], radix: 16),
            let flags = UInt32(fields[8], radix: 16), length <= 128
        else { return nil }
        let digits = Array(fields[0])
        let bytes = (0..<16).compactMap { UInt8(String(digits[2 * $0...2 * $0 + 1]), radix: 16) }
        guard bytes.count == 16 else { return nil }
        interface = fields[9]
        network = bytes
        prefixLength = length
        // The kernel keeps a default route of its own on the loopback, which refuses.
        isUsable = Self.isUsable(flags) && interface != "lo"
    }

    private static func isUsable(_ flags: UInt32) -> Bool {
        let isUp = flags & 0x1 != 0
        let refuses = flags & 0x200 != 0
        return isUp && !refuses
    }

    func covers(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == network.count else { return false }
        return (0..<prefixLength).allSatisfy { bit in
            let mask = UInt8(0x80) >> (bit % 8)
            return address.bytes[bit / 8] & mask == network[bit / 8] & mask
        }
    }
}
