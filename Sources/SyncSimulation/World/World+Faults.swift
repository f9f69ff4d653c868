import RecordModel
import ServerCore
import SyncCore

// Faults: how they begin and how they pass.

extension World {
    mutating func cause(_ fault: Fault, at device: Int, _ chance: inout SplitMix64) {
        switch fault {
        case .crashBeforeStateStored: devices[device].crashPoint = .beforeStateStored
        case .tornWrite: devices[device].crashPoint = .tornWrite
        case .crashBetweenPages: devices[device].crashPoint = .betweenPages
        case .crashWhileAcknowledging: devices[device].crashPoint = .whileAcknowledging
        case .crashInFullFetch:
            devices[device].crashPoint = .inFullFetch
            handle(.tokensReset(.all), on: device)
        case .requestLost: change(device, &chance) { $0.requestLoss = 40 }
        case .answerLost: change(device, &chance) { $0.answerLoss = 40 }
        case .requestDuplicated: change(device, &chance) { $0.duplicates = 50 }
        case .answerAfterTimeout: change(device, &chance) { $0.slowness = 50 }
        case .silentLoss: change(device, &chance) { $0.silence = 40 }
        case .partition:
            let isUp = chance.isLucky(50)
            change(device, &chance) { weather in
                if isUp { weather.isCutUp = true } else { weather.isCutDown = true }
            }
        case .longOffline: goOffline(device, &chance)
        case .rateLimited, .serverErrors, .expiredLogin: failSoon(fault, device, &chance)
        case .slowHandler:
            noteFault(fault)
            devices[device].handlerDelay = 60_000 * (1 + chance.roll(5))
            agenda.add(.end(.slowHandler(device: device)), at: clock + .seconds(240))
        case .handlerThrows: devices[device].throwCount = 1 + chance.roll(3)
        case .storeFails:
            devices[device].isStoreFailing = true
            agenda.add(
                .end(.storeFailure(device: device)),
                at: clock + chance.time(upTo: 20_000)
            )
        case .stateDamaged:
            devices[device].disk.isDamaged = devices[device].disk.snapshot != nil
            crash(device)
        case .deviceClock:
            noteFault(fault)
            devices[device].clockOffset += Int64(chance.roll(172_800_000)) - 86_400_000
        case .deviceCloned: clone(device, &chance)
        case .accountChange: changeAccount(of: device, &chance)
        case .hostileAnswer: devices[device].isNextAnswerHostile = true
        case .twoTriggers:
            call(.send, on: device, &chance)
            call(.fetch, on: device, &chance)
            call(.send, on: device, &chance)
            handle(.notificationReceived, on: device)
        case .recordTooLarge:
            changeLimits { $0.limits.recordByteCountMax = 2000 }
            edit(anyRecord(&chance), padding: 3000, on: device, &chance)
        case .permissionRefused, .tokenExpired, .foreignToken, .serverRestart, .serverRestored,
            .serverWiped, .zoneDeletedElsewhere, .zonePurgedOrReset, .batchTooLarge,
            .quotaExceeded, .smallPages, .serverClock:
            troubleServer(fault, &chance)
        case .answersReordered, .conflict, .deletedWhileEdited, .recreation, .partialFailure,
            .exactPages, .handlerCallsEngine, .editDuringSend, .olderAppVersion:
            return
        }
    }

    private mutating func change(
        _ device: Int,
        _ chance: inout SplitMix64,
        _ body: (inout Weather) -> Void
    ) {
        body(&devices[device].weather)
        agenda.add(.end(.weather(device: device)), at: clock + chance.time(upTo: 60_000))
    }

    private mutating func goOffline(_ device: Int, _ chance: inout SplitMix64) {
        noteFault(.longOffline)
        devices[device].weather.isOffline = true
        let length = chance.isLucky(20) ? 40 * 86_400_000 : 120_000
        agenda.add(.end(.weather(device: device)), at: clock + chance.time(upTo: length))
    }

    private mutating func failSoon(_ fault: Fault, _ device: Int, _ chance: inout SplitMix64) {
        let errors: [SyncError]
        switch fault {
        case .rateLimited:
            let seconds = [0.5, 3, 30, 600, 1e12][chance.roll(5)]
            let code: SyncError.Code =
                chance.isLucky(60)
                ? .requestRateLimited : chance.isLucky(50) ? .zoneBusy : .serviceUnavailable
            errors = [SyncError(code, retryAfterSeconds: seconds)]
        case .expiredLogin:
            errors = [SyncError(.notAuthenticated), SyncError(.notAuthenticated)]
        case _:
            let codes: [SyncError.Code] = [
                .serviceUnavailable, .internalError, .networkFailure,
                .accountTemporarilyUnavailable,
                .managedAccountRestricted, .zoneBusy,
            ]
            errors = (0...chance.roll(4)).map { _ in SyncError(chance.pick(codes)) }
        }
        for _ in errors { noteFault(fault) }
        devices[device].failures += errors
    }

    mutating func end(_ passing: Passing) {
        switch passing {
        case .weather(let device): devices[device].weather = Weather()
        case .serverDown: isServerUp = true
        case .refusals: server.refusals = [:]
        case .quota: server.configuration.quotaByteCount = nil
        case .limits: server.configuration.limits = .standard
        case .standing(let account):
            attempt { world throws(SyncError) in
                try world.server.setStanding(.available, of: account)
            }
        case .storeFailure(let device): devices[device].isStoreFailing = false
        case .slowHandler(let device): devices[device].handlerDelay = 3
        case .signIn(let device):
            guard devices[device].account == nil else { return }
            devices[device].account = devices[device].disk.account ?? World.accounts[0]
            agenda.add(.accountHint(device: device), at: clock + random.time(upTo: 1000))
        }
    }
}

// The server's troubles.

extension World {
    private mutating func changeLimits(_ body: (inout ServerConfiguration) -> Void) {
        body(&server.configuration)
        agenda.add(.end(.limits), at: clock + .seconds(60))
    }

    private mutating func troubleServer(_ fault: Fault, _ chance: inout SplitMix64) {
        let account = World.accounts[chance.isLucky(85) ? 0 : 1]
        let zoneID = zoneID(chance.roll(options.zoneCount))
        switch fault {
        case .permissionRefused:
            let codes: [SyncError.Code] = [.permissionFailure, .internalError, .zoneBusy]
            server.refusals[.record(anyRecord(&chance))] = SyncError(chance.pick(codes))
            agenda.add(.end(.refusals), at: clock + chance.time(upTo: 60_000))
        case .tokenExpired:
            noteFault(fault)
            expireTokens(of: account, zoneID, &chance)
        case .foreignToken:
            noteFault(fault)
            server.configuration.tokenKey = (0..<32).map { _ in UInt8(chance.roll(256)) }
            checkers.forgetTokens()
        case .serverRestart:
            noteFault(fault)
            isServerUp = false
            agenda.add(.end(.serverDown), at: clock + chance.time(upTo: 10_000))
        case .serverRestored: restoreServer(&chance)
        case .serverWiped: wipeServer()
        case .zonePurgedOrReset:
            noteFault(fault)
            endZone(zoneID, of: account, &chance)
        case .zoneDeletedElsewhere:
            let device = chance.roll(devices.count)
            guard devices[device].isRunning else { return }
            noteFault(fault)
            commit([Part(zoneChanges: [.deleteZone(zoneID)])], on: device)
            commit(
                [Part(zoneChanges: [.saveZone(RecordZone(zoneID: zoneID))])],
                on: chance.roll(devices.count)
            )
        case .batchTooLarge:
            noteFault(fault)
            let count = 1 + chance.roll(2)
            changeLimits { $0.limits.batchCountMax = count }
        case .quotaExceeded:
            server.configuration.quotaByteCount = chance.roll(800)
            agenda.add(.end(.quota), at: clock + chance.time(upTo: 60_000))
        case .smallPages:
            noteFault(fault)
            server.configuration.pageCountMax = 1 + chance.roll(2)
        case .serverClock:
            noteFault(fault)
            serverClockOffset += Int64(chance.roll(7_200_000)) - 3_600_000
        case _: return  // The others are not the server's.
        }
    }

    private mutating func expireTokens(
        of account: String,
        _ zoneID: RecordZone.ID,
        _ chance: inout SplitMix64
    ) {
        let kind = chance.roll(3)
        attempt { world throws(SyncError) in
            switch kind {
            case 0:
                let owner = world.console(account)
                try world.server.expireTokens(of: zoneID, of: owner, at: world.serverWall)
            case 1:
                let owner = world.console(account)
                try world.server.expireAllTokens(of: owner, at: world.serverWall)
            case _:
                // Everything that is past its retention, as after months.
                world.clock += .seconds(41 * 86_400)
                try world.server.removeExpired(at: world.serverWall)
            }
        }
        notifyOthers(than: nil, of: account)
    }

    private mutating func endZone(
        _ zoneID: RecordZone.ID,
        of account: String,
        _ chance: inout SplitMix64
    ) {
        let isPurge = chance.isLucky(50)
        attempt { world throws(SyncError) in
            let owner = world.console(account)
            if isPurge {
                try world.server.purgeZone(zoneID, of: owner, at: world.serverWall)
            } else {
                try world.server.resetEncryptedData(in: zoneID, of: owner, at: world.serverWall)
            }
        }
        checkers.ledger.end(zoneID, of: account)
        notifyOthers(than: nil, of: account)
    }

    /// The first time a backup is made, the second time it is restored.
    private mutating func restoreServer(_ chance: inout SplitMix64) {
        guard let backup, chance.isLucky(60) else {
            backup = (server, checkers.ledger)
            return
        }
        noteFault(.serverRestored)
        tell(nil, .server, "the server is restored from a backup")
        let configuration = server.configuration
        server = backup.server
        server.configuration = configuration
        checkers.ledger.restore(backup.ledger)
        checkers.forgetTokens()
        attempt { world throws(SyncError) in
            // Whoever restores a backup sees to the clock first: it names the new epoch.
            try world.server.startNewEpoch(at: world.trueTime)
        }
        for account in World.accounts { notifyOthers(than: nil, of: account) }
    }

    private mutating func wipeServer() {
        noteFault(.serverWiped)
        tell(nil, .server, "the server is wiped")
        server = Server(storage: MemoryStorage(), configuration: server.configuration)
        backup = nil
        checkers.ledger.restore(Ledger())
        checkers.forgetTokens()
        attempt { world throws(SyncError) in
            for account in World.accounts {
                try world.server.createAccount(account, at: world.serverWall)
            }
            try world.server.startNewEpoch(at: world.trueTime)
        }
        for account in World.accounts { notifyOthers(than: nil, of: account) }
    }
}

// What happens to devices.

extension World {
    /// Another device gets a copy of what this one has stored.
    private mutating func clone(_ device: Int, _ chance: inout SplitMix64) {
        let other = chance.roll(devices.count)
        guard other != device else { return }
        noteFault(.deviceCloned)
        crash(other)
        let forgotten = devices[other].disk
        devices[other].disk = devices[device].disk
        // What the other one had and nobody else knows is gone with its disk.
        devices[other].disk.committed += forgotten.committed
        for edit in forgotten.committed {
            devices[other].disk.dropped[edit.tag] = "its disk was overwritten"
        }
        devices[other].account = devices[device].account
        devices[other].character.storesEntries = devices[device].character.storesEntries
        devices[other].character.registerCount = devices[device].character.registerCount
        // What the copied device holds is not given up.
        for (_, row) in devices[device].disk.rows.pairs {
            for tag in row.tags { devices[other].disk.dropped[tag] = nil }
        }
        let name = deviceName(device)
        tell(other, .fault, "gets a copy of \(name)'s disk")
    }

    private mutating func changeAccount(of device: Int, _ chance: inout SplitMix64) {
        noteFault(.accountChange)
        switch chance.roll(4) {
        case 0:
            let standings: [StoredAccount.Standing] = [.restricted, .temporarilyUnavailable]
            let (standing, account) = (chance.pick(standings), World.accounts[0])
            attempt { world throws(SyncError) in
                try world.server.setStanding(standing, of: account)
            }
            agenda.add(.end(.standing(account: account)), at: clock + .seconds(30))
        case 1:
            devices[device].account = nil
            agenda.add(.end(.signIn(device: device)), at: clock + chance.time(upTo: 60_000))
        case _:
            devices[device].account =
                devices[device].account == World.accounts[0]
                ? World.accounts[1] : World.accounts[0]
        }
        agenda.add(.accountHint(device: device), at: clock + chance.time(upTo: 3000))
    }

    /// An answer that no honest server gives: the engine must refuse it as a whole.
    mutating func hostile(_ answer: EngineInput, on device: Int) -> EngineInput {
        switch answer {
        case .zoneChangesFetched(let id, .success(var reply)):
            let stranger = Record.ID(recordName: "n0", zoneID: RecordZone.ID(zoneName: "elsewhere"))
            reply.deletions.append(.init(recordID: stranger, recordType: "Note"))
            devices[device].isNextAnswerHostile = false
            noteFault(.hostileAnswer)
            return .zoneChangesFetched(id, .success(reply))
        case .recordsModified(let id, .success(var reply)):
            reply.saveResults.append(.failure(SyncError(.unknownItem)))
            devices[device].isNextAnswerHostile = false
            noteFault(.hostileAnswer)
            return .recordsModified(id, .success(reply))
        case .outcomeReceived(let id, .success):
            devices[device].isNextAnswerHostile = false
            noteFault(.hostileAnswer)
            return .outcomeReceived(id, .failure(SyncError(.internalError)))
        case _: return answer  // Left as it is; the next answer is tried.
        }
    }
}
