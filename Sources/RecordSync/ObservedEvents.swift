public import RecordModel
public import SyncCore

extension SyncEngine {
    /// An event that the delegate was told of, as others see it.
    public struct ObservedEvent: Sendable, Identifiable {
        /// What the delegate was told.
        public var event: SyncEvent
        /// Names this delivery; an event that is told once more has another name then.
        public var id: ID
        /// When the delegate returned, by the wall clock.
        public var instant: Timestamp
        /// What the delegate threw; nil if it took the event.
        ///
        /// Nothing follows from an event at which it threw; most are told once more.
        public var delegateError: (any Error)?
        /// How far the engine had come then.
        public var progress: SyncProgress
        /// How many events this observer missed right before this one, because it was too slow.
        public var missedCount: Int

        /// Names a delivery by the launch of the engine and a number that grows with each.
        public struct ID: Hashable, Sendable {
            /// The launch of the engine; the same as in the keys of its sends.
            public var writer: WriterID
            /// Greater than that of every earlier event of the launch; some are left out.
            public var number: UInt64

            /// Makes a name.
            public init(writer: WriterID, number: UInt64) {
                self.writer = writer
                self.number = number
            }
        }

        /// Makes an event, for the test of an observer.
        public init(
            event: SyncEvent,
            id: ID,
            instant: Timestamp,
            delegateError: (any Error)? = nil,
            progress: SyncProgress = SyncProgress(),
            missedCount: Int = 0
        ) {
            self.event = event
            self.id = id
            self.instant = instant
            self.delegateError = delegateError
            self.progress = progress
            self.missedCount = missedCount
        }
    }
}

extension SyncEngine {
    /// The events of an engine for one observer; iterate it once.
    ///
    /// It ends when the engine is gone, after the last event.
    public struct ObservedEvents: AsyncSequence, Sendable {
        /// What it gives.
        public typealias Element = ObservedEvent
        /// It never fails.
        public typealias Failure = Never

        /// Events that wait for an observer; of more, the oldest are dropped and counted.
        public static let bufferedEventCountMax = 256

        /// An event in the engine's order.
        struct Numbered: Sendable {
            var number: UInt64
            var event: ObservedEvent
        }

        let stream: AsyncStream<Numbered>
        /// The number of the last event before the first that belongs to this observer.
        let start: UInt64

        /// Begins to give the events that have come since the observer was made.
        public func makeAsyncIterator() -> Iterator {
            Iterator(base: stream.makeAsyncIterator(), last: start)
        }

        /// Gives one event after the other.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<Numbered>.Iterator
            var last: UInt64

            /// Waits for the next event; nil when the engine is gone or the task is cancelled.
            public mutating func next() async -> ObservedEvent? {
                await next(isolation: #isolation)
            }

            /// Waits for the next event; nil when the engine is gone or the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> ObservedEvent? {
                while let numbered = await base.next(isolation: actor) {
                    // Handled before this observer was made, and shown a moment later.
                    guard numbered.number > last else { continue }
                    var event = numbered.event
                    event.missedCount = Int(numbered.number - last) - 1
                    last = numbered.number
                    return event
                }
                return nil
            }
        }
    }
}
