/// A dictionary that is walked in the order of first insertion.
///
/// Inlinable, so that each target works on its own types: across targets a generic one would look
/// up its metadata at each call.
package struct OrderedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline var slots: [(key: Key, value: Value)?] = []
    @usableFromInline var positions: [Key: Int] = [:]

    @inlinable package init() {}

    @inlinable package var count: Int { positions.count }
    @inlinable package var isEmpty: Bool { positions.isEmpty }

    /// The pairs in the order of first insertion.
    @inlinable package var pairs: [(key: Key, value: Value)] { slots.compactMap { $0 } }
    @inlinable package var keys: [Key] { slots.compactMap { $0?.key } }
    @inlinable package var values: [Value] { slots.compactMap { $0?.value } }
    @inlinable package var first: (key: Key, value: Value)? { slots.lazy.compactMap { $0 }.first }

    @inlinable package subscript(key: Key) -> Value? {
        get { positions[key].flatMap { slots[$0]?.value } }
        set {
            if let newValue {
                put(newValue, under: key)
            } else if let position = positions.removeValue(forKey: key) {
                slots[position] = nil
                compactIfSparse()
            }
        }
    }

    @inlinable package subscript(key: Key, default fallback: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fallback() }
        set { self[key] = newValue }
    }

    @inlinable mutating func put(_ value: Value, under key: Key) {
        if let position = positions[key] {
            slots[position] = (key, value)
        } else {
            positions[key] = slots.count
            slots.append((key, value))
        }
    }

    @inlinable mutating func compactIfSparse() {
        guard slots.count > 16, slots.count > 2 * positions.count else { return }
        slots.removeAll { $0 == nil }
        for (position, slot) in slots.enumerated() {
            if let slot { positions[slot.key] = position }
        }
    }
}

extension OrderedTable: Equatable where Value: Equatable {
    @inlinable package static func == (left: OrderedTable, right: OrderedTable) -> Bool {
        left.count == right.count
            && zip(left.pairs, right.pairs).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    }
}
