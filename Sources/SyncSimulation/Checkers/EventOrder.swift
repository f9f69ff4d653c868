import RecordModel
import SyncCore

/// Sees events that come in an order that the contract does not allow (I27).
struct EventOrder {
    private struct Course {
        var isFetching = false
        var isSending = false
        var zoneID: RecordZone.ID?
        /// An event was thrown at: it comes again outside of its place.
        var hasThrown = false
        /// Whether the delegate was told whose data this is, or the state told it.
        var kind: SyncEvent.FetchKind?
    }

    private var courses: [Course] = []

    mutating func addDevice() { courses.append(Course()) }

    mutating func relaunched(_ device: Int) { courses[device] = Course() }

    /// What is wrong with an event that comes now; nil if nothing is.
    mutating func note(_ event: SyncEvent, on device: Int) -> String? {
        let course = courses[device]
        if course.hasThrown { return nil }
        switch event {
        case .stateUpdate, .accountChange, .abandonedChanges:
            return nil
        case .willFetchChanges:
            courses[device].isFetching = true
            return course.isFetching ? "a fetch begins within a fetch" : nil
        case .willSendChanges:
            courses[device].isSending = true
            return course.isSending ? "a send begins within a send" : nil
        case .willFetchRecordZoneChanges(let fetch):
            courses[device].zoneID = fetch.zoneID
            courses[device].kind = fetch.kind
            return course.isFetching && course.zoneID == nil
                ? nil : "the fetch of a zone begins in a wrong place"
        case .fetchedDatabaseChanges:
            return course.isFetching ? nil : "changes of zones outside of a fetch"
        case .fetchedRecordZoneChanges(let page):
            return fault(of: page, course)
        case .didFetchRecordZoneChanges(let fetch):
            courses[device].zoneID = nil
            return course.zoneID == fetch.zoneID ? nil : "the fetch of another zone ends"
        case .didFetchChanges:
            courses[device].isFetching = false
            return course.isFetching && course.zoneID == nil ? nil : "a fetch ends in a wrong place"
        case .sentDatabaseChanges, .sentRecordZoneChanges:
            return nil
        case .didSendChanges:
            courses[device].isSending = false
            return course.isSending ? nil : "a send ends that did not begin"
        }
    }

    private func fault(of page: SyncEvent.FetchedRecordZoneChanges, _ course: Course) -> String? {
        guard let zoneID = course.zoneID else { return "a page outside of the fetch of a zone" }
        let ids = page.modifications.map(\.record.recordID) + page.deletions.map(\.recordID)
        guard ids.allSatisfy({ $0.zoneID == zoneID }) else { return "a page mixes zones" }
        guard !ids.isEmpty else { return "an empty page is told" }
        guard page.kind == course.kind else { return "a page of another kind than was announced" }
        return Set(ids).count == ids.count ? nil : "a page names a record twice"
    }

    mutating func end(_ event: SyncEvent, didThrow: Bool, on device: Int) {
        // What was thrown at comes again in the next operation: from there on places are unknown.
        if didThrow { courses[device].hasThrown = true }
        if case .accountChange = event { courses[device].hasThrown = true }
    }
}
