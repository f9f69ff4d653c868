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

/// Files over a running server.
@Suite(.timeLimit(.minutes(2))) struct AssetStoryTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func write(_ bytes: [UInt8], to name: String) -> String {
        let path = server.folder.appendingPathComponent(name).path
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
        return path
    }

    private func attach(_ path: String, to name: String, on device: RemoteDevice) {
        let id = RemoteDevice.id(name)
        var record = Record(recordType: "Note", recordID: id)
        record["file"] = Asset(filePath: path)
        device.delegate[id] = record
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }

    private final class Box: Sendable {
        let guarded = Guarded<[UInt8]?>(nil)
        var value: [UInt8]? {
            get { guarded.withLock { $0 } }
            set { guarded.withLock { $0 = newValue } }
        }
    }

    @Test(.holds("P109", "P100", "P103"))
    func bringsALongFileFromOneDeviceToAnother() async throws {
        let phone = try RemoteDevice("phone", on: server)
        let desk = try RemoteDevice("desk", on: server)
        let box = Box()
        desk.delegate.onEvent(.fetchedRecordZoneChanges) { event, _, _ in
            guard case .fetchedRecordZoneChanges(let page) = event,
                let asset: Asset = page.modifications.first?.record["file"],
                let path = asset.filePath
            else { return }
            box.value = FileManager.default.contents(atPath: path).map { Array($0) }
        }
        // More than one piece, and not a whole number of them.
        let bytes = (0..<2_345_678).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        attach(write(bytes, to: "long"), to: "n", on: phone)
        try await phone.sync()
        try await desk.sync()
        #expect(box.value == bytes)
    }

    @Test(.holds("P101"))
    func aFileAboveTheServersLimitFailsItsRecordAlone() async throws {
        var limits = RequestLimits.standard
        limits.assetByteCountMax = 3
        let strict = try LoopbackServer(limits: limits)
        let phone = try RemoteDevice("phone", on: strict)
        attach(write([1, 2, 3, 4], to: "big"), to: "big", on: phone)
        attach(write([1, 2, 3], to: "small"), to: "small", on: phone)
        try? await phone.engine.sendChanges()
        let failures = phone.delegate.events.flatMap { event -> [String: SyncError.Code] in
            guard case .sentRecordZoneChanges(let sent) = event else { return [:] }
            return Dictionary(
                uniqueKeysWithValues: sent.failedRecordSaves.map {
                    ($0.record.recordID.recordName, $0.error.code)
                }
            )
        }
        #expect(failures.map(\.key) == ["big"])
        #expect(failures.map(\.value) == [.limitExceeded])
        let desk = try RemoteDevice("desk", on: strict)
        try await desk.sync()
        #expect(desk.delegate.records.keys.map(\.recordName) == ["small"])
    }

    @Test(.holds("P109"))
    func anUploadGoesOnWhereItBrokeOff() async throws {
        let port = server.port
        let bodies = Mutex<[Int]>([])
        let proxy = try ScriptedPeer { request, _ in
            let isContent = request.head.path.hasSuffix("assets/content")
            let count = bodies.withLock { bodies in
                if isContent { bodies.append(request.body.count) }
                return bodies.count
            }
            // The third piece of the first try is lost, with its connection.
            return isContent && count == 3 ? .forwardAndLose(port: port) : .forward(port: port)
        }
        defer { proxy.end() }
        let database = try RemoteServer(proxy.url, deviceName: "phone").database(.private)
        let phone = RemoteDevice(database)
        let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 3) }
        attach(write(bytes, to: "long"), to: "n", on: phone)
        try? await phone.engine.sendChanges()
        try? await phone.engine.sendChanges()
        #expect(phone.engine.state.pendingRecordZoneChanges == [])
        #expect(bodies.withLock { $0 }.reduce(0, +) < 2 * bytes.count)
    }

    @Test(.holds("P109"))
    func aFileIsSentInBytesWithItsHeader() async throws {
        let connection = try RawConnection(port: server.port)
        connection.send(
            "POST /database/1/default/production/private/assets/content HTTP/1.1\r\n"
                + "host: localhost\r\ncontent-length: 5\r\n\r\nhello"
        )
        _ = connection.receive(until: "singleFile")
        let digits = SHA256.hash(Array("hello".utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let other = try RawConnection(port: server.port)
        other.send(
            "GET /database/1/default/production/private/assets/content?checksum=\(digits) "
                + "HTTP/1.1\r\nhost: localhost\r\nrange: bytes=1-3\r\nconnection: close\r\n\r\n"
        )
        let answer = other.receive()
        #expect(answer.hasPrefix("HTTP/1.1 206 Partial Content\r\n"))
        #expect(answer.contains("content-type: application/octet-stream\r\n"))
        #expect(answer.contains("content-disposition: attachment\r\n"))
        #expect(answer.contains("x-content-type-options: nosniff\r\n"))
        #expect(answer.contains("content-range: bytes 1-3/5\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nell"))
    }
}
