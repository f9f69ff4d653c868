/// Things in the order they came, taken from the front.
struct MemoryQueue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var head = 0

    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) { elements.append(element) }
    mutating func removeLast() { elements.removeLast() }
    mutating func removeFirst() { head += 1 }

    /// Takes back the last `removeFirst`.
    mutating func restoreFirst() { head -= 1 }

    /// Drops what was taken, if that is more than what is left.
    mutating func compactIfSparse() {
        guard head > 32, head > elements.count - head else { return }
        elements.removeFirst(head)
        head = 0
    }
}
