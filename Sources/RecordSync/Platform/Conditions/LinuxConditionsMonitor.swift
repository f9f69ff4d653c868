#if os(Linux)
    public import SyncCore

    /// The conditions of a Linux device, read from the system's files now and then.
    ///
    /// It sees the routes to the server, the links, batteries and mains, the power profile and the
    /// load. Whether a network costs money, and whether an app is in front, stands in no file.
    public struct LinuxConditionsMonitor: ConditionsMonitor {
        private let files: LinuxSystemFiles
        private let interval: Duration

        /// Makes a monitor that looks every `interval`, 30 seconds by default.
        ///
        /// `root` is the folder in which `proc` and `sys` are; a test gives a captured one.
        public init(root: String = "/", interval: Duration = .seconds(30)) {
            files = LinuxSystemFiles(root: root)
            self.interval = max(interval, .milliseconds(100))
        }

        /// The conditions at this moment.
        ///
        /// A loopback address, and none, need no network. A name counts as reachable by any route
        /// to the outside: looking it up would take a network itself.
        public func conditions(towards serverAddress: String?) -> Conditions {
            let power = files.power
            return Conditions(
                network: files.network(towards: serverAddress),
                isLowPowerMode: files.isLowPowerMode,
                batteryPercent: power.percent,
                isCharging: power.isCharging,
                load: files.load
            )
        }

        /// Gives the conditions at once, and whenever they are found changed.
        public func conditions(serverAddress: String?) -> AsyncStream<Conditions> {
            let last = LastConditions()
            return AsyncStream {
                while true {
                    let conditions = conditions(towards: serverAddress)
                    if last.replace(by: conditions) { return conditions }
                    do { try await Task.sleep(for: interval) } catch { return nil }
                }
            }
        }
    }

    /// What one reader of conditions was told last.
    private final class LastConditions: Sendable {
        private let conditions = Guarded<Conditions?>(nil)

        /// False if they are the same.
        func replace(by new: Conditions) -> Bool {
            conditions.withLock { conditions in
                defer { conditions = new }
                return conditions != new
            }
        }
    }
#endif
