/// Rows by name, and in the order of their positions: the last change of each name, once.
///
/// A change is appended, and the row it replaces leaves a hole. When there are more holes than
/// rows they are squeezed out, so a change costs the same however many rows there are.
struct MemoryFeed<Row: Sendable>: Sendable {
    private var positions: [LogPosition] = []
    private var rows: [Row?] = []
    private var slots: [String: Int] = [:]

    var count: Int { slots.count }

    subscript(name: String) -> Row? { slots[name].flatMap { rows[$0] } }

    /// Appends a row, and gives the slot of the one it replaces.
    mutating func append(_ row: Row, named name: String, at position: LogPosition) -> Int? {
        precondition(positions.last.map { $0 < position } ?? true, "a change behind the head")
        let old = slots.updateValue(rows.count, forKey: name)
        if let old { rows[old] = nil }
        positions.append(position)
        rows.append(row)
        return old
    }

    /// Takes back the last append.
    mutating func removeLast(named name: String, replacing old: (slot: Int, row: Row)?) {
        positions.removeLast()
        rows.removeLast()
        slots[name] = old?.slot
        if let old { rows[old.slot] = old.row }
    }

    /// Takes a row out and gives its slot.
    mutating func remove(named name: String) -> Int? {
        guard let slot = slots.removeValue(forKey: name) else { return nil }
        rows[slot] = nil
        return slot
    }

    /// Puts a row back in the slot it was taken from.
    mutating func restore(_ row: Row, named name: String, in slot: Int) {
        rows[slot] = row
        slots[name] = slot
    }

    /// Puts another row in the place of one, at the same position.
    mutating func replace(_ row: Row, named name: String) {
        if let slot = slots[name] { rows[slot] = row }
    }

    /// Gives each row behind a position to a function, by position, until it says stop.
    func walk(after position: LogPosition, _ takesNext: (Row) -> Bool) {
        var slot = firstSlot(after: position)
        while slot < rows.count {
            if let row = rows[slot], !takesNext(row) { return }
            slot += 1
        }
    }

    /// Squeezes out the holes if there are more of them than rows.
    mutating func compactIfSparse(name: (Row) -> String) {
        guard rows.count > 32, rows.count > 2 * slots.count else { return }
        var next = 0
        for slot in rows.indices {
            guard let row = rows[slot] else { continue }
            slots[name(row)] = next
            positions[next] = positions[slot]
            rows[next] = row
            next += 1
        }
        positions.removeLast(positions.count - next)
        rows.removeLast(rows.count - next)
    }

    private func firstSlot(after position: LogPosition) -> Int {
        var low = 0
        var high = positions.count
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
