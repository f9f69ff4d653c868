// The files of a record: which it holds, and what they are towards the server.

/// Where a record holds an asset: a field, and the place in its list if it is one.
package struct AssetPlace: Hashable, Sendable {
    package let key: Record.FieldKey
    package let position: Int?

    package init(key: Record.FieldKey, position: Int?) {
        self.key = key
        self.position = position
    }
}

extension Record {
    /// True if any field holds an asset or a list of them; costs a look at each field.
    package var holdsAssets: Bool { contents[0].fields.holdsAssets }

    /// The record's assets by the names of their fields, of all fields or of the changed ones.
    package func assets(ofChangedKeys isChangedOnly: Bool) -> [(place: AssetPlace, asset: Asset)] {
        var found: [(place: AssetPlace, asset: Asset)] = []
        for field in fields.entries where field.isChanged || !isChangedOnly {
            switch field.value {
            case .asset(let asset)?:
                found.append((AssetPlace(key: field.key, position: nil), asset))
            case .assets(let assets)?:
                for (position, asset) in assets.enumerated() {
                    found.append((AssetPlace(key: field.key, position: position), asset))
                }
            case .string?, .int64?, .double?, .date?, .bytes?, .location?, .reference?, .strings?,
                .int64s?, .doubles?, .dates?, .bytesList?, .locations?, .references?, nil:
                continue
            }
        }
        return found
    }

    /// Says more of an asset that the record holds; whether its key is changed stays as it is.
    package mutating func describeAssets(_ describe: (AssetPlace, Asset) -> Asset) {
        for field in fields.entries {
            var field = field
            switch field.value {
            case .asset(let asset)?:
                let place = AssetPlace(key: field.key, position: nil)
                field.value = .asset(describe(place, asset))
            case .assets(let assets)?:
                let described = assets.enumerated().map {
                    describe(AssetPlace(key: field.key, position: $0.offset), $0.element)
                }
                field.value = .assets(described)
            case .string?, .int64?, .double?, .date?, .bytes?, .location?, .reference?, .strings?,
                .int64s?, .doubles?, .dates?, .bytesList?, .locations?, .references?, nil:
                continue
            }
            contents[0].fields.put(field)
        }
    }

    /// The record as it leaves this device: where its files lie here is nobody else's affair.
    package var withoutFilePaths: Record {
        guard holdsAssets else { return self }
        var record = self
        record.describeAssets { Asset(byteCount: $1.byteCount, checksum: $1.checksum) }
        return record
    }

    /// The version that a server stored, with the files of the one that was sent where their
    /// content is the same.
    package func takingFilePaths(of sent: Record) -> Record {
        guard holdsAssets, sent.holdsAssets else { return self }
        var files: [AssetPlace: Asset] = [:]
        for (place, asset) in sent.assets(ofChangedKeys: false) { files[place] = asset }
        var record = self
        record.describeAssets { place, asset in
            guard asset.filePath == nil, let file = files[place], file.hasContent(of: asset) else {
                return asset
            }
            var asset = asset
            asset.filePath = file.filePath
            asset.edition = file.edition
            return asset
        }
        return record
    }
}

extension Asset {
    /// True if both are known to have the same bytes, wherever they lie.
    package func hasContent(of other: Asset) -> Bool {
        checksum != nil && checksum == other.checksum && byteCount == other.byteCount
    }

    /// True for a file of which nothing is known but where it lies: its bytes may be any.
    var isUnread: Bool { filePath != nil && checksum == nil }

    /// True if both are known to have the same bytes, or are the same file given to a record once,
    /// of which one was read since.
    func isSameFile(as other: Asset) -> Bool {
        if isUnread || other.isUnread {
            return edition > 0 && edition == other.edition && filePath == other.filePath
        }
        return hasContent(of: other)
    }
}

extension RecordValue {
    /// True if a file of the value has bytes that nobody has looked at yet.
    var holdsUnreadFile: Bool {
        switch self {
        case .asset(let asset): asset.isUnread
        case .assets(let assets): assets.contains { $0.isUnread }
        case .string, .int64, .double, .date, .bytes, .location, .reference, .strings, .int64s,
            .doubles, .dates, .bytesList, .locations, .references:
            false
        }
    }

    /// True if both are equal, or files with the same bytes; one that nobody has read may be any.
    func hasContent(of other: RecordValue) -> Bool {
        hasSameFiles(as: other) || self == other && !holdsUnreadFile
    }

    /// The value with its unread files told apart from those that the field held before, unless
    /// they come from a record themselves.
    func numbered(after old: RecordValue?) -> RecordValue {
        let last = old?.lastEdition ?? 0
        func numbered(_ asset: Asset) -> Asset {
            guard asset.isUnread, asset.edition == 0 else { return asset }
            var asset = asset
            asset.edition = last + 1
            return asset
        }
        switch self {
        case .asset(let asset): return .asset(numbered(asset))
        case .assets(let assets): return .assets(assets.map(numbered))
        case _: return self  // Whatever else there is holds no file.
        }
    }

    private var lastEdition: Int {
        switch self {
        case .asset(let asset): asset.edition
        case .assets(let assets): assets.map(\.edition).max() ?? 0
        case _: 0  // Whatever else there is holds no file.
        }
    }

    /// True if both are files that are known to have the same bytes, wherever they lie.
    func hasSameFiles(as other: RecordValue) -> Bool {
        switch (self, other) {
        case (.asset(let left), .asset(let right)):
            left.isSameFile(as: right)
        case (.assets(let left), .assets(let right)):
            left.count == right.count && !left.isEmpty
                && zip(left, right).allSatisfy { $0.isSameFile(as: $1) }
        case _: false  // Whatever else there is holds no file.
        }
    }
}
