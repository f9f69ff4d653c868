package import SyncCore

extension SplitMix64 {
    /// A whole number from 0 up to a bound, without it.
    package mutating func roll(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// True so many times out of a hundred.
    package mutating func isLucky(_ percent: Int) -> Bool { roll(100) < percent }

    /// One of some things.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[roll(elements.count)]
    }

    /// A time up to a bound.
    package mutating func time(upTo milliseconds: Int) -> Duration {
        .milliseconds(roll(milliseconds + 1))
    }
}
