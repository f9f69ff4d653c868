/// An instant on the wall clock, in whole milliseconds since 1 January 1970, UTC.
///
/// The wire carries whole milliseconds, so nothing is lost between a device and a server.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since 1 January 1970, UTC; negative before it.
    public var millisecondsSince1970: Int64

    /// Makes the instant that lies the given milliseconds after 1 January 1970, UTC.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// True if the first instant lies before the second.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}
