/// The calls of a file system that a store of states makes: what a test puts a breaking one in for.
package protocol FileSystem: Sendable {
    /// Makes a folder; false if there is one already.
    func makeFolder(_ path: String) throws(FileFailure) -> Bool
    /// Opens a file that one holder has at a time, making it if need be; nil while somebody has it.
    func lock(_ path: String) throws(FileFailure) -> OpenFile?
    /// The names in a folder, in no order.
    func names(in folder: String) throws(FileFailure) -> [String]
    /// The bytes of a file; nil if there is none.
    func contents(of path: String) throws(FileFailure) -> [UInt8]?
    /// Makes an empty file, in the place of one that is there.
    func create(_ path: String) throws(FileFailure) -> OpenFile
    /// Opens a file that is there for writing.
    func reopen(_ path: String) throws(FileFailure) -> OpenFile
    /// Writes all the bytes from an offset on; a failure may leave some of them.
    func write(_ bytes: [UInt8], at offset: Int, to file: OpenFile) throws(FileFailure)
    /// Cuts a file off behind its first `count` bytes.
    func truncate(_ file: OpenFile, to count: Int) throws(FileFailure)
    /// Returns once the bytes of a file would survive a loss of power.
    func sync(_ file: OpenFile) throws(FileFailure)
    /// Returns once the names in a folder would survive a loss of power.
    func syncFolder(_ path: String) throws(FileFailure)
    /// Gives a file another name, at once, in the place of a file that has it.
    func move(_ path: String, to newPath: String) throws(FileFailure)
    /// Deletes a file, if there is one.
    func remove(_ path: String) throws(FileFailure)
    /// Gives a file back, and the lock that it may stand for.
    func release(_ file: OpenFile)
}

/// A file that is open, and its name for messages.
package struct OpenFile: Hashable, Sendable {
    package let descriptor: Int32
    package let path: String

    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// A call of the file system that failed.
package struct FileFailure: Error, Hashable, Sendable {
    /// The call's name in the system's manual.
    package let call: String
    package let path: String
    /// The call's `errno`.
    package let code: Int32

    package init(call: String, path: String, code: Int32) {
        self.call = call
        self.path = path
        self.code = code
    }
}
