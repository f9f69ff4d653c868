public import RecordModel
import RecordSync
import ServerCore

extension InMemoryCloud {
    /// Puts a fault behind those that wait; gives its name, to lift it.
    @discardableResult
    public func inject(_ fault: Fault) -> Fault.ID {
        withWorld { $0.faults.add(fault) }
    }

    /// Takes a fault away; one that is used up is gone by itself.
    public func lift(_ id: Fault.ID) { withWorld { $0.faults.remove(id) } }

    /// Takes all faults away; devices stay offline, and holds stay.
    public func liftAllFaults() { withWorld { $0.faults.removeAll() } }

    /// True while a fault waits for requests to befall.
    public func isWaiting(_ id: Fault.ID) -> Bool { withWorld { $0.faults.isWaiting(id) } }

    /// Lets the requests arrive that were held up by `arriveLate`, the first one first.
    ///
    /// Nobody waits for their answers any more. Gives their number.
    @discardableResult
    public func deliverLateRequests() -> Int {
        let (count, targets) = withWorld { world in
            let late = world.late
            world.late = []
            return (late.count, late.flatMap { $0(&world) })
        }
        for target in targets { target.yield(.databaseChanged) }
        return count
    }

    /// Stops the next request of a kind, of one device or of any.
    ///
    /// Before the server has seen it, or, unless told otherwise, after the server took it. Holds
    /// for the same requests are used up in the order in which they were asked for.
    public func hold(
        _ kind: RequestKind,
        from device: String? = nil,
        at place: RequestHold.Place = .beforeAnswer
    ) -> RequestHold {
        let hold = RequestHold(place: place)
        withWorld { $0.holds.append(.init(hold: hold, kind: kind, device: device)) }
        return hold
    }

    /// Takes a device off the network, or puts it on again.
    ///
    /// Offline, every request fails with `networkUnavailable`, and hints are lost.
    public func setOnline(_ isOnline: Bool, device: String) {
        withWorld { $0.devices.setOnline(isOnline, device) }
    }
}

extension InMemoryCloud {
    /// What one request may hold from now on; also what new engines are told, unless another
    /// figure is announced.
    ///
    /// Announce more than the server takes to see batches refused with `limitExceeded`.
    public func setLimits(_ limits: RequestLimits, announced: RequestLimits? = nil) {
        withWorld { world in
            world.server.configuration.limits = limits
            world.announcedLimits = announced
        }
    }

    /// How many changes a page of a fetch holds at most.
    public func setPageSize(_ countMax: Int) {
        precondition(countMax > 0, "a page holds at least one change")
        withWorld { $0.server.configuration.pageCountMax = countMax }
    }

    /// How many bytes the records of an account may take, or those of each account that has no
    /// quota of its own; nil for no limit.
    ///
    /// Saves beyond it fail with `quotaExceeded`.
    public func setQuota(byteCount: Int?, account: String? = nil) {
        withWorld { world in
            if let account {
                world.quotaByteCounts[account] = byteCount
            } else {
                world.quotaByteCount = byteCount
            }
        }
    }

    /// The bytes that the records of an account take, as quotas count them.
    public func usedByteCount(account: String) -> Int {
        withWorld { (try? $0.server.usedByteCount(of: account)) ?? 0 }
    }

    /// The server's time.
    public var time: Timestamp { withWorld { $0.now } }

    /// Moves the server's clock, forward or back.
    public func moveClock(by duration: Duration) {
        withWorld { world in
            let (seconds, attoseconds) = duration.components
            world.clockShiftMilliseconds += seconds * 1000 + attoseconds / 1_000_000_000_000_000
        }
    }
}
