/// Values that stand once in front of what uses them by number.
struct Interned<Value: Hashable> {
    private(set) var values: [Value] = []
    private var indices: [Value: Int] = [:]
    private var last: (value: Value, index: Int)?

    mutating func index(of value: Value) -> Int {
        if let last, last.value == value { return last.index }
        let index = indices[value] ?? values.count
        if index == values.count {
            indices[value] = index
            values.append(value)
        }
        last = (value, index)
        return index
    }
}
