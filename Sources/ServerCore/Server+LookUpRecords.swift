package import RecordModel

extension Server {
    /// Answers what the server has of single records, in the request's order.
    package mutating func lookUpRecords(
        _ request: LookUpRecordsRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> LookUpRecordsReply {
        try read { server in
            _ = try server.admit(caller)
            let countMax = server.configuration.limits.batchCountMax
            guard request.recordIDs.count <= countMax else {
                throw SyncError(.limitExceeded, "a look-up has at most \(countMax) records")
            }
            var results: [Result<Record, SyncError>] = []
            for recordID in request.recordIDs {
                let result = try server.lookUp(recordID, from: caller)
                results.append(result.map { $0.keeping(request.desiredKeys) })
            }
            return LookUpRecordsReply(results: results)
        }
    }

    private func lookUp(
        _ recordID: Record.ID,
        from caller: ServerCaller
    ) throws -> Result<Record, SyncError> {
        do {
            try recordID.validate()
            let zoneName = try caller.zoneName(of: recordID.zoneID)
            let zone = try zone(named: zoneName, in: caller.database)
            let key = zone.key(in: caller.database)
            guard let record = try storage.record(recordID.recordName, in: key)?.record else {
                return .failure(SyncError(.unknownItem, "there is no record \(recordID)"))
            }
            return .success(record)
        } catch let error as SyncError {
            return .failure(error)
        }
    }
}
