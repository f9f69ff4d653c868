import RecordModel

/// How many items in a row are of one zone.
///
/// A batch is mostly of one zone, which is looked up once then.
struct ZoneRun {
    let zoneID: RecordZone.ID
    var count: Int
}

extension Sequence<RecordZone.ID> {
    /// The zones in their order, each with how often it stands in a row.
    var runs: [ZoneRun] {
        var runs: [ZoneRun] = []
        for zoneID in self {
            if runs.last?.zoneID == zoneID {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(ZoneRun(zoneID: zoneID, count: 1))
            }
        }
        return runs
    }
}

extension [Record] {
    /// The zones of the records in their order, each with how often it stands in a row.
    var zoneRuns: [ZoneRun] {
        // By position: a list of the zones would copy each.
        var runs: [ZoneRun] = []
        var first = 0
        for position in indices {
            guard position + 1 == count || !isSameZone(position, position + 1) else { continue }
            runs.append(
                ZoneRun(zoneID: self[first].recordID.zoneID, count: position + 1 - first)
            )
            first = position + 1
        }
        return runs
    }

    private func isSameZone(_ left: Int, _ right: Int) -> Bool {
        self[left].recordID.zoneID == self[right].recordID.zoneID
    }
}
