/// A comparison of the scheduler; each has a name, so that a test can turn it around.
package enum Comparison: String, CaseIterable, Sendable {
    /// A lane has an operation under way.
    case laneIsRunning
    /// A lane has something to do now.
    case laneHasWork
    /// The last pass of a lane failed.
    case laneMustRetry
    /// What the last pass left are records with assets.
    case laneHoldsAssetsOnly
    /// A trigger comes within the window after the last pass that a trigger began.
    case triggerIsWithinWindow
    /// The window ends before the longest delay of a trigger.
    case windowEndsBeforeDelayMax
    /// The retry of a zone comes before the rest of the work.
    case zoneRetryIsEarlier
    /// The poll comes before the rest of the work.
    case pollIsEarlier
    /// Nothing but the poll is wanted.
    case onlyPollIsWanted
    /// The channel for notifications works.
    case pushIsWorking
    /// The app is in the background, where the poll is concerned.
    case pollsInBackground
    /// The app is in the background, where priorities are concerned.
    case isInBackground
    /// The work is of default priority, so that the background lowers it.
    case isDefaultPriority
    /// The work is user-initiated.
    case isUserInitiated
    /// The work is of background priority.
    case isBackgroundPriority
    /// Some work is more urgent than what the triggers say.
    case workIsMoreUrgent
    /// The app asked for a pass more urgently than the work is.
    case passIsRaised
    /// No poor condition holds work of a priority back.
    case priorityMayGo
    /// There is no way to the server.
    case networkIsUnavailable
    /// The network is constrained.
    case networkIsConstrained
    /// The network is expensive.
    case networkIsExpensive
    /// The user wants power saved.
    case lowPowerModeIsOn
    /// The battery holds too little.
    case batteryIsLow
    /// The battery is not charging.
    case batteryIsDraining
    /// Too many tasks want to run.
    case loadIsHeavy
    /// A poor condition began before the lane's last pass.
    case conditionIsOlderThanPass
    /// The lane is the one for sends: it has no poll, and comes last at a launch.
    case laneIsSend
    /// The launch is at its zones.
    case launchIsAtZones
    /// The launch is at its fetch.
    case launchIsAtFetch
    /// A blocker has not ended.
    case blockerIsOpen
    /// A blocker ends after everything before it.
    case blockerEndsLater
    /// The work is due.
    case workIsDue
}

extension Comparison {
    /// The ways to turn it around that can make a difference.
    package var flips: [Comparisons.Flip] {
        switch self {
        case .triggerIsWithinWindow, .zoneRetryIsEarlier, .pollIsEarlier, .batteryIsLow,
            .loadIsHeavy, .blockerIsOpen, .workIsDue:
            [.negated, .boundary]
        case .windowEndsBeforeDelayMax, .workIsMoreUrgent, .passIsRaised, .conditionIsOlderThanPass,
            .blockerEndsLater:
            // Of two that are equal either one is right.
            [.negated]
        case .laneIsRunning, .laneHasWork, .laneMustRetry, .laneHoldsAssetsOnly, .onlyPollIsWanted,
            .pushIsWorking,
            .pollsInBackground,
            .isInBackground, .priorityMayGo, .isDefaultPriority, .isUserInitiated,
            .isBackgroundPriority,
            .networkIsUnavailable, .networkIsConstrained, .networkIsExpensive, .lowPowerModeIsOn,
            .batteryIsDraining, .laneIsSend, .launchIsAtZones, .launchIsAtFetch:
            [.negated]
        }
    }
}

/// How the scheduler compares; in a build for tests a comparison can be turned around.
package struct Comparisons: Sendable {
    /// How a comparison is turned around.
    package enum Flip: String, CaseIterable, Sendable {
        /// It says the opposite.
        case negated
        /// It counts the boundary to the other side.
        case boundary
    }

    #if PLANTED_BUGS
        private let flipped: Comparison?
        private let flip: Flip

        package init(flipping comparison: Comparison, _ flip: Flip) {
            flipped = comparison
            self.flip = flip
        }

        private init() {
            flipped = nil
            flip = .negated
        }
    #else
        private init() {}
    #endif

    /// As it should be.
    package static let sound = Comparisons()

    func holds(_ comparison: Comparison, _ value: Bool) -> Bool {
        #if PLANTED_BUGS
            if flipped == comparison, flip == .negated { return !value }
        #endif
        return value
    }

    func isLess<Value: Comparable>(
        _ comparison: Comparison,
        _ left: Value,
        _ right: Value
    ) -> Bool {
        #if PLANTED_BUGS
            if flipped == comparison {
                return flip == .boundary ? left <= right : left >= right
            }
        #endif
        return left < right
    }
}
