import RecordModel
import SyncCore

/// Where an engine stages files: a folder of its own, with one inside for each batch and page.
///
/// Several engines may share the folder around it. Each locks its own one, so that a starting
/// engine can tell what a crash left behind from what another engine is at work with.
package final class StagingFolder: Sendable {
    let root: String
    let files: any AssetFileSystem
    private let name: String
    /// True if the folder around it is the engine's choice, in a place where others may write too.
    private let isShared: Bool
    private let protected = Guarded(Protected())

    private struct Protected {
        /// The lock on the engine's folder, while there is one.
        var lock: OpenFile?
        var uses: [AssetFolderID: Use] = [:]
    }

    /// A folder inside, and who writes into it.
    private struct Use {
        var writerCount = 0
        var isDiscarded = false
    }

    static let lockName = "lock"
    private static let attemptCountMax = 8

    package init(root: String?, name writer: WriterID, files: any AssetFileSystem) {
        self.root = root ?? SystemFiles.assetFolder
        isShared = root == nil
        name = [writer.high, writer.low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        self.files = files
    }

    /// False if there is nothing to sweep for certain.
    var mayHoldLeftovers: Bool { SystemFiles().exists(root) }

    deinit {
        protected.withLock { protected in
            if let lock = protected.lock { files.release(lock) }
        }
    }

    private var folder: String { "\(root)/\(name)" }

    private func path(of id: AssetFolderID) -> String { "\(folder)/\(id.number)" }

    /// Runs a body that writes into a folder inside; the folder stays until it is done.
    func write<Value>(
        into id: AssetFolderID,
        _ body: (String) async throws(SyncError) -> Value
    ) async throws(SyncError) -> Value {
        try beginWriting(into: id)
        defer { endWriting(into: id) }
        return try await body(path(of: id))
    }

    /// Gives up a folder inside, with what is in it, as soon as nobody writes into it.
    func discard(_ id: AssetFolderID) {
        let isFree = protected.withLock { protected in
            protected.uses[id, default: Use()].isDiscarded = true
            return protected.uses[id]?.writerCount == 0
        }
        if isFree { remove(id) }
    }

    private func beginWriting(into id: AssetFolderID) throws(SyncError) {
        try protected.withLock { protected throws(SyncError) in
            guard protected.uses[id]?.isDiscarded != true else {
                throw SyncError(.operationCancelled, "the files are not needed any more")
            }
            do throws(FileFailure) {
                try makeFolders(id, &protected)
            } catch {
                throw error.asStagingError
            }
            protected.uses[id, default: Use()].writerCount += 1
        }
    }

    private func endWriting(into id: AssetFolderID) {
        let isFree = protected.withLock { protected in
            protected.uses[id]?.writerCount -= 1
            return protected.uses[id].map { $0.isDiscarded && $0.writerCount == 0 } ?? false
        }
        if isFree { remove(id) }
    }

    private func makeFolders(
        _ id: AssetFolderID,
        _ protected: inout Protected
    ) throws(FileFailure) {
        if protected.lock == nil {
            let isNew = try files.makeFolder(root)
            if isShared, !isNew, SystemFiles().isForeign(root) {
                throw FileFailure(call: "mkdir", path: root, code: FileFailure.notPermitted)
            }
            protected.lock = try makeOwnFolder()
        }
        _ = try files.makeFolder(path(of: id))
    }

    /// Makes the engine's own folder, and locks it.
    ///
    /// One that starts meanwhile may take it for a leftover, until it is locked.
    private func makeOwnFolder() throws(FileFailure) -> OpenFile? {
        for _ in 1..<Self.attemptCountMax {
            _ = try files.makeFolder(folder)
            if let lock = try? files.lock("\(folder)/\(Self.lockName)") { return lock }
        }
        _ = try files.makeFolder(folder)
        return try files.lock("\(folder)/\(Self.lockName)")
    }

    /// Removes a folder inside, and the engine's own one if that was the last.
    ///
    /// What cannot be removed now is swept at the next start.
    private func remove(_ id: AssetFolderID) {
        protected.withLock { protected in
            protected.uses[id] = nil
            empty(path(of: id))
            guard protected.uses.isEmpty, let lock = protected.lock else { return }
            protected.lock = nil
            try? files.remove("\(folder)/\(Self.lockName)")
            files.release(lock)
            try? files.removeFolder(folder)
        }
    }

    /// Removes what engines that are gone have left.
    package func sweep() {
        guard !isShared || !SystemFiles().isForeign(root) else { return }
        guard let names = try? files.names(in: root) else { return }
        for name in names.sorted() where name != self.name && isEngineName(name) {
            let left = "\(root)/\(name)"
            guard let lock = try? files.lock("\(left)/\(Self.lockName)") else { continue }
            for inner in (try? files.names(in: left)) ?? [] where UInt64(inner) != nil {
                empty("\(left)/\(inner)")
            }
            try? files.remove("\(left)/\(Self.lockName)")
            files.release(lock)
            try? files.removeFolder(left)
        }
    }

    /// What is not named by an engine is none of its business.
    private func isEngineName(_ name: String) -> Bool {
        name.utf8.count == 32
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private func empty(_ folder: String) {
        for name in (try? files.names(in: folder)) ?? [] where name != "." && name != ".." {
            try? files.remove("\(folder)/\(name)")
        }
        try? files.removeFolder(folder)
    }
}

extension FileFailure {
    /// What a record fails with whose file could not be staged or fetched.
    var asStagingError: SyncError {
        SyncError(
            .assetNotAvailable,
            isDiskFull
                ? "the disk is full: a file could not be staged"
                : "\(call) failed for \(path): \(reason)"
        )
    }
}
