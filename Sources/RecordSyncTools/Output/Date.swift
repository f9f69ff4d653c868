#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import RecordModel

/// An instant as people and programs read it: 2026-01-02T03:04:05Z.
func date(_ timestamp: Timestamp) -> String {
    let seconds = Double(timestamp.millisecondsSince1970 / 1000)
    return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
}
