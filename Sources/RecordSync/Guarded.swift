import Synchronization

/// A value behind a mutex.
///
/// The thread sanitizer does not see the slow path of Linux's mutex, and would report every
/// contended access as a race. A build for it (`-DTHREAD_SANITIZER`) says by an atomic what the
/// mutex does: whoever enters comes after whoever left.
package struct Guarded<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    #if THREAD_SANITIZER
        private let order = Atomic<UInt8>(0)
    #endif

    package init(_ value: sending Value) { mutex = Mutex(value) }

    /// Runs a body while nobody else has the value; never across a call of foreign code.
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if THREAD_SANITIZER
            try mutex.withLock { value throws(Failure) in
                _ = order.load(ordering: .acquiring)
                defer { order.store(0, ordering: .releasing) }
                return try body(&value)
            }
        #else
            try mutex.withLock(body)
        #endif
    }
}
