// swift-tools-version: 6.2
import PackageDescription

/// The strictest settings that build: warnings stop it, existentials and re-exports are spelled.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    // Mistakes on purpose, for tests of the tests: no release build holds any.
    .define("PLANTED_BUGS", .when(configuration: .debug)),
]

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "RecordSync",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "RecordSync", targets: ["RecordSync"]),
        .library(name: "MemoryCloud", targets: ["MemoryCloud"]),
        .library(name: "RecordSyncTesting", targets: ["RecordSyncTesting"]),
        .library(name: "RecordSyncHTTP", targets: ["RecordSyncHTTP"]),
        .library(name: "RecordWire", targets: ["RecordWire"]),
        .executable(name: "recordsync", targets: ["recordsync"]),
    ],
    targets: [
        // Pure: values in, values out.
        target("RecordModel"),
        target("SyncCore", ["RecordModel"]),
        target("ServerCore", ["RecordModel"]),
        target("SyncSimulation", ["RecordModel", "SyncCore", "ServerCore"]),
        // Edge: performs what the pure targets decided.
        target("RecordSync", ["RecordModel", "SyncCore"]),
        target("MemoryCloud", ["RecordModel", "RecordSync", "ServerCore"]),
        target("RecordWire", ["RecordModel"]),
        // Server: what keeps and serves records over a network.
        .target(
            name: "CSQLite",
            linkerSettings: [
                // The library without its header: no package of the system has to be installed.
                .linkedLibrary(":libsqlite3.so.0", .when(platforms: [.linux])),
                .linkedLibrary(
                    "sqlite3",
                    .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])
                ),
            ]
        ),
        .target(name: "CLinux"),
        target("RecordSyncHTTP", ["RecordModel", "RecordSync", "RecordWire", "CLinux"]),
        target("RecordServer", ["RecordModel", "ServerCore", "RecordWire", "CLinux"]),
        target("SQLiteStorage", ["RecordModel", "ServerCore", "CSQLite"]),
        // Kit: what an app needs to test its delegate.
        target("RecordSyncTesting", ["RecordModel", "RecordSync", "MemoryCloud"]),
        // The program.
        target(
            "RecordSyncTools",
            [
                "RecordModel", "SyncCore", "ServerCore", "SyncSimulation", "RecordSync",
                "MemoryCloud", "RecordSyncTesting", "RecordWire", "RecordServer", "RecordSyncHTTP",
                "SQLiteStorage",
            ]
        ),
        .executableTarget(
            name: "recordsync",
            dependencies: ["RecordSyncTools"],
            swiftSettings: strict
        ),
        // Tests.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "CoreTestSupport",
            dependencies: ["RecordModel", "SyncCore"],
            path: "Tests/CoreTestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "ServerStorageConformance",
            dependencies: ["RecordModel", "ServerCore"],
            path: "Tests/ServerStorageConformance",
            swiftSettings: strict
        ),
        tests(
            "ServerCoreTests",
            ["RecordModel", "ServerCore", "ServerStorageConformance", "TestSupport"]
        ),
        tests(
            "CrashTests",
            ["RecordModel", "SyncCore", "ServerCore", "CoreTestSupport", "TestSupport"]
        ),
        tests("ContractTests", ["RecordSync", "RecordSyncTesting"]),
        tests(
            "FileStateStoreTests",
            ["RecordModel", "SyncCore", "RecordSync", "MemoryCloud", "TestSupport"]
        ),
        tests("MemoryCloudTests", ["RecordModel", "RecordSync", "MemoryCloud", "TestSupport"]),
        .executableTarget(
            name: "StateStoreWriter",
            dependencies: ["RecordSync"],
            path: "Tests/StateStoreWriter",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "RecordStorageWriter",
            dependencies: ["RecordModel", "ServerCore", "SQLiteStorage"],
            path: "Tests/RecordStorageWriter",
            swiftSettings: strict
        ),
        tests(
            "ProcessTests",
            [
                "RecordModel", "SyncCore", "RecordSync", "ServerCore", "SQLiteStorage",
                "RecordSyncHTTP", "RecordSyncTesting", "StateStoreWriter", "RecordStorageWriter",
                "recordsync", "TestSupport",
            ]
        ),
        tests("ReadmeTests", ["RecordSync", "RecordSyncTesting"]),
        tests("RecordModelTests", ["RecordModel", "TestSupport"]),
        tests(
            "RecordSyncTestingTests",
            ["RecordModel", "RecordSync", "RecordSyncTesting", "TestSupport"]
        ),
        tests(
            "RecordSyncToolsTests",
            [
                "RecordModel", "RecordSync", "RecordSyncTools", "RecordWire", "SyncCore",
                "LoopbackSupport", "TestSupport",
            ]
        ),
        tests(
            "RecordSyncTests",
            [
                "RecordModel", "SyncCore", "RecordSync", "RecordSyncTesting", "MemoryCloud",
                "RecordWire", "TestSupport",
            ]
        ),
        tests("RecordWireTests", ["RecordModel", "RecordWire", "TestSupport"]),
        .target(
            name: "LoopbackSupport",
            dependencies: ["RecordModel", "ServerCore", "RecordServer", "SQLiteStorage", "CLinux"],
            path: "Tests/LoopbackSupport",
            swiftSettings: strict
        ),
        tests(
            "RecordServerTests",
            [
                "RecordModel", "ServerCore", "RecordWire", "RecordServer", "SQLiteStorage",
                "LoopbackSupport", "TestSupport",
            ]
        ),
        tests(
            "RecordSyncHTTPTests",
            [
                "RecordModel", "RecordSync", "RecordSyncHTTP", "RecordServer", "RecordSyncTesting",
                "MemoryCloud", "LoopbackSupport", "CLinux", "TestSupport",
            ]
        ),
        tests(
            "SQLiteStorageTests",
            [
                "RecordModel", "ServerCore", "ServerStorageConformance", "SQLiteStorage",
                "TestSupport",
            ]
        ),
        tests("StorageTests", ["RecordSync", "RecordSyncTesting", "TestSupport"]),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: ["RecordModel", "SyncCore", "CoreTestSupport", "TestSupport"],
            exclude: ["Scheduling/decisions.txt"],
            swiftSettings: strict
        ),
        tests(
            "SyncSimulationTests",
            ["RecordModel", "SyncCore", "ServerCore", "SyncSimulation", "TestSupport"]
        ),
        tests("TidyTests", ["TestSupport"]),
    ]
)
