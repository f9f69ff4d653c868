package import RecordModel

/// Now, on both clocks: the one that only runs forward, and the wall's.
///
/// Delays are measured on the first; the second gives what survives a relaunch.
package struct EngineInstant: Hashable, Sendable, Comparable {
    /// Since an arbitrary start, while the process lives.
    package var monotonic: Duration
    package var wall: Timestamp

    package init(monotonic: Duration, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }

    package static func < (left: EngineInstant, right: EngineInstant) -> Bool {
        left.monotonic < right.monotonic
    }

    package func advanced(by duration: Duration) -> EngineInstant {
        EngineInstant(
            monotonic: monotonic + duration,
            wall: Timestamp(
                millisecondsSince1970: wall.millisecondsSince1970 + duration.milliseconds
            )
        )
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        // Division cuts towards zero, which is up for what is negative.
        let rest = attoseconds > 0 ? attoseconds + 999_999_999_999_999 : attoseconds
        return seconds * 1000 + rest / 1_000_000_000_000_000
    }

    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
