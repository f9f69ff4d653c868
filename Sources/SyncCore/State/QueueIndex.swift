/// Finds the slot of a record: an extendible hash table.
///
/// It grows one small segment at a time, so that no single add pays for a rehash of everything.
/// Keys are not stored: a segment keeps a slot's place and eight bits of its hash, and the caller
/// compares. Nothing is taken out: a place whose change has left fits no key, and its entry goes
/// when the same record is added again or its segment is full. So a send, which takes many changes
/// out, touches the index not at all. The order of its entries depends on the process and never
/// reaches an output.
package struct QueueIndex: Sendable {
    /// Where a change stands: the number of its zone, and its slot in that zone's part.
    package struct Place: Hashable, Sendable {
        package var zone: Int
        package var slot: Int

        package init(zone: Int, slot: Int) {
            self.zone = zone
            self.slot = slot
        }
    }

    private static let tableSize = 512
    private static let usedCountMax = 340

    private struct Segment: Sendable {
        var depth: UInt8
        /// Entries that are not free, whether their changes still stand or have left.
        var usedCount = 0
        var table = [Entry](repeating: .free, count: QueueIndex.tableSize)
    }

    private struct Entry: Sendable {
        /// 0 is free; else 8 bits of hash, 20 of zone, 36 of slot, plus 1.
        var bits: UInt64

        static let free = Entry(bits: 0)

        init(bits: UInt64) { self.bits = bits }

        init(_ place: Place, hash: Int) {
            precondition(place.zone < 1 << 20 && place.slot < 1 << 36 - 1, "the queue is full")
            let fingerprint = UInt64(UInt8(truncatingIfNeeded: hash >> 48))
            bits = (fingerprint << 56 | UInt64(place.zone) << 36 | UInt64(place.slot)) + 1
        }

        var isFree: Bool { bits == 0 }

        var place: Place {
            let packed = bits - 1
            return Place(zone: Int(packed >> 36 & 0xF_FFFF), slot: Int(packed & 0xF_FFFF_FFFF))
        }

        func mayMatch(_ hash: Int) -> Bool {
            !isFree && (bits - 1) >> 56 == UInt64(UInt8(truncatingIfNeeded: hash >> 48))
        }
    }

    private var directory: [UInt32] = [0]
    private var segments = [Segment(depth: 0)]
    private var globalDepth: UInt8 = 0

    package init() {}

    /// The hash of a record's key.
    package static func hash(zone: Int, recordName: String) -> Int {
        var hasher = Hasher()
        hasher.combine(zone)
        hasher.combine(recordName)
        return hasher.finalize()
    }

    /// The place whose key has the given hash and fits.
    package func find(_ hash: Int, where fits: (Place) -> Bool) -> Place? {
        let segment = segments[segmentIndex(hash)]
        var probe = Self.firstProbe(hash)
        while true {
            let entry = segment.table[probe]
            if entry.isFree { return nil }
            if entry.mayMatch(hash), fits(entry.place) { return entry.place }
            probe = (probe + 1) % Self.tableSize
        }
    }

    /// Takes in a place whose key is not in the index.
    ///
    /// `hashOf` gives the hash of any place in it, and nil for one whose change has left.
    package mutating func insert(_ place: Place, hash: Int, hashOf: (Place) -> Int?) {
        var target = segmentIndex(hash)
        while segments[target].usedCount >= Self.usedCountMax {
            makeRoom(in: target, hashOf: hashOf)
            target = segmentIndex(hash)
        }
        var probe = Self.firstProbe(hash)
        while case let entry = segments[target].table[probe], !entry.isFree {
            // The place may return from a send; and a record that is sent over and over would
            // otherwise leave an entry behind each time.
            if entry.place == place { return }
            if entry.mayMatch(hash), hashOf(entry.place) == nil {
                segments[target].table[probe] = Entry(place, hash: hash)
                return
            }
            probe = (probe + 1) % Self.tableSize
        }
        segments[target].table[probe] = Entry(place, hash: hash)
        segments[target].usedCount += 1
    }

    /// The bytes that the segments and the directory take.
    package var allocatedByteCount: Int {
        directory.capacity * MemoryLayout<UInt32>.stride
            + segments.count * (Self.tableSize * MemoryLayout<Entry>.stride)
            + segments.capacity * MemoryLayout<Segment>.stride
    }

    private func segmentIndex(_ hash: Int) -> Int {
        Int(directory[hash & (1 << Int(globalDepth) - 1)])
    }

    private static func firstProbe(_ hash: Int) -> Int {
        // The low bits choose the segment, so the place in it comes from higher ones.
        Int(UInt(bitPattern: hash) >> 32) % tableSize
    }

    private static func put(_ entry: Entry, hash: Int, into segment: inout Segment) {
        var probe = firstProbe(hash)
        while !segment.table[probe].isFree { probe = (probe + 1) % tableSize }
        segment.usedCount += 1
        segment.table[probe] = entry
    }

    private mutating func makeRoom(in target: Int, hashOf: (Place) -> Int?) {
        let depth = segments[target].depth
        let standing = segments[target].table.compactMap { entry -> (entry: Entry, hash: Int)? in
            entry.isFree ? nil : hashOf(entry.place).map { (entry, $0) }
        }
        if standing.count < Self.usedCountMax / 2 {
            segments[target] = Segment(depth: depth)
        } else {
            split(target)
        }
        for (entry, hash) in standing {
            Self.put(entry, hash: hash, into: &segments[segmentIndex(hash)])
        }
    }

    /// Replaces a segment by two empty ones that tell its hashes apart by one more bit.
    private mutating func split(_ target: Int) {
        let depth = segments[target].depth
        if depth == globalDepth {
            directory += directory
            globalDepth += 1
        }
        let sibling = UInt32(segments.count)
        segments[target] = Segment(depth: depth + 1)
        segments.append(Segment(depth: depth + 1))
        // Every directory entry of the old segment shares its low `depth` bits.
        let stride = 1 << Int(depth)
        guard let first = directory.firstIndex(of: UInt32(target)) else { return }
        var position = first + stride
        while position < directory.count {
            directory[position] = sibling
            position += 2 * stride
        }
    }
}
