import Foundation
import LoopbackSupport
import RecordModel
import RecordServer
import RecordSync
import RecordSyncHTTP
import RecordSyncTesting
import Synchronization
import TestSupport
import Testing

/// Engines over a running server.
@Suite(.timeLimit(.minutes(2))) struct EngineStoryTests {
    @Test func whatOneDeviceSavesTheOtherHas() async throws {
        let server = try LoopbackServer()
        let phone = try RemoteDevice("phone", on: server)
        let desk = try RemoteDevice("desk", on: server)
        for number in 1...600 { phone.save("n\(number)", text: "text \(number)") }
        try await phone.sync()
        try await desk.sync()
        #expect(desk.delegate.records.count == 600)
        #expect(desk.text("n600") == "text 600")
        desk.delete("n1")
        try await desk.sync()
        try await phone.sync()
        #expect(phone.text("n1") == nil)
    }

    @Test func aConflictCarriesTheServersRecordAndItsAncestor() async throws {
        let server = try LoopbackServer()
        let phone = try RemoteDevice("phone", on: server)
        let desk = try RemoteDevice("desk", on: server)
        phone.save("n", text: "first")
        try await phone.sync()
        try await desk.sync()
        phone.save("n", text: "phone's")
        try await phone.sync()
        desk.save("n", text: "desk's")
        try? await desk.engine.sendChanges()
        let failures = desk.delegate.events.flatMap { event -> [SyncError] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.failedRecordSaves.map(\.error)
        }
        let conflict = try #require(failures.first)
        #expect(conflict.code == .serverRecordChanged)
        let texts: [String?] = [
            conflict.clientRecord?["text"], conflict.serverRecord?["text"],
            conflict.ancestorRecord?["text"],
        ]
        #expect(texts == ["desk's", "phone's", "first"])
    }

    @Test func aLostAnswerHasItsEffectOnce() async throws {
        let server = try LoopbackServer()
        let port = server.port
        let lost = Mutex(false)
        let proxy = try ScriptedPeer { request, _ in
            let isFirstSave = lost.withLock { lost in
                let isSave = request.head.path.hasSuffix("records/modify")
                defer { lost = lost || isSave }
                return isSave && !lost
            }
            return isFirstSave ? .forwardAndLose(port: port) : .forward(port: port)
        }
        defer { proxy.end() }
        let phone = RemoteDevice(
            try RemoteServer(proxy.url, deviceName: "phone").database(.private)
        )
        phone.save("n", text: "once")
        try? await phone.engine.sendChanges()
        try? await phone.engine.sendChanges()
        #expect(phone.engine.state.pendingRecordZoneChanges == [])
        let desk = try RemoteDevice("desk", on: server)
        try await desk.sync()
        #expect(desk.text("n") == "once")
        let failures = phone.delegate.events.flatMap { event -> [SyncError] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [] }
            return sent.failedRecordSaves.map(\.error)
        }
        #expect(failures == [])
    }

    @Test func aRelaunchedDeviceGoesOnWhereItWas() async throws {
        let server = try LoopbackServer()
        var phone = try RemoteDevice("phone", on: server)
        phone.save("a", text: "1")
        try await phone.sync()
        phone.save("b", text: "2")
        try await phone.engine.fetchChanges()
        phone = phone.relaunched()
        #expect(phone.engine.state.pendingRecordZoneChanges.count == 1)
        try await phone.sync()
        let desk = try RemoteDevice("desk", on: server)
        try await desk.sync()
        #expect(desk.text("b") == "2")
    }

    @Test func batchesThatAreTooLargeGoInHalves() async throws {
        var limits = RequestLimits.standard
        limits.batchCountMax = 7
        let server = try LoopbackServer(limits: limits)
        let phone = try RemoteDevice("phone", on: server)
        for number in 1...40 { phone.save("n\(number)", text: "x") }
        try await phone.sync()
        #expect(phone.engine.state.pendingRecordZoneChanges == [])
        let desk = try RemoteDevice("desk", on: server)
        try await desk.sync()
        #expect(desk.delegate.records.count == 40)
    }

    @Test func aDeletedZoneIsToldOf() async throws {
        let server = try LoopbackServer()
        let phone = try RemoteDevice("phone", on: server)
        let desk = try RemoteDevice("desk", on: server)
        phone.save("n", text: "x")
        try await phone.sync()
        try await desk.sync()
        phone.engine.state.add(
            pendingDatabaseChanges: [.deleteZone(RemoteDevice.zone.zoneID)]
        )
        try await phone.sync()
        try await desk.sync()
        let deletions = desk.delegate.events.flatMap { event -> [RecordZone.ID] in
            guard case .fetchedDatabaseChanges(let changes) = event else { return [] }
            return changes.deletions.map(\.zoneID)
        }
        #expect(deletions == [RemoteDevice.zone.zoneID])
    }

    @Test func tokensKeepAccountsApart() async throws {
        let ann = AccessToken(randomBytes: Array(repeating: 1, count: 32))
        let bob = AccessToken(randomBytes: Array(repeating: 2, count: 32))
        let server = try LoopbackServer(
            tokens: [(ann, "ann", "phone"), (bob, "bob", "phone")]
        )
        let annsPhone = RemoteDevice(
            try RemoteServer(server.url, accessToken: ann.text).database(.private)
        )
        let bobsPhone = RemoteDevice(
            try RemoteServer(server.url, accessToken: bob.text).database(.private)
        )
        annsPhone.save("n", text: "ann's")
        try await annsPhone.sync()
        try await bobsPhone.sync()
        #expect(bobsPhone.text("n") == nil)
        let nobody = RemoteDevice(try RemoteServer(server.url).database(.private))
        await #expect(throws: SyncError.self) { try await nobody.sync() }
    }

    @Test func anAutomaticDeviceHearsOfAnothersChange() async throws {
        let server = try LoopbackServer()
        let (texts, target) = AsyncStream.makeStream(of: String.self)
        let delegate = RecordingDelegate()
        delegate.onEvent(.fetchedRecordZoneChanges) { event, _, _ in
            guard case .fetchedRecordZoneChanges(let changes) = event else { return }
            for change in changes.modifications { target.yield(change.record["text"] ?? "") }
        }
        let desk = RemoteDevice(
            try RemoteServer(server.url, deviceName: "desk").database(.private),
            delegate: delegate,
            isAutomatic: true
        )
        let phone = try RemoteDevice("phone", on: server)
        phone.save("n", text: "hello")
        try await phone.sync()
        var heard = texts.makeAsyncIterator()
        #expect(await heard.next() == "hello")
        phone.save("n", text: "again")
        try await phone.sync()
        #expect(await heard.next() == "again")
        _ = desk
    }
}
