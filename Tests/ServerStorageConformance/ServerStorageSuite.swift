import RecordModel
package import ServerCore
import Testing

/// What every storage must do, as checks that record a failure.
///
/// A test names a storage and runs each check on a new one:
/// ```swift
/// @Test(arguments: StorageCheck.allCases) func keeps(_ check: StorageCheck) throws {
///     try ServerStorageSuite { MemoryStorage() }.run(check)
/// }
/// ```
package struct ServerStorageSuite<Storage: ServerStorage> {
    private let make: () throws -> Storage
    private let reopen: (Storage) throws -> Storage

    /// Makes a suite over new storages, and over what is read back after each was closed and
    /// opened again, where it can be.
    package init(
        make: @escaping () throws -> Storage,
        reopen: @escaping (Storage) throws -> Storage = { $0 }
    ) {
        self.make = make
        self.reopen = reopen
    }

    /// Runs a check on a new storage.
    package func run(_ check: StorageCheck) throws {
        var bench = StorageBench(storage: try make(), reopen: reopen)
        switch check {
        case .startsEmpty: try bench.startsEmpty()
        case .keepsWhatWasCommitted: try bench.keepsWhatWasCommitted()
        case .undoesWhatWasRolledBack: try bench.undoesWhatWasRolledBack()
        case .seesItsOwnWritesBeforeTheCommit: try bench.seesItsOwnWritesBeforeTheCommit()
        case .listsAccountsByName: try bench.listsAccountsByName()
        case .listsZonesByPosition: try bench.listsZonesByPosition()
        case .keepsTheOrderOfAZonePutAtItsOldPosition:
            try bench.keepsTheOrderOfAZonePutAtItsOldPosition()
        case .forgetsAZone: try bench.forgetsAZone()
        case .listsARecordOnceAtItsLastChange: try bench.listsARecordOnceAtItsLastChange()
        case .splitsACommitOverPages: try bench.splitsACommitOverPages()
        case .limitsAPageByCount: try bench.limitsAPageByCount()
        case .limitsAPageByBytes: try bench.limitsAPageByBytes()
        case .hidesOldTombstones: try bench.hidesOldTombstones()
        case .keepsLivesOfAZoneApart: try bench.keepsLivesOfAZoneApart()
        case .removesALifeButItsHistory: try bench.removesALifeButItsHistory()
        case .removesTombstonesBeforeAnInstant: try bench.removesTombstonesBeforeAnInstant()
        case .keepsARecordSavedAfterItsDeletion: try bench.keepsARecordSavedAfterItsDeletion()
        case .followsDeleteSelfLinks: try bench.followsDeleteSelfLinks()
        case .findsAVersionByItsTag: try bench.findsAVersionByItsTag()
        case .removesHistoryBeforeAnInstant: try bench.removesHistoryBeforeAnInstant()
        case .removesTheHistoryOfALife: try bench.removesTheHistoryOfALife()
        case .keepsAnswersOfAccountsApart: try bench.keepsAnswersOfAccountsApart()
        case .removesAnswersBeforeAnInstant: try bench.removesAnswersBeforeAnInstant()
        case .keepsFilesOfAccountsApart: try bench.keepsFilesOfAccountsApart()
        case .countsTheRecordsThatHoldAFile: try bench.countsTheRecordsThatHoldAFile()
        case .listsFilesThatNobodyHoldsByAge: try bench.listsFilesThatNobodyHoldsByAge()
        case .undoesFilesThatWereRolledBack: try bench.undoesFilesThatWereRolledBack()
        case .agreesWithASimpleModel: try bench.agreesWithASimpleModel()
        }
    }
}

/// The checks of the suite.
package enum StorageCheck: String, CaseIterable, Sendable {
    case startsEmpty
    case keepsWhatWasCommitted
    case undoesWhatWasRolledBack
    case seesItsOwnWritesBeforeTheCommit
    case listsAccountsByName
    case listsZonesByPosition
    case keepsTheOrderOfAZonePutAtItsOldPosition
    case forgetsAZone
    case listsARecordOnceAtItsLastChange
    case splitsACommitOverPages
    case limitsAPageByCount
    case limitsAPageByBytes
    case hidesOldTombstones
    case keepsLivesOfAZoneApart
    case removesALifeButItsHistory
    case removesTombstonesBeforeAnInstant
    case keepsARecordSavedAfterItsDeletion
    case followsDeleteSelfLinks
    case findsAVersionByItsTag
    case removesHistoryBeforeAnInstant
    case removesTheHistoryOfALife
    case keepsAnswersOfAccountsApart
    case removesAnswersBeforeAnInstant
    case keepsFilesOfAccountsApart
    case countsTheRecordsThatHoldAFile
    case listsFilesThatNobodyHoldsByAge
    case undoesFilesThatWereRolledBack
    case agreesWithASimpleModel
}

/// A storage under test.
struct StorageBench<Storage: ServerStorage> {
    var storage: Storage
    let reopen: (Storage) throws -> Storage

    /// Writes in a transaction of its own.
    @discardableResult
    mutating func write<Outcome>(_ body: (inout Storage) throws -> Outcome) throws -> Outcome {
        try storage.begin(.writing)
        let outcome = try body(&storage)
        try storage.commit()
        return outcome
    }

    /// Reads after closing and opening the storage.
    mutating func read<Outcome>(_ body: (inout Storage) throws -> Outcome) throws -> Outcome {
        storage = try reopen(storage)
        try storage.begin(.reading)
        let outcome = try body(&storage)
        try storage.commit()
        return outcome
    }

    mutating func view() throws -> StorageView {
        storage = try reopen(storage)
        return try StorageView(of: &storage)
    }

    /// The names and completeness of a page of the suite's zone.
    mutating func page(
        after position: LogPosition = .start,
        hidingTombstonesThrough sequence: UInt64 = 0,
        limit: PageLimit = PageLimit(countMax: .max)
    ) throws -> NamedPage {
        let page = try read {
            try $0.records(
                in: World.zone,
                after: position,
                hidingTombstonesThrough: sequence,
                limit: limit
            )
        }
        return NamedPage(names: page.rows.map(\.recordName), isLast: page.isLast)
    }
}

/// A page by the names of its rows.
struct NamedPage: Equatable {
    let names: [String]
    let isLast: Bool
}
