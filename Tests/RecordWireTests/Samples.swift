import RecordModel
import RecordWire

/// Lines as the program reads and writes them.
enum Sample {
    static let country =
        #"{"recordName":"AW","recordType":"Country","zoneID":{"zoneName":"Places"},"fields":{"#
        + #""alpha_3":{"value":"ABW","type":"STRING"},"flag":{"value":"🇦🇼","type":"STRING"},"#
        + #""name":{"value":"Aruba","type":"STRING"},"numeric":{"value":533,"type":"INT64"}}}"#
    static let subdivision =
        #"{"recordName":"AF-JOW","recordType":"Subdivision","zoneID":{"zoneName":"Places"},"#
        + #""parent":{"recordName":"AF"},"fields":{"country":{"value":{"recordName":"AF","#
        + #""action":"NONE"},"type":"REFERENCE"},"kind":{"value":"Province","type":"STRING"},"#
        + #""name":{"value":"Jowzjān","type":"STRING"}}}"#
    static let language =
        #"{"recordName":"aaa","recordType":"Language","zoneID":{"zoneName":"Languages"},"fields":{"#
        + #""name":{"value":"Ghotuo","type":"STRING"},"scope":{"value":"I","type":"STRING"},"#
        + #""type":{"value":"L","type":"STRING"}}}"#
    static let stored =
        #"{"recordName":"n1","recordType":"Note","zoneID":{"zoneName":"Notes","#
        + #""ownerRecordName":"_ada"},"parent":{"recordName":"n0"},"recordChangeTag":"7f","#
        + #""created":{"timestamp":1700000000000,"userRecordName":"_ada","deviceID":"desk"},"#
        + #""modified":{"timestamp":1700000000001,"userRecordName":"_bo"},"fields":{"#
        + #""text":{"value":"a \"quoted\" \\ line\nand \u0007 more","type":"STRING","#
        + #""isEncrypted":true},"title":{"value":null}}}"#
    static let everyType =
        #"{"recordName":"e","recordType":"Every","zoneID":{"zoneName":"_defaultZone"},"fields":{"#
        + #""a":{"value":{"fileChecksum":"4Xo8QAkPGIbVX4tf5/kVfIlNQ4gPTv9Gn/VHEg7aCAg=","#
        + #""size":12},"type":"ASSETID"},"b":{"value":"AP9/","type":"BYTES"},"#
        + #""d":{"value":0.1,"type":"DOUBLE"},"i":{"value":9007199254740993,"type":"INT64"},"#
        + #""l":{"value":{"latitude":52.5,"longitude":-13.0,"horizontalAccuracy":5.0,"#
        + #""verticalAccuracy":6.0,"altitude":34.0,"speed":1.5,"course":270.0,"#
        + #""timestamp":-1},"type":"LOCATION"},"r":{"value":{"recordName":"x","#
        + #""action":"DELETE_SELF"},"type":"REFERENCE"},"t":{"value":-1,"type":"TIMESTAMP"}}}"#
    static let everyList =
        #"{"recordName":"e","recordType":"Every","zoneID":{"zoneName":"Z"},"fields":{"#
        + #""a":{"value":[{},{"size":0}],"type":"ASSETID_LIST"},"#
        + #""b":{"value":["","AA==","AAA="],"type":"BYTES_LIST"},"#
        + #""d":{"value":[1.0,"NaN","Infinity","-Infinity"],"type":"DOUBLE_LIST"},"#
        + #""i":{"value":[-9223372036854775808,9223372036854775807],"type":"INT64_LIST"},"#
        + #""l":{"value":[{"latitude":1.0,"longitude":2.0}],"type":"LOCATION_LIST"},"#
        + #""r":{"value":[{"recordName":"x","zoneID":{"zoneName":"Y"},"action":"NONE"}],"#
        + #""type":"REFERENCE_LIST"},"s":{"value":["","é"],"type":"STRING_LIST"},"#
        + #""t":{"value":[],"type":"TIMESTAMP_LIST"}}}"#

    static let all = [country, subdivision, language, stored, everyType, everyList]

    /// A line whose one field is named `f`.
    static func line(field: String) -> String {
        #"{"recordName":"r","recordType":"T","fields":{"f":\#(field)}}"#
    }
}

func record(_ line: String) throws(WireError) -> Record { try RecordJSON.record(from: line.utf8) }

func line(_ record: Record) -> String {
    String(decoding: RecordJSON.line(for: record), as: UTF8.self)
}

/// What reading the line throws, as a person sees it; "no error" where it throws nothing.
func fault(_ line: some Collection<UInt8>) -> String {
    do {
        _ = try RecordJSON.record(from: line)
        return "no error"
    } catch {
        return error.description
    }
}

func fault(_ line: String) -> String { fault(Array(line.utf8)) }
