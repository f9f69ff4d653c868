import RecordModel

// What states and journal entries have in common.

extension BinaryReader {
    mutating func readZoneID() throws(Failure) -> RecordZone.ID {
        let zoneName = try readString()
        return RecordZone.ID(zoneName: zoneName, ownerName: try readString())
    }

    /// Reads a number that counts on: no count of an engine's comes near 2^62.
    mutating func readCounter() throws(Failure) -> UInt64 {
        let number = try readNumber()
        guard number < 1 << 62 else { throw failure("number that can be counted on") }
        return number
    }

    mutating func readCoveredNumbers() throws(Failure) -> CoveredNumbers {
        let ranges = try readList { reader throws(Failure) in
            let lower = try reader.readNumber()
            let upper = try reader.readCounter()
            guard lower <= upper else { throw reader.failure("range of numbers") }
            return lower...upper
        }
        guard let covered = CoveredNumbers(ranges: ranges) else {
            throw failure("ranges in order")
        }
        return covered
    }

    /// Reads a time or a span with which the clocks can calculate.
    mutating func readMilliseconds() throws(Failure) -> Int64 {
        let milliseconds = try readSigned()
        guard milliseconds.magnitude < 1 << 60 else { throw failure("time of an engine") }
        return milliseconds
    }

    mutating func readPriority() throws(Failure) -> SyncPriority {
        guard let priority = SyncPriority(rawValue: Int(try readByte())) else {
            throw failure("priority")
        }
        return priority
    }

    mutating func readFullFetchReason() throws(Failure) -> SyncEvent.FullFetchReason {
        guard let reason = SyncEvent.FullFetchReason(rawValue: try readByte()) else {
            throw failure("reason of a full fetch")
        }
        return reason
    }

    /// The monotonic clock of the launch that wrote it means nothing here; the engine sets it.
    mutating func readRetryDelay() throws(Failure) -> EngineState.RetryDelay {
        let wall = Timestamp(millisecondsSince1970: try readMilliseconds())
        let length = Duration.milliseconds(try readMilliseconds())
        return .init(until: EngineInstant(monotonic: .zero, wall: wall), length: length)
    }
}

extension BinaryWriter {
    mutating func write(_ covered: CoveredNumbers) {
        write(list: covered.ranges) { writer, range in
            writer.write(range.lowerBound)
            writer.write(range.upperBound)
        }
    }
}
