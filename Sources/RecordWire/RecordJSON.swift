public import RecordModel

/// A record as one line of JSON, in the shape of the wire.
///
/// The keys of a written record stand in one order: `recordName`, `recordType`, `zoneID`, `parent`,
/// `recordChangeTag`, `created`, `modified`, `fields`; fields are sorted by name, each with its
/// type. Equal records give equal lines on every platform.
///
/// Reading is strict about JSON (no key twice, no half characters, limits on depth and lengths) and
/// ignores keys it does not know. A field without `type` is taken as STRING, INT64 or DOUBLE
/// (a number with fraction or exponent); every other value needs its type. A link without `zoneID`
/// stays in the record's zone, a record without `zoneID` lives in the default zone.
public enum RecordJSON {
    /// Reads a record from a line, given without its line end.
    ///
    /// A record without a change tag is new: its fields and its parent count as changed. With a tag
    /// it is a server's version, and nothing of it is changed, but a field with the value null,
    /// which is a removal to be sent.
    public static func record(
        from line: some Collection<UInt8>
    ) throws(WireError) -> Record {
        let bytes = Array(line)
        return try record(in: bytes, at: 0..<bytes.count)
    }

    /// Writes a record as a line without its line end.
    ///
    /// Where an asset's file lies on this device is not written. A removed field is written with
    /// the value null; which of the others are changed is not written. A number that is not
    /// finite becomes one of the texts `NaN`, `Infinity` and `-Infinity`, which reading takes for a
    /// DOUBLE.
    public static func line(for record: Record) -> [UInt8] {
        var writer = RecordWriter()
        writer.write(record)
        return writer.bytes
    }

    /// Reads a record from a part of the bytes; columns are counted from the part's start.
    static func record(
        in bytes: [UInt8],
        at range: Range<Int>,
        refusingUnknownKeys: Bool = false
    ) throws(WireError) -> Record {
        guard range.count <= WireLimits.lineByteCountMax else {
            throw WireError(
                column: 1,
                message: "a line of \(range.count) bytes; "
                    + "expected at most \(WireLimits.lineByteCountMax)"
            )
        }
        var parser = RecordParser(JSONScanner(bytes, in: range), zoneID: .default)
        parser.refusesUnknownKeys = refusingUnknownKeys
        let record = try parser.record()
        guard parser.hasLinkedTooEarly else { return record }
        // The zone stands behind links that stay in it. Read again, now that it is known.
        parser = RecordParser(JSONScanner(bytes, in: range), zoneID: record.recordID.zoneID)
        parser.refusesUnknownKeys = refusingUnknownKeys
        return try parser.record()
    }
}
