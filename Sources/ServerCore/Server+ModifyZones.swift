package import RecordModel

extension Server {
    /// Saves zones, then deletes zones.
    ///
    /// Saving a zone that exists and deleting one that does not succeed and change nothing. Saving
    /// one that is gone, for whatever reason, begins a new life. The default zone cannot be
    /// deleted. A zone stands in the request once.
    package mutating func modifyZones(
        _ request: ModifyZonesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws(SyncError) -> ModifyZonesReply {
        try write { server in
            _ = try server.admit(caller)
            let digest = request.idempotencyKey == nil ? [] : request.digest
            let first = try server.firstZonesAnswer(
                to: request.idempotencyKey,
                digest: digest,
                of: caller
            )
            if let first { return first }
            try server.checkItems(of: request, from: caller)
            let reply = try server.apply(request, from: caller, at: now)
            try server.noteDevice(of: caller, at: now)
            try server.keep(
                .zones(digest: digest, reply),
                under: request.idempotencyKey,
                of: caller,
                at: now
            )
            return reply
        }
    }

    private func checkItems(of request: ModifyZonesRequest, from caller: ServerCaller) throws {
        let zoneIDs = request.zonesToSave.map(\.zoneID) + request.zoneIDsToDelete
        let countMax = configuration.limits.batchCountMax
        guard zoneIDs.count <= countMax else {
            throw SyncError(.limitExceeded, "a request has at most \(countMax) zones")
        }
        var seen: Set<RecordZone.ID> = []
        for zoneID in zoneIDs where !seen.insert(caller.spelled(zoneID)).inserted {
            throw SyncError(.invalidArguments, "zone \(zoneID) stands in the request twice")
        }
    }

    private mutating func apply(
        _ request: ModifyZonesRequest,
        from caller: ServerCaller,
        at now: Timestamp
    ) throws -> ModifyZonesReply {
        var commit = try beginCommit(for: caller, key: request.idempotencyKey, at: now)
        var reply = ModifyZonesReply(saveResults: [], deleteErrors: [])
        for zone in request.zonesToSave {
            reply.saveResults.append(try save(zone.zoneID, from: caller, in: &commit))
        }
        for zoneID in request.zoneIDsToDelete {
            reply.deleteErrors.append(try delete(zoneID, from: caller, in: &commit))
        }
        if commit.wroteZones { try finish(commit) }
        return reply
    }

    private mutating func save(
        _ zoneID: RecordZone.ID,
        from caller: ServerCaller,
        in commit: inout Commit
    ) throws -> Result<RecordZone, SyncError> {
        do {
            try checkRefusal(of: .zone(caller.spelled(zoneID)))
            let zoneName = try caller.zoneName(of: zoneID)
            let old = try storedZone(named: zoneName, in: caller.database)
            if let old, old.deletion == nil { return .success(old.recordZone) }
            let zone = StoredZone(
                zoneName: zoneName,
                generation: commit.sequence,
                position: commit.nextZonePosition(),
                stamp: commit.stamp
            )
            try storage.put(zone, in: caller.database)
            return .success(zone.recordZone)
        } catch let error as SyncError {
            return .failure(error)
        }
    }

    private mutating func delete(
        _ zoneID: RecordZone.ID,
        from caller: ServerCaller,
        in commit: inout Commit
    ) throws -> SyncError? {
        do {
            try checkRefusal(of: .zone(caller.spelled(zoneID)))
            let zoneName = try caller.zoneName(of: zoneID)
            guard zoneName != RecordZone.ID.defaultZoneName else {
                return SyncError(.invalidArguments, "the default zone cannot be deleted")
            }
            let zone = try zone(named: zoneName, in: caller.database)
            try end(zone, because: .deleted, in: &commit)
            return nil
        } catch let error as SyncError {
            // What is not there, for whatever reason, counts as deleted.
            let isGone = error.code == .zoneNotFound || error.code == .userDeletedZone
            return isGone ? nil : error
        }
    }
}

extension ModifyZonesRequest {
    /// The SHA-256 of what the request asks for, whatever its key.
    var digest: [UInt8] {
        var writer = BinaryWriter()
        writer.write(list: zonesToSave) { $0.write($1.zoneID) }
        writer.write(list: zoneIDsToDelete) { $0.write($1) }
        return SHA256.hash(writer.bytes)
    }
}
