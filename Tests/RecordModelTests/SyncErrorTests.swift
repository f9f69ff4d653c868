import RecordModel
import Testing

struct SyncErrorTests {
    private let id = Record.ID(recordName: "n")

    @Test func hasThe37CodesUnderTheirNumbers() {
        #expect(SyncError.Code.allCases.map(\.rawValue) == Array(1...37))
        let some: [(SyncError.Code, Int)] = [
            (.internalError, 1), (.partialFailure, 2), (.notAuthenticated, 9),
            (.unknownItem, 11), (.serverRecordChanged, 14), (.operationCancelled, 20),
            (.changeTokenExpired, 21), (.batchRequestFailed, 22), (.quotaExceeded, 25),
            (.zoneNotFound, 26), (.limitExceeded, 27), (.userDeletedZone, 28),
            (.serverResponseLost, 34), (.accountTemporarilyUnavailable, 36),
            (.participantAlreadyInvited, 37),
        ]
        for (code, number) in some { #expect(code.rawValue == number) }
    }

    @Test func aConflictCarriesAllThreeRecords() {
        let client = Record(recordType: "C", recordID: id)
        let server = Record(recordType: "S", recordID: id)
        let ancestor = Record(recordType: "A", recordID: id)
        let error = SyncError.serverRecordChanged(
            client: nil,
            server: server,
            ancestor: ancestor
        )
        #expect(error.code == .serverRecordChanged)
        #expect(error.serverRecord == server)
        #expect(error.ancestorRecord == ancestor)
        #expect(error.clientRecord == nil)
        #expect(error.with(clientRecord: client).clientRecord == client)
        #expect(error.with(clientRecord: client).serverRecord == server)
    }

    @Test func onlyAConflictTakesAClientRecord() {
        let error = SyncError(.zoneNotFound)
        #expect(error.with(clientRecord: Record(recordType: "C", recordID: id)) == error)
    }

    @Test func aPartialFailureCarriesTheErrorOfEachItem() {
        let zoneID = RecordZone.ID(zoneName: "Z")
        let error = SyncError.partialFailure([
            .record(id): SyncError(.unknownItem), .zone(zoneID): SyncError(.zoneBusy),
        ])
        #expect(error.partialErrorsByItemID?[.record(id)]?.code == .unknownItem)
        #expect(error.partialErrorsByItemID?[.zone(zoneID)]?.code == .zoneBusy)
        #expect(SyncError(.unknownItem).partialErrorsByItemID == nil)
    }

    @Test func saysWhatHappenedAndHowLongToWait() {
        let error = SyncError(.requestRateLimited, "slow down", retryAfterSeconds: 3)
        #expect("\(error)" == "requestRateLimited: slow down (retry after 3.0 s)")
        #expect("\(SyncError(.zoneBusy))" == "zoneBusy")
    }

    @Test func tellsAResetFromAZoneThatNeverWas() {
        #expect(SyncError.zoneNotFoundAfterEncryptedDataReset().isAfterEncryptedDataReset)
        #expect(SyncError.zoneNotFoundAfterEncryptedDataReset().code == .zoneNotFound)
        #expect(!SyncError(.zoneNotFound).isAfterEncryptedDataReset)
    }
}
