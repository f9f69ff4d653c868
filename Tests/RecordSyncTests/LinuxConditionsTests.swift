#if os(Linux)
    import Foundation
    import RecordSync
    import TestSupport
    import Testing

    /// Conditions read from captured files of systems.
    @Suite struct LinuxConditionsTests {
        /// A folder with the files of a system, gone with the test.
        private final class Tree {
            let root: String

            init(_ files: [String: String]) throws {
                root = NSTemporaryDirectory() + "conditions-" + UUID().uuidString
                for (path, text) in files { try write(text, to: path) }
            }

            deinit { try? FileManager.default.removeItem(atPath: root) }

            func write(_ text: String, to path: String) throws {
                let file = URL(fileURLWithPath: root).appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try text.write(to: file, atomically: true, encoding: .utf8)
            }

            func conditions(towards address: String? = nil) -> Conditions {
                LinuxConditionsMonitor(root: root).conditions(towards: address)
            }
        }

        private static let routes = [
            "proc/net/route": """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
            wlan0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0
            tun0\t0000080A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
            dead0\t000010AC\t00000000\t0000\t0\t0\t0\t0000FFFF\t0\t0\t0

            """,
            "proc/net/ipv6_route": """
            20010db8000000000000000000000000 20 00000000000000000000000000000000 00 \
            00000000000000000000000000000000 00000100 00000001 00000000 00000001    wlan0
            00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
            00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo

            """,
            "sys/class/net/wlan0/operstate": "up\n",
            "sys/class/net/tun0/operstate": "unknown\n",
            "sys/class/net/tun0/carrier": "1\n",
        ]

        private static let laptop = [
            "sys/class/power_supply/BAT0/type": "Battery\n",
            "sys/class/power_supply/BAT0/capacity": "19\n",
            "sys/class/power_supply/BAT0/status": "Discharging\n",
            "sys/class/power_supply/BAT1/type": "Battery\n",
            "sys/class/power_supply/BAT1/capacity": "41\n",
            "sys/class/power_supply/BAT1/status": "Unknown\n",
            "sys/class/power_supply/AC/type": "Mains\n",
            "sys/class/power_supply/AC/online": "0\n",
            "sys/class/power_supply/mouse/type": "Battery\n",
            "sys/class/power_supply/mouse/scope": "Device\n",
            "sys/class/power_supply/mouse/capacity": "1\n",
            "sys/firmware/acpi/platform_profile": "low-power\n",
            "proc/loadavg": "3.00 2.00 1.00 2/345 6789\n",
            "sys/devices/system/cpu/online": "0-1,3-4\n",
        ]

        @Test(
            .holds("P94"),
            arguments: [
                ("93.184.216.34", Conditions.Network.available), ("192.168.1.7", .available),
                ("10.8.3.4", .available), ("127.0.0.1", .available), ("::1", .available),
                ("[::1]", .available), ("localhost", .available), ("example.com", .available),
                ("2001:db8::5", .available), ("2001:db9::5", .unavailable),
                ("fe80::1%wlan0", .unavailable),
            ]
        )
        func aRouteToTheServersOwnAddressIsWhatCounts(
            address: String,
            network: Conditions.Network
        ) throws {
            let tree = try Tree(Self.routes)
            #expect(tree.conditions(towards: address).network == network)
        }

        @Test(.holds("P94"))
        func withoutADefaultRouteOnlyItsOwnNetworksAreThere() throws {
            let tree = try Tree(Self.routes)
            try tree.write(
                "Iface\nwlan0\t0001A8C0\t0\t0001\t0\t0\t0\t00FFFFFF\n",
                to: "proc/net/route"
            )
            #expect(tree.conditions(towards: "192.168.1.7").network == .available)
            #expect(tree.conditions(towards: "192.168.2.7").network == .unavailable)
            #expect(tree.conditions(towards: "example.com").network == .unavailable)
            #expect(tree.conditions(towards: nil).network == .available)
        }

        @Test(.holds("P94"))
        func aLinkThatIsDownLeadsNowhere() throws {
            let tree = try Tree(Self.routes)
            try tree.write("down\n", to: "sys/class/net/wlan0/operstate")
            #expect(tree.conditions(towards: "93.184.216.34").network == .unavailable)
            #expect(tree.conditions(towards: "10.8.3.4").network == .available)
            try tree.write("0\n", to: "sys/class/net/tun0/carrier")
            #expect(tree.conditions(towards: "10.8.3.4").network == .unavailable)
            #expect(tree.conditions(towards: "127.0.0.1").network == .available)
        }

        @Test(.holds("P94"))
        func batteriesMainsProfileAndLoadAreRead() throws {
            let tree = try Tree(Self.laptop)
            let conditions = tree.conditions()
            #expect(conditions.batteryPercent == 30)
            #expect(conditions.isCharging == false)
            #expect(conditions.isLowPowerMode == true)
            #expect(conditions.load == 0.75)
            #expect(conditions.isForeground == nil)
            try tree.write("1\n", to: "sys/class/power_supply/AC/online")
            #expect(tree.conditions().isCharging == true)
        }

        @Test(.holds("P94"))
        func aSystemThatSaysNothingIsUnknown() throws {
            let tree = try Tree(["proc/loadavg": "nonsense\n"])
            #expect(tree.conditions(towards: "192.0.2.1") == .unknown)
        }

        @Test(.holds("P94"))
        func thisMachineCanBeRead() {
            let conditions = LinuxConditionsMonitor().conditions(towards: "127.0.0.1")
            #expect(conditions.network == .available)
        }

        @Test(.holds("P92"))
        func theFirstConditionsComeAtOnce() async throws {
            let tree = try Tree(Self.laptop)
            let stream = LinuxConditionsMonitor(root: tree.root).conditions(serverAddress: nil)
            var conditions = stream.makeAsyncIterator()
            #expect(await conditions.next()?.batteryPercent == 30)
        }
    }
#endif
