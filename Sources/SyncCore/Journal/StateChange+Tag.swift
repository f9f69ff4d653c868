extension StateChange {
    /// The kind of change as an entry's bytes name it; a number is never used for another kind.
    enum Tag: UInt8 {
        case recordChangesAdded = 1
        case recordChangesRemoved = 2
        case databaseChangesAdded = 3
        case untrackedChangesSet = 5
        case parkedChangesResumed = 6
        case sendOpened = 7
        case sendPartOpened = 8
        case sendClosed = 9
        case databaseChangesSettled = 10
        case databasePageHandled = 11
        case zoneListingBegun = 12
        case zonePageHandled = 13
        case fullFetchBegun = 14
        case zoneForgotten = 15
        case zoneChangesAbandoned = 16
        case accountIdentified = 17
        case accountSignedOut = 18
        case accountReplaced = 19
        case retryDelaySet = 20
        case zoneListingPageHandled = 21
        case historySeen = 22
        case tokensReset = 23
        case damageSettled = 24
        case zoneMissed = 28
        case prioritizedChangesAdded = 32
        // 25 stands before an entry's context.
        case zoneSendOpened = 26
        case zoneSendClosed = 27
    }

    var tag: Tag {
        switch self {
        case .recordChangesAdded: .recordChangesAdded
        case .prioritizedChangesAdded: .prioritizedChangesAdded
        case .recordChangesRemoved: .recordChangesRemoved
        case .databaseChangesAdded: .databaseChangesAdded
        case .untrackedChangesSet: .untrackedChangesSet
        case .parkedChangesResumed: .parkedChangesResumed
        case .sendOpened: .sendOpened
        case .sendPartOpened: .sendPartOpened
        case .sendClosed: .sendClosed
        case .databaseChangesSettled: .databaseChangesSettled
        case .zoneSendOpened: .zoneSendOpened
        case .zoneSendClosed: .zoneSendClosed
        case .databasePageHandled: .databasePageHandled
        case .zoneListingBegun: .zoneListingBegun
        case .zoneListingPageHandled: .zoneListingPageHandled
        case .historySeen: .historySeen
        case .tokensReset: .tokensReset
        case .damageSettled: .damageSettled
        case .zonePageHandled: .zonePageHandled
        case .fullFetchBegun: .fullFetchBegun
        case .zoneForgotten: .zoneForgotten
        case .zoneMissed: .zoneMissed
        case .zoneChangesAbandoned: .zoneChangesAbandoned
        case .accountIdentified: .accountIdentified
        case .accountSignedOut: .accountSignedOut
        case .accountReplaced: .accountReplaced
        case .retryDelaySet: .retryDelaySet
        }
    }
}
