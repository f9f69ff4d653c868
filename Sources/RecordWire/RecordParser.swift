internal import RecordModel

/// Reads one record from its line.
struct RecordParser {
    var scanner: JSONScanner
    /// The record's zone as far as it was read.
    private(set) var zoneID: RecordZone.ID
    /// True if links were put in a zone that turned out not to be the record's.
    private(set) var hasLinkedTooEarly = false
    private var hasLinked = false

    /// True for an operation of a request: each field and a parent that stand there are changed.
    var marksAllChanged = false
    /// True if a key that it does not know is an error, not passed over.
    var refusesUnknownKeys = false
    /// True for an item of a message, which can be a record, a deletion or an error.
    var takesItems = false
    var item = ItemMembers()

    private(set) var recordName: String?
    private(set) var recordType: String?
    private(set) var changeTag: String?
    private var creation: Record.Stamp?
    private var modification: Record.Stamp?
    private var parent: Record.Reference?
    private var hasParent = false
    private var fields: [ParsedField] = []

    /// Makes a reader that takes the record to be in the given zone until the line says otherwise.
    init(_ scanner: JSONScanner, zoneID: RecordZone.ID) {
        self.scanner = scanner
        self.zoneID = zoneID
    }

    mutating func record() throws(WireError) -> Record {
        try readMembers()
        try scanner.finish()
        return try assembled()
    }

    /// Reads the object that stands next; what it is made of is asked for afterwards.
    mutating func readMembers() throws(WireError) {
        try scanner.beginObject(of: "the record")
        while let key = try scanner.nextKey() { try member(key) }
    }

    private mutating func member(_ key: String) throws(WireError) {
        switch key {
        case "recordName": recordName = try scanner.string(of: "\"recordName\"")
        case "recordType": recordType = try scanner.string(of: "\"recordType\"")
        case "recordChangeTag": changeTag = try scanner.string(of: "\"recordChangeTag\"")
        case "created": creation = try stamp(of: "\"created\"")
        case "modified": modification = try stamp(of: "\"modified\"")
        case "parent":
            hasParent = true
            let isRemoval = try scanner.kind() == .null
            if isRemoval { try scanner.literal("null") } else { parent = try parentLink() }
        case "zoneID":
            let zoneID = try zone(of: "\"zoneID\"")
            hasLinkedTooEarly = hasLinked && zoneID != self.zoneID
            self.zoneID = zoneID
        case "fields":
            try scanner.beginObject(of: "\"fields\"")
            while let key = try scanner.nextKey() { fields.append(try field(key)) }
        case "deleted":
            item.isDeleted = try scanner.bool(of: "\"deleted\"")
            guard !item.isDeleted || takesItems else {
                throw scanner.error("the record is marked as deleted; expected one that exists")
            }
        default:
            guard takesItems else { return try passOver(key, expecting: Expected.recordKey) }
            try itemMember(key)
        }
    }

    func assembled() throws(WireError) -> Record {
        guard let recordName else { throw missing("recordName", expecting: "the record's name") }
        guard let recordType else { throw missing("recordType", expecting: "what the record is") }
        let recordID = Record.ID(recordName: recordName, zoneID: zoneID)
        let isParentChanged = marksAllChanged ? hasParent : changeTag == nil && parent != nil
        // A parent counts as changed once it is set to another one than it was made with.
        let other = Record.Reference(recordID: recordID, action: .deleteSelf)
        var record = Record(
            systemFields: Record.SystemFields(
                recordType: recordType,
                recordID: recordID,
                recordChangeTag: changeTag,
                creation: creation,
                modification: modification,
                parent: isParentChanged ? other : parent
            )
        )
        if isParentChanged { record.parent = parent }
        for field in fields {
            record.setField(
                field.key,
                to: field.value,
                isEncrypted: field.isEncrypted,
                isChanged: marksAllChanged || changeTag == nil || field.value == nil
            )
        }
        return record
    }

    /// The zone of a link that names none.
    mutating func ownZone() -> RecordZone.ID {
        hasLinked = true
        return zoneID
    }

    func missing(_ key: String, of part: String? = nil, expecting expected: String) -> WireError {
        scanner.error("no \"\(key)\"\(part.map { " in \($0)" } ?? ""); expected \(expected)")
    }

    /// Passes over the value of a key that it does not know, or refuses the key.
    mutating func passOver(_ key: String, expecting known: String) throws(WireError) {
        guard !refusesUnknownKeys else {
            throw scanner.error("unknown key \(quoted(key)); expected \(known)")
        }
        try scanner.skipValue()
    }

    mutating func zone(of part: String) throws(WireError) -> RecordZone.ID {
        var zoneName = RecordZone.ID.defaultZoneName
        var ownerName = RecordZone.ID.currentUserName
        try scanner.beginObject(of: part)
        while let key = try scanner.nextKey() {
            switch key {
            case "zoneName": zoneName = try scanner.string(of: "\"zoneName\"")
            case "ownerRecordName": ownerName = try scanner.string(of: "\"ownerRecordName\"")
            default: try passOver(key, expecting: "zoneName or ownerRecordName")
            }
        }
        return RecordZone.ID(zoneName: zoneName, ownerName: ownerName)
    }

    private mutating func stamp(of part: String) throws(WireError) -> Record.Stamp {
        var timestamp: Timestamp?
        var user: String?
        var deviceID: String?
        try scanner.beginObject(of: part)
        while let key = try scanner.nextKey() {
            switch key {
            case "timestamp": timestamp = try instant(of: "\"timestamp\"")
            case "userRecordName": user = try scanner.string(of: "\"userRecordName\"")
            case "deviceID": deviceID = try scanner.string(of: "\"deviceID\"")
            default: try passOver(key, expecting: "timestamp, userRecordName or deviceID")
            }
        }
        guard let timestamp else {
            throw missing("timestamp", of: part, expecting: Expected.timestamp)
        }
        guard let user else {
            throw missing("userRecordName", of: part, expecting: "the user's record name")
        }
        return Record.Stamp(timestamp: timestamp, userRecordName: user, deviceID: deviceID)
    }
}
