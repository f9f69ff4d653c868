/// A fault that a run can suffer, under its number in the project's fault model.
///
/// Two numbers have no meaning here: a state stored without the data that came before it (2) is
/// what the engine makes impossible, and assets (46) are not simulated.
package enum Fault: Int, CaseIterable, Hashable, Sendable {
    case crashBeforeStateStored = 1
    case tornWrite = 3
    case crashBetweenPages = 4
    case crashWhileAcknowledging = 5
    case crashInFullFetch = 6
    case requestLost = 7
    case answerLost = 8
    case requestDuplicated = 9
    case answersReordered = 10
    case answerAfterTimeout = 11
    case silentLoss = 12
    case partition = 13
    case longOffline = 14
    case rateLimited = 15
    case serverErrors = 16
    case expiredLogin = 17
    case permissionRefused = 18
    case conflict = 19
    case tokenExpired = 20
    case foreignToken = 21
    case serverRestart = 22
    case serverRestored = 23
    case serverWiped = 24
    case zoneDeletedElsewhere = 25
    case zonePurgedOrReset = 26
    case deletedWhileEdited = 27
    case recreation = 28
    case partialFailure = 29
    case batchTooLarge = 30
    case recordTooLarge = 31
    case quotaExceeded = 32
    case smallPages = 33
    case exactPages = 34
    case deviceClock = 35
    case serverClock = 36
    case slowHandler = 37
    case handlerThrows = 38
    case handlerCallsEngine = 39
    case editDuringSend = 40
    case twoTriggers = 41
    case accountChange = 42
    case storeFails = 43
    case stateDamaged = 44
    case deviceCloned = 45
    case olderAppVersion = 47
    case hostileAnswer = 48

    /// The fault's number, as lists name it.
    package var name: String { "F\(rawValue)" }

    /// The fault in a few words.
    package var words: String {
        var words = ""
        for letter in "\(self)" {
            words += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
        }
        return words
    }

    /// True for what a run cannot cause, only meet: two devices that edit, a page that ends
    /// exactly where the changes do.
    package var isMet: Bool {
        switch self {
        case .answersReordered, .conflict, .deletedWhileEdited, .recreation, .partialFailure,
            .exactPages, .handlerCallsEngine, .editDuringSend:
            true
        case .crashBeforeStateStored, .tornWrite, .crashBetweenPages, .crashWhileAcknowledging,
            .crashInFullFetch, .requestLost, .answerLost, .requestDuplicated, .answerAfterTimeout,
            .silentLoss, .partition, .longOffline, .rateLimited, .serverErrors, .expiredLogin,
            .permissionRefused, .tokenExpired, .foreignToken, .serverRestart, .serverRestored,
            .serverWiped, .zoneDeletedElsewhere, .zonePurgedOrReset, .batchTooLarge,
            .recordTooLarge, .quotaExceeded, .smallPages, .deviceClock, .serverClock,
            .slowHandler, .handlerThrows, .twoTriggers, .accountChange, .storeFails,
            .stateDamaged, .deviceCloned, .olderAppVersion, .hostileAnswer:
            false
        }
    }
}

/// Some faults.
package struct FaultSet: Hashable, Sendable {
    private var bits: UInt64

    package static let none = FaultSet(bits: 0)
    package static let all = FaultSet(Fault.allCases)

    private init(bits: UInt64) { self.bits = bits }

    package init(_ faults: [Fault]) {
        bits = faults.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
    }

    /// Reads `all`, `none` or a list such as `F8,F15`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "none": self = .none
        case let list:
            var faults: [Fault] = []
            for word in list.split(separator: ",") {
                guard let fault = Fault.allCases.first(where: { $0.name == word }) else {
                    return nil
                }
                faults.append(fault)
            }
            guard !faults.isEmpty else { return nil }
            self.init(faults)
        }
    }

    package func contains(_ fault: Fault) -> Bool { bits & 1 << UInt64(fault.rawValue) != 0 }

    package var faults: [Fault] { Fault.allCases.filter(contains) }

    /// The set as an argument.
    package var argument: String {
        switch self {
        case .all: "all"
        case .none: "none"
        case let some: some.faults.map(\.name).joined(separator: ",")
        }
    }
}
