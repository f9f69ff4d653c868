package import RecordModel

/// A place that requests are sent to.
///
/// Every one is listed here, and every one but those that say otherwise needs an account.
package enum Route: CaseIterable, Hashable, Sendable {
    case modifyRecords
    case lookUpRecords
    case databaseChanges
    case zoneChanges
    case modifyZones
    case listZones
    case lookUpZones
    case caller
    case capabilities
    case outcome
    case notifications
    case devices
    case uploadAssets
    case assetContent
    case health

    /// The methods it takes.
    package var methods: [String] {
        switch self {
        case .listZones, .caller: ["GET", "POST"]
        case .capabilities, .notifications, .devices, .health: ["GET"]
        case .modifyRecords, .lookUpRecords, .databaseChanges, .zoneChanges, .modifyZones,
            .lookUpZones, .outcome, .uploadAssets:
            ["POST"]
        case .assetContent: ["GET", "POST"]
        }
    }

    /// The end of its path, behind the database.
    package var path: String {
        switch self {
        case .modifyRecords: "records/modify"
        case .lookUpRecords: "records/lookup"
        case .databaseChanges: "changes/database"
        case .zoneChanges: "changes/zone"
        case .modifyZones: "zones/modify"
        case .listZones: "zones/list"
        case .lookUpZones: "zones/lookup"
        case .caller: "users/caller"
        case .capabilities: "x/capabilities"
        case .outcome: "x/outcome"
        case .notifications: "x/notifications"
        case .devices: "x/devices"
        case .uploadAssets: "assets/upload"
        case .assetContent: "assets/content"
        case .health: "health"
        }
    }

    /// The longest body it takes.
    package var bodyByteCountMax: Int {
        switch self {
        // Two million bytes of records, each of which can take six as an escape or a third more
        // in base64, and what stands around them.
        case .modifyRecords: 16_000_000
        case .caller, .capabilities, .outcome, .notifications, .listZones,
            .devices, .health:
            16_000
        case .databaseChanges, .lookUpRecords, .zoneChanges, .modifyZones, .lookUpZones,
            .uploadAssets:
            500_000
        // A piece of a file, or a small one.
        case .assetContent: 4_000_000
        }
    }

    /// True if it tells nobody anything but that the server runs.
    package var isOpenToAll: Bool { self == .health }
}

/// Where a request goes.
package struct Destination: Hashable, Sendable {
    package let route: Route
    package let container: String
    package let scope: Database.Scope

    /// Finds the route of a path; nil for one that leads nowhere.
    package init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts == ["", "health"] {
            route = .health
            container = ""
            scope = .private
            return
        }
        guard parts.count == 8, parts[0].isEmpty, parts[1] == "database", parts[2] == "1",
            ["development", "production"].contains(parts[4]),
            let scope = Self.scope(parts[5]),
            let route = Route.allCases.first(where: { $0.path == "\(parts[6])/\(parts[7])" })
        else { return nil }
        self.route = route
        container = parts[3]
        self.scope = scope
    }

    private static func scope(_ name: String) -> Database.Scope? {
        switch name {
        case "public": .public
        case "private": .private
        case "shared": .shared
        case _: nil
        }
    }
}
