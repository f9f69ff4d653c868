import RecordModel
import ServerCore
import SyncCore

/// Somebody who reads the server's feeds without an engine, while others write (I12, I13).
struct Reader {
    var zones: [RecordZone.ID: Copy] = [:]

    /// What the reader knows of a zone.
    struct Copy {
        var token: ServerChangeToken?
        var records: [Record.ID: String] = [:]
    }
}

extension World {
    /// Reads one page of a zone, or tries a forged token.
    mutating func readPage(_ chance: inout SplitMix64) {
        guard isServerUp else { return }
        let zoneID = zoneID(chance.roll(options.zoneCount))
        if chance.isLucky(20) { return tryForgedToken(zoneID, &chance) }
        _ = readPage(of: zoneID, limit: 1 + chance.roll(3))
    }

    private mutating func tryForgedToken(_ zoneID: RecordZone.ID, _ chance: inout SplitMix64) {
        guard var bytes = checkers.reader.zones[zoneID]?.token?.bytes, !bytes.isEmpty else {
            return
        }
        bytes[chance.roll(bytes.count)] ^= UInt8(1 << chance.roll(8))
        noteFault(.foreignToken)
        let request = ZoneChangesRequest(zoneID: zoneID, since: ServerChangeToken(bytes: bytes))
        do {
            _ = try server.zoneChanges(request, from: console("ann"), at: serverWall)
            report(.correctness, "token validity", "a forged token of \(zoneID) was taken")
        } catch {
            switch error.code {
            case .changeTokenExpired, .zoneNotFound, .userDeletedZone, .managedAccountRestricted,
                .accountTemporarilyUnavailable:
                return
            case _:
                report(.correctness, "token validity", "a forged token was answered \(error.code)")
            }
        }
    }

    /// True if there is more to read.
    private mutating func readPage(of zoneID: RecordZone.ID, limit: Int?) -> Bool {
        var copy = checkers.reader.zones[zoneID] ?? Reader.Copy()
        let request = ZoneChangesRequest(zoneID: zoneID, since: copy.token, resultsLimit: limit)
        do {
            let reply = try server.zoneChanges(request, from: console("ann"), at: serverWall)
            for modification in reply.modifications {
                let record = modification.record
                copy.records[record.recordID] = record.recordChangeTag
            }
            for deletion in reply.deletions { copy.records[deletion.recordID] = nil }
            copy.token = reply.changeToken
            checkers.reader.zones[zoneID] = copy
            return reply.moreComing
        } catch {
            let isNew = copy.token == nil
            checkers.reader.zones[zoneID] = Reader.Copy()
            return error.code == .changeTokenExpired && !isNew
        }
    }

    /// At the end the reader has what the server has.
    mutating func checkReader() {
        for number in 0..<options.zoneCount {
            let zoneID = zoneID(number)
            var pageCount = 0
            while readPage(of: zoneID, limit: nil) {
                pageCount += 1
                if pageCount > 1000 {
                    return report(.liveness, "feed", "the feed of \(zoneID) never ends")
                }
            }
            let stored = (try? server.records(in: zoneID, of: console("ann"))) ?? []
            let copy = checkers.reader.zones[zoneID]?.records ?? [:]
            let isWhole =
                copy.count == stored.count
                && stored.allSatisfy { copy[$0.recordID] == $0.recordChangeTag }
            guard !isWhole else { continue }
            report(.correctness, "feed", "the feed of \(zoneID) does not give what the zone holds")
        }
    }
}
