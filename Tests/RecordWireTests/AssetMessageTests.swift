import RecordModel
import RecordWire
import TestSupport
import Testing

private let checksum = [UInt8](repeating: 7, count: 32)
private let digits = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="

/// What is asked and answered about files, as version 1 has it.
@Suite(.holds("H106")) struct AssetMessageTests {
    private let named = AssetUpload(
        recordName: "a",
        fieldName: "file",
        asset: Asset(byteCount: 3, checksum: checksum)
    )

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func theQuestionWhichFilesAreMissing() throws {
        let uploads = [named, AssetUpload(asset: Asset(byteCount: 0, checksum: checksum))]
        let golden =
            #"{"tokens":[{"recordName":"a","fieldName":"file","#
            + #""fileChecksum":"\#(digits)","size":3},"#
            + #"{"fileChecksum":"\#(digits)","size":0}]}"#
        #expect(text(WireCodec.body(of: uploads)) == golden)
        #expect(try WireCodec.assetUploads(in: Array(golden.utf8)) == uploads)
    }

    @Test func aQuestionOfAClientThatKnowsNoHashes() throws {
        let body =
            #"{"zoneID":{"zoneName":"Z"},"tokens":[{"recordType":"T","fieldName":"file"}]}"#
        #expect(
            try WireCodec.assetUploads(in: Array(body.utf8))
                == [AssetUpload(fieldName: "file", asset: Asset())]
        )
    }

    @Test func theAnswerWhereToSendThem() throws {
        let ticket = AssetTicket(upload: named, url: "/x?y=1", receivedByteCount: 2)
        let golden =
            #"{"tokens":[{"recordName":"a","fieldName":"file","#
            + #""fileChecksum":"\#(digits)","size":3,"#
            + #""url":"/x?y=1","received":2}]}"#
        #expect(text(WireCodec.body(of: [ticket], withExtensions: true)) == golden)
        #expect(try WireCodec.assetTickets(in: Array(golden.utf8)) == [ticket])
        #expect(
            text(WireCodec.body(of: [ticket], withExtensions: false))
                == #"{"tokens":[{"recordName":"a","fieldName":"file","url":"/x?y=1"}]}"#
        )
    }

    @Test(arguments: [
        (PieceReply.received(5), #"{"received":5}"#),
        (
            .whole(Asset(byteCount: 3, checksum: checksum)),
            #"{"singleFile":{"fileChecksum":"\#(digits)","size":3}}"#
        ),
    ])
    func whatBecameOfAPiece(_ reply: PieceReply, _ golden: String) throws {
        #expect(text(WireCodec.body(of: reply)) == golden)
        #expect(try WireCodec.pieceReply(in: Array(golden.utf8)) == reply)
    }

    @Test(arguments: [
        #"{"tokens":[{"fileChecksum":"AAAA"}]}"#, #"{"tokens":[{"size":-1}]}"#,
        #"{"tokens":[{"size":1.5}]}"#, #"{"tokens":{}}"#, #"{"tokens":[1]}"#,
    ])
    func refusesWhatIsNoFile(_ body: String) {
        #expect(throws: WireError.self) { try WireCodec.assetUploads(in: Array(body.utf8)) }
    }

    @Test(arguments: ["{}", #"{"received":-1}"#, #"{"received":"1"}"#, #"{"singleFile":1}"#])
    func refusesAnAnswerThatSaysNothing(_ body: String) {
        #expect(throws: WireError.self) { try WireCodec.pieceReply(in: Array(body.utf8)) }
    }
}
