/// How many bytes a `BinaryWriter` would write, reckoned without writing them.
package struct ByteCount: Sendable {
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ bytes: Int) { count += bytes }

    package mutating func add(number: UInt64) {
        count += max(1, (64 - number.leadingZeroBitCount + 6) / 7)
    }

    package mutating func add(signed number: Int64) {
        add(number: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    package mutating func add(_ text: String) {
        let length = text.utf8.count
        add(number: UInt64(length))
        count += length
    }

    package mutating func add(run length: Int) {
        add(number: UInt64(length))
        count += length
    }

    package mutating func add<Element>(
        list: [Element],
        _ add: (inout ByteCount, Element) -> Void
    ) {
        self.add(number: UInt64(list.count))
        for element in list { add(&self, element) }
    }

    package mutating func add<Value>(
        _ value: Value?,
        _ add: (inout ByteCount, Value) -> Void
    ) {
        count += 1
        if let value { add(&self, value) }
    }
}

extension ByteCount {
    mutating func add(_ recordID: Record.ID) {
        add(recordID.zoneID.zoneName)
        add(recordID.zoneID.ownerName)
        add(recordID.recordName)
    }

    mutating func add(_ reference: Record.Reference) {
        add(reference.recordID)
        count += 1
    }

    mutating func add(_ timestamp: Timestamp) { add(signed: timestamp.millisecondsSince1970) }

    mutating func add(_ asset: Asset) {
        add(asset.byteCount) { $0.add(signed: $1) }
        add(asset.checksum) { $0.add(run: $1.count) }
    }

    mutating func add(_ location: Location) {
        count += 16
        for figure in [
            location.altitude, location.horizontalAccuracy, location.verticalAccuracy,
            location.speed, location.course,
        ] {
            add(figure) { count, _ in count.add(8) }
        }
        add(location.timestamp) { $0.add($1) }
    }

    mutating func add(_ value: RecordValue) {
        count += 1
        switch value {
        case .string(let text): add(text)
        case .int64(let number): add(signed: number)
        case .double: count += 8
        case .date(let timestamp): add(timestamp)
        case .bytes(let bytes): add(run: bytes.count)
        case .asset(let asset): add(asset)
        case .location(let location): add(location)
        case .reference(let reference): add(reference)
        case .strings(let list): add(list: list) { $0.add($1) }
        case .int64s(let list): add(list: list) { $0.add(signed: $1) }
        case .doubles(let list): add(list: list) { count, _ in count.add(8) }
        case .dates(let list): add(list: list) { $0.add($1) }
        case .bytesList(let list): add(list: list) { $0.add(run: $1.count) }
        case .assets(let list): add(list: list) { $0.add($1) }
        case .locations(let list): add(list: list) { $0.add($1) }
        case .references(let list): add(list: list) { $0.add($1) }
        }
    }

    /// Adds what `BinaryWriter.write(contentOf:)` writes.
    mutating func add(contentOf record: Record) {
        add(record.recordID)
        add(record.recordType)
        add(record.parent) { $0.add($1) }
        var fieldCount = 0
        for field in record.fields.entries {
            guard let value = field.value else { continue }
            fieldCount += 1
            add(field.key)
            // The two flags in front of the value: encrypted, and that there is one.
            count += 2
            add(value)
        }
        add(number: UInt64(fieldCount))
    }
}

extension Record {
    /// The record's size in bytes as limits count it: names, parent and fields, assets not counted.
    public var byteCount: Int {
        var count = ByteCount()
        count.add(contentOf: self)
        return count.count
    }
}
