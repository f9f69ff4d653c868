extension RecordZone.ID {
    /// Throws `invalidArguments` unless both names are ASCII of 1 to 255 characters.
    public func validate() throws(SyncError) {
        try validateName(zoneName, of: "zone")
        try validateName(ownerName, of: "owner")
    }
}

extension Record.ID {
    /// Throws `invalidArguments` unless all names are ASCII of 1 to 255 characters.
    public func validate() throws(SyncError) {
        try validateName(recordName, of: "record")
        try zoneID.validate()
    }
}

extension Record {
    /// Throws `invalidArguments` for a bad name, or a link that leaves the zone or may not be one.
    ///
    /// A record type and a field's name start with a letter and go on with letters, digits and
    /// underscores.
    public func validate() throws(SyncError) {
        try recordID.validate()
        try validateIdentifier(recordType, of: "record type", in: recordID)
        for field in fields.entries {
            try validateIdentifier(field.key, of: "field name", in: recordID)
            if field.isEncrypted { try validateEncrypted(field) }
            for reference in field.value?.references ?? [] { try validateLink(reference) }
        }
        guard let parent else { return }
        try validateLink(parent)
        guard parent.action == .none else {
            throw SyncError(
                .invalidArguments,
                "the parent of \(recordID) must be linked with action .none"
            )
        }
    }

    private func validateLink(_ reference: Reference) throws(SyncError) {
        try reference.recordID.validate()
        guard reference.recordID.zoneID == recordID.zoneID else {
            throw SyncError(
                .invalidArguments,
                "\(recordID) links to \(reference.recordID): a link cannot leave its zone"
            )
        }
    }

    private func validateEncrypted(_ field: FieldTable.Field) throws(SyncError) {
        switch field.value?.type {
        case .reference, .references, .asset, .assets:
            throw SyncError(
                .invalidArguments,
                "field \(field.key) of \(recordID) cannot be encrypted: it is a link or an asset"
            )
        case .string, .int64, .double, .date, .bytes, .location, .strings, .int64s, .doubles,
            .dates, .bytesList, .locations, nil:
            return
        }
    }
}

private func isPrintableASCII(_ name: String) -> Bool {
    func isPrintable(_ bytes: some Sequence<UInt8>) -> Bool {
        // Looks at every byte, so that the loop takes many at a time.
        bytes.reduce(0 as UInt8) { $0 | ($1 &- 0x20 > 0x5E ? 1 : 0) } == 0
    }
    // The view checks each byte's place in the text; the bytes themselves take a tenth of that.
    return name.utf8.withContiguousStorageIfAvailable(isPrintable) ?? isPrintable(name.utf8)
}

extension Record.ID {
    /// True if the record's own name is one; the zone's is not looked at.
    package var hasValidRecordName: Bool {
        (1...RequestLimits.nameLengthMax).contains(recordName.utf8.count)
            && isPrintableASCII(recordName)
    }
}

private func validateName(_ name: String, of kind: String) throws(SyncError) {
    let bytes = name.utf8
    guard (1...RequestLimits.nameLengthMax).contains(bytes.count) else {
        throw SyncError(
            .invalidArguments,
            "a \(kind) name has 1 to \(RequestLimits.nameLengthMax) characters, not \(bytes.count)"
        )
    }
    guard isPrintableASCII(name) else {
        throw SyncError(
            .invalidArguments,
            "the \(kind) name \(name.debugDescription) is not printable ASCII, as names must be"
        )
    }
}

private func validateIdentifier(
    _ name: String,
    of kind: String,
    in recordID: Record.ID
) throws(SyncError) {
    let bytes = name.utf8
    let isWellFormed =
        bytes.first.map(isLetter) == true
        && bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
        && bytes.count <= RequestLimits.nameLengthMax
    guard isWellFormed else {
        throw SyncError(
            .invalidArguments,
            "the \(kind) \(name.debugDescription) of \(recordID) must start with a letter, go on "
                + "with letters, digits and underscores, and have at most "
                + "\(RequestLimits.nameLengthMax) characters"
        )
    }
}

private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
