import RecordModel
import RecordWire
import ServerCore

extension RecordService {
    mutating func answer(
        _ request: HTTPRequest,
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let body = request.body
        switch admission.destination.route {
        case .modifyRecords: return try modifyRecords(body, admission, at: now)
        case .lookUpRecords: return try lookUpRecords(body, admission, at: now)
        case .databaseChanges: return try databaseChanges(body, admission, at: now)
        case .zoneChanges: return try zoneChanges(body, admission, at: now)
        case .modifyZones: return try modifyZones(body, admission, at: now)
        case .listZones: return try listZones(admission)
        case .lookUpZones: return try lookUpZones(body, admission)
        case .caller: return try caller(admission)
        case .outcome: return try outcome(body, admission, at: now)
        case .notifications: return try poll(request.head, admission)
        case .capabilities:
            let capabilities = ServerCapabilities(limits: server.configuration.limits)
            return respond(WireCodec.body(of: capabilities))
        case .devices: return try devices(admission)
        case .uploadAssets: return try uploadAssets(body, admission, at: now)
        case .assetContent: return try assetContent(request, admission, at: now)
        case .health: return .response(HTTPResponse(status: 200))
        }
    }

    func respond(_ body: [UInt8]) -> Answer {
        .response(HTTPResponse(status: 200, body: body))
    }

    func read<Message>(
        _ body: [UInt8],
        _ decode: ([UInt8]) throws(WireError) -> Message
    ) throws(SyncError) -> Message {
        // A request without a body is one that says nothing.
        let body = body.isEmpty ? Array("{}".utf8) : body
        do throws(WireError) {
            return try decode(body)
        } catch {
            throw SyncError(.invalidArguments, error.description)
        }
    }

    // MARK: Changes by the client

    private mutating func modifyRecords(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let call = try read(body, WireCodec.modifyRecords)
        let reply = try noting(admission.caller) { server throws(SyncError) in
            try server.modifyRecords(call.request, from: admission.caller, at: now)
        }
        return respond(
            WireCodec.body(of: reply, to: call, withExtensions: admission.knowsExtensions)
        )
    }

    private mutating func modifyZones(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let call = try read(body, WireCodec.modifyZones)
        let reply = try noting(admission.caller) { server throws(SyncError) in
            try server.modifyZones(call.request, from: admission.caller, at: now)
        }
        return respond(
            WireCodec.body(of: reply, to: call, withExtensions: admission.knowsExtensions)
        )
    }

    private mutating func outcome(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let request = try read(body, WireCodec.outcome)
        let outcome = try server.outcome(of: request, from: admission.caller, at: now)
        return respond(WireCodec.body(of: outcome))
    }

    /// Runs a request that may write, and remembers for polls what it changed.
    private mutating func noting<Reply>(
        _ caller: ServerCaller,
        _ body: (inout Server<Storage>) throws(SyncError) -> Reply
    ) throws(SyncError) -> Reply {
        let before = try server.head(of: caller)
        let reply = try body(&server)
        let head = try server.head(of: caller)
        if head != before { changes.note(caller.database, head: head, by: caller.deviceID) }
        return reply
    }

    // MARK: Questions

    private mutating func lookUpRecords(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let request = try read(body, WireCodec.lookUpRecords)
        let reply = try server.lookUpRecords(request, from: admission.caller, at: now)
        return respond(
            WireCodec.body(of: reply, to: request, withExtensions: admission.knowsExtensions)
        )
    }

    private mutating func databaseChanges(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let request = try read(body, WireCodec.databaseChanges)
        let reply = try server.databaseChanges(request, from: admission.caller, at: now)
        return respond(WireCodec.body(of: reply, withExtensions: admission.knowsExtensions))
    }

    private mutating func zoneChanges(
        _ body: [UInt8],
        _ admission: Admission,
        at now: Timestamp
    ) throws(SyncError) -> Answer {
        let requests = try read(body, WireCodec.zoneChanges)
        var items: [ZoneChangesItem] = []
        var byteCount = 0
        for request in requests {
            // Pages are cut by themselves; many of them must not make a reply without end.
            if byteCount > server.configuration.pageByteCountMax { break }
            let page = zonePage(request, admission.caller, at: now)
            if case .failure(let error) = page, isAboutTheRequest(error) { throw error }
            byteCount += (try? page.get())?.byteCount ?? 0
            items.append(ZoneChangesItem(zoneID: request.zoneID, result: page))
        }
        return respond(WireCodec.body(of: items, withExtensions: admission.knowsExtensions))
    }

    private mutating func zonePage(
        _ request: ZoneChangesRequest,
        _ caller: ServerCaller,
        at now: Timestamp
    ) -> Result<ZoneChangesReply, SyncError> {
        do throws(SyncError) {
            return .success(try server.zoneChanges(request, from: caller, at: now))
        } catch {
            return .failure(error)
        }
    }

    /// True for what no other zone of the request could be spared.
    private func isAboutTheRequest(_ error: SyncError) -> Bool {
        switch error.code {
        case .zoneNotFound, .userDeletedZone, .changeTokenExpired, .invalidArguments: false
        case _: true  // Accounts, storage and everything that is no zone's.
        }
    }

    private mutating func listZones(_ admission: Admission) throws(SyncError) -> Answer {
        // The account's standing is asked for by a request that lists nothing.
        _ = try server.lookUpRecords(
            LookUpRecordsRequest(recordIDs: []),
            from: admission.caller,
            at: Timestamp(millisecondsSince1970: 0)
        )
        var zoneIDs = try server.zoneIDs(of: admission.caller)
        if admission.caller.scope == .private, !zoneIDs.contains(.default) {
            zoneIDs.insert(.default, at: 0)
        }
        return respond(
            WireCodec.body(
                of: zoneIDs.map { .success(RecordZone(zoneID: $0)) },
                named: zoneIDs,
                withExtensions: admission.knowsExtensions
            )
        )
    }

    private mutating func lookUpZones(
        _ body: [UInt8],
        _ admission: Admission
    ) throws(SyncError) -> Answer {
        let asked = try read(body, WireCodec.zoneIDs)
        _ = try listZones(admission)
        let present = Set(try server.zoneIDs(of: admission.caller) + [.default])
        let account = admission.caller.account
        let zones = asked.map { zoneID -> Result<RecordZone, SyncError> in
            let own =
                zoneID.ownerName == account
                ? RecordZone.ID(zoneName: zoneID.zoneName) : zoneID
            return present.contains(own)
                ? .success(RecordZone(zoneID: own))
                : .failure(SyncError(.zoneNotFound, "there is no zone \(zoneID)"))
        }
        return respond(
            WireCodec.body(
                of: zones,
                named: asked,
                withExtensions: admission.knowsExtensions
            )
        )
    }

    private mutating func devices(_ admission: Admission) throws(SyncError) -> Answer {
        let account = admission.caller.account
        let devices = try server.devices(of: account).map { device in
            DeviceEntry(
                deviceID: device.deviceID,
                firstSeen: device.firstSeen,
                lastSeen: device.lastSeen,
                isCaller: device.deviceID == admission.caller.deviceID
            )
        }
        return respond(WireCodec.body(of: devices))
    }

    private mutating func caller(_ admission: Admission) throws(SyncError) -> Answer {
        let status = try server.accountStatus(of: admission.caller.account)
        return respond(
            WireCodec.body(of: status, withExtensions: admission.knowsExtensions)
        )
    }
}

extension ZoneChangesReply {
    fileprivate var byteCount: Int { modifications.reduce(0) { $0 + $1.record.byteCount } }
}
