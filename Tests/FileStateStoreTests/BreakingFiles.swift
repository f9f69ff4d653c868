import RecordSync
import Synchronization

/// Files in memory that fail, stop and lose power when told.
///
/// What was written but not synced may be lost, in part or whole; so may new names of a folder that
/// was not synced, each apart from the others.
final class BreakingFiles: FileSystem {
    /// A file's bytes as a process sees them, and as the disk has them.
    private struct File {
        var bytes: [UInt8] = []
        var synced: [UInt8] = []
    }

    private struct Disk {
        var files: [File] = []
        /// Which file a name stands for, as a process sees it, and as the disk has it.
        var names: [String: Int] = [:]
        var syncedNames: [String: Int] = [:]
        /// The changes of names that the disk does not have; a rename is one of two names.
        var unsyncedNames: [[(name: String, file: Int?)]] = []
        var folders: Set<String> = []
        var locked: Set<String> = []
        var callCount = 0
        var faults: [Int: Fault] = [:]
        var isStopped = false
    }

    /// What befalls a call.
    enum Fault {
        /// It fails with this number, after it wrote so many bytes if it writes.
        case fails(Int32, afterBytes: Int = 0)
        /// The process ends before it, after it wrote half of its bytes if it writes.
        case stops
    }

    /// What a loss of power leaves of what was not synced.
    enum Loss: CaseIterable {
        case everything, nothing, half, zeros

        func bytes(_ bytes: [UInt8], synced: [UInt8]) -> [UInt8] {
            switch self {
            case .everything: synced
            case .nothing: bytes
            case .half:
                synced
                    + bytes.dropFirst(synced.count).prefix(max(0, bytes.count - synced.count) / 2)
            case .zeros: synced + [UInt8](repeating: 0, count: max(0, bytes.count - synced.count))
            }
        }
    }

    /// Which of the names that were not synced a loss of power leaves.
    enum NameLoss: CaseIterable {
        case all, none, allButFirst, allButLast
    }

    private let disk = Mutex(Disk())

    /// The calls until now.
    var callCount: Int { disk.withLock { $0.callCount } }

    /// Lets something befall the call with a number, counted from now on from 1.
    func inject(_ fault: Fault, at call: Int) {
        disk.withLock { $0.faults[$0.callCount + call] = fault }
    }

    func liftFaults() { disk.withLock { $0.faults = [:] } }

    subscript(_ path: String) -> [UInt8]? {
        disk.withLock { disk in disk.names[path].map { disk.files[$0].bytes } }
    }

    /// Flips a byte of a file on the disk.
    func damage(_ path: String, at position: Int) {
        disk.withLock { disk in
            guard let file = disk.names[path] else { return }
            disk.files[file].bytes[position] ^= 0xFF
            disk.files[file].synced = disk.files[file].bytes
        }
    }

    /// The files after the process ended: all that was written is there.
    func afterEnd() -> BreakingFiles { afterLoss(of: .nothing, names: .none) }

    /// The files after the machine lost its power.
    func afterLoss(of loss: Loss, names nameLoss: NameLoss) -> BreakingFiles {
        let old = disk.withLock { $0 }
        var new = Disk()
        new.files = old.files.map { file in
            let bytes = loss.bytes(file.bytes, synced: file.synced)
            return File(bytes: bytes, synced: bytes)
        }
        new.names = old.syncedNames
        let kept =
            switch nameLoss {
            case .all: old.unsyncedNames[..<0]
            case .none: old.unsyncedNames[...]
            case .allButFirst: old.unsyncedNames.prefix(1)
            case .allButLast: old.unsyncedNames.suffix(1)
            }
        for change in kept.joined() { new.names[change.name] = change.file }
        new.syncedNames = new.names
        new.folders = old.folders
        let result = BreakingFiles()
        result.disk.withLock { $0 = new }
        return result
    }

    /// Counts a call, and lets befall it what was injected; gives the bytes to write before that.
    private func call<Result>(
        _ name: String,
        _ path: String,
        _ body: (inout Disk, Fault?) -> Result
    ) throws(FileFailure) -> Result {
        try disk.withLock { disk throws(FileFailure) in
            disk.callCount += 1
            let fault = disk.isStopped ? .stops : disk.faults[disk.callCount]
            let result = body(&disk, fault)
            switch fault {
            case nil: return result
            case .fails(let code, _):
                throw FileFailure(call: name, path: path, code: code)
            case .stops:
                disk.isStopped = true
                throw FileFailure(call: name, path: path, code: 0)
            }
        }
    }

    private static func set(_ names: [(name: String, file: Int?)], _ disk: inout Disk) {
        for (name, file) in names { disk.names[name] = file }
        disk.unsyncedNames.append(names)
    }

    func makeFolder(_ path: String) throws(FileFailure) -> Bool {
        try call("mkdir", path) { disk, fault in
            fault == nil && disk.folders.insert(path).inserted
        }
    }

    func lock(_ path: String) throws(FileFailure) -> OpenFile? {
        try call("flock", path) { disk, fault in
            guard fault == nil, disk.locked.insert(path).inserted else { return nil }
            return OpenFile(descriptor: -1, path: path)
        }
    }

    func names(in folder: String) throws(FileFailure) -> [String] {
        try call("opendir", folder) { disk, _ in
            disk.names.keys.filter { $0.hasPrefix(folder + "/") }
                .map { String($0.dropFirst(folder.count + 1)) }
        }
    }

    func contents(of path: String) throws(FileFailure) -> [UInt8]? {
        try call("read", path) { disk, _ in disk.names[path].map { disk.files[$0].bytes } }
    }

    func create(_ path: String) throws(FileFailure) -> OpenFile {
        try call("open", path) { disk, fault in
            if fault == nil {
                disk.files.append(File())
                Self.set([(path, disk.files.count - 1)], &disk)
            }
            return OpenFile(descriptor: Int32(disk.files.count - 1), path: path)
        }
    }

    func reopen(_ path: String) throws(FileFailure) -> OpenFile {
        try call("open", path) { disk, _ in
            OpenFile(descriptor: disk.names[path].map { Int32($0) } ?? -1, path: path)
        }
    }

    func write(_ bytes: [UInt8], at offset: Int, to file: OpenFile) throws(FileFailure) {
        try call("write", file.path) { disk, fault in
            let written =
                switch fault {
                case nil: bytes.count
                case .fails(_, let count): count
                case .stops: disk.isStopped ? 0 : bytes.count / 2
                }
            let position = Int(file.descriptor)
            disk.files[position].bytes.replaceSubrange(offset..., with: bytes.prefix(written))
        }
    }

    func truncate(_ file: OpenFile, to count: Int) throws(FileFailure) {
        try call("ftruncate", file.path) { disk, fault in
            guard fault == nil else { return }
            let position = Int(file.descriptor)
            disk.files[position].bytes = Array(disk.files[position].bytes.prefix(count))
        }
    }

    func sync(_ file: OpenFile) throws(FileFailure) {
        try call("fsync", file.path) { disk, fault in
            guard fault == nil else { return }
            let position = Int(file.descriptor)
            disk.files[position].synced = disk.files[position].bytes
        }
    }

    func syncFolder(_ path: String) throws(FileFailure) {
        try call("fsync", path) { disk, fault in
            guard fault == nil else { return }
            disk.syncedNames = disk.names
            disk.unsyncedNames = []
        }
    }

    func move(_ path: String, to newPath: String) throws(FileFailure) {
        try call("rename", newPath) { disk, fault in
            guard fault == nil else { return }
            Self.set([(newPath, disk.names[path]), (path, nil)], &disk)
        }
    }

    func remove(_ path: String) throws(FileFailure) {
        try call("unlink", path) { disk, fault in
            guard fault == nil, disk.names[path] != nil else { return }
            Self.set([(path, nil)], &disk)
        }
    }

    func release(_ file: OpenFile) { disk.withLock { _ = $0.locked.remove(file.path) } }
}
