// Not verified: the project's checks run on Linux, where this file holds nothing.
#if canImport(Network)
    import Network
    public import SyncCore

    /// The network of an Apple device, as the system tells of it.
    ///
    /// Power, load and foreground stay unknown: tell of them by `setForeground` and by a monitor of
    /// the app's own.
    public struct AppleConditionsMonitor: ConditionsMonitor {
        /// Makes a monitor.
        public init() {}

        /// Gives the network's state at once, and whenever it has changed.
        public func conditions(serverAddress: String?) -> AsyncStream<Conditions> {
            var paths = NWPathMonitor().makeAsyncIterator()
            return AsyncStream { await paths.next().map { Conditions(network: .init($0)) } }
        }
    }

    extension Conditions.Network {
        fileprivate init(_ path: NWPath) {
            guard path.status == .satisfied else {
                self = .unavailable
                return
            }
            self = path.isConstrained ? .constrained : path.isExpensive ? .expensive : .available
        }
    }
#endif
