#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Names a thread while it lives.
package struct ThreadID: Hashable, Sendable {
    private let bits: UInt

    /// The thread that asks.
    package static var current: ThreadID {
        #if canImport(Glibc)
            ThreadID(bits: UInt(pthread_self()))
        #else
            ThreadID(bits: UInt(bitPattern: pthread_self()))
        #endif
    }
}
