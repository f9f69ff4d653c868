import RecordModel

extension Story {
    /// Every story.
    static let all = editStories + failureStories + zoneStories + accountStories + fetchStories

    /// The same stories with an app that stores snapshots and no entries.
    static let allWithSnapshots = all.map { story in
        var story = story
        story.name += ", snapshots only"
        story.storesEntries = false
        return story
    }

    private static let editStories = [
        Story(
            name: "edits",
            steps: [
                .edit(0, ["a", "b"]), .send(0), .fetch(1), .edit(1, ["a"]), .send(1), .fetch(0),
                .edit(0, ["a"]), .send(0),
            ]
        ),
        Story(
            name: "conflict",
            compactsEvery: 4,
            steps: [
                .edit(0, ["a"]), .send(0), .fetch(1), .edit(0, ["a"]), .edit(1, ["a"]), .send(0),
                .send(1), .fetch(0), .edit(0, ["a"]), .send(0),
            ]
        ),
        Story(
            name: "two make the same record",
            steps: [
                .edit(0, ["a"]), .edit(1, ["a"]), .startSend(0), .startSend(1),
                .runUntil(1, .sent), .edit(1, ["a"]), .run, .send(1), .fetch(0),
            ]
        ),
        Story(
            name: "deletions",
            compactsEvery: 3,
            steps: [
                .edit(0, ["a", "b", "c"]), .send(0), .fetch(1), .delete(0, ["a"]), .send(0),
                .delete(1, ["b"]), .edit(0, ["b"]), .send(1), .send(0), .edit(0, ["c"]),
                .delete(0, ["c"]), .send(0),
            ]
        ),
        Story(
            name: "deletion of what another device edited",
            steps: [
                .edit(0, ["a"]), .send(0), .fetch(1), .edit(0, ["a"]), .send(0),
                .delete(1, ["a"]), .send(1), .fetch(1),
            ]
        ),
        Story(
            name: "made again after its deletion",
            steps: [
                .edit(0, ["a"]), .send(0), .fetch(1), .delete(0, ["a"]), .startSend(0),
                .runUntil(0, .arrived), .edit(0, ["a"]), .run, .send(0), .edit(1, ["a"]),
                .send(1),
            ]
        ),
        Story(
            name: "edits in flight",
            compactsEvery: 5,
            batchCountMax: 2,
            steps: [
                .edit(0, ["a", "b", "c"]), .startSend(0), .runUntil(0, .sent), .edit(0, ["a"]),
                .runUntil(0, .arrived), .edit(0, ["a", "b"]), .delete(0, ["c"]), .run, .send(0),
            ]
        ),
        Story(
            name: "removal in flight",
            isRace: true,
            steps: [
                .edit(0, ["a", "b"]), .startSend(0), .runUntil(0, .sent), .removePending(0, "a"),
                .run, .edit(0, ["b"]), .removePending(0, "b"), .send(0),
            ]
        ),
        Story(
            name: "removal of what failed in flight",
            steps: [
                .edit(0, ["a", "b"]), .failNext(0, .zoneBusy, retryAfter: nil), .startSend(0),
                .runUntil(0, .sent), .removePending(0, "a"), .edit(0, ["b"]), .run, .send(0),
            ]
        ),
        Story(
            name: "unlisted edits",
            steps: [
                .editUnlisted(0, "a"), .edit(0, ["b"]), .send(0), .editUnlisted(0, "a"),
                .failNext(0, .zoneBusy, retryAfter: nil), .send(0), .editUnlisted(0, "c"),
                .send(0),
            ]
        ),
        Story(
            name: "put off",
            steps: [
                .edit(0, ["a", "b"]), .alwaysLater(0, "a"), .send(0), .alwaysLater(0, nil),
                .edit(0, ["b"]), .send(0),
            ]
        ),
        Story(
            name: "parents and children",
            batchCountMax: 2,
            steps: [
                .editUnder(0, "child", parent: "parent"),
                .editUnder(0, "grandchild", parent: "child"), .edit(0, ["parent"]), .send(0),
                .fetch(1), .editUnder(1, "other", parent: "parent"), .delete(0, ["parent"]),
                .send(0), .send(1),
            ]
        ),
        Story(
            name: "an atomic batch",
            isAtomic: true,
            steps: [
                .edit(0, ["a", "b", "c"]), .send(0), .fetch(1), .edit(1, ["b"]), .send(1),
                .edit(0, ["a", "b", "c"]), .send(0), .send(0),
            ]
        ),
    ]

    private static let failureStories = [
        Story(
            name: "lost answers",
            compactsEvery: 4,
            steps: [
                .edit(0, ["a", "b"]), .loseAnswer(0), .send(0), .edit(0, ["a"]), .loseRequest(0),
                .send(0), .edit(0, ["b"]), .delay(0), .send(0), .edit(0, ["a"]), .send(0),
            ]
        ),
        Story(
            name: "partial failure",
            steps: [
                .edit(0, ["a", "b", "tasks/c"]), .refuse("a", .permissionFailure), .send(0),
                .allowAll, .send(0), .edit(0, ["b"]), .refuse("b", .internalError), .send(0),
                .allowAll, .send(0),
            ]
        ),
        Story(
            name: "too many at once",
            steps: [
                .edit(0, ["a", "b", "c", "d", "e"]), .batchCountMax(2), .send(0),
                .batchCountMax(1), .edit(0, ["a", "c"]), .send(0), .delete(0, ["b", "d"]),
                .startSend(0), .runUntil(0, .arrived), .edit(0, ["e"]), .run, .send(0),
            ]
        ),
        Story(
            name: "too large",
            recordByteCountMax: 2000,
            steps: [
                .edit(0, ["a", "b"]), .editLarge(0, "a"), .send(0), .edit(0, ["b"]),
                .editLarge(0, "c"), .send(0),
            ]
        ),
        Story(
            name: "quota",
            compactsEvery: 4,
            steps: [
                .edit(0, ["a"]), .send(0), .quota(1), .edit(0, ["a", "b"]), .send(0),
                .edit(0, ["b"]), .send(0), .delete(0, ["a"]), .send(0), .quota(nil), .resume(0),
                .send(0),
            ]
        ),
        Story(
            name: "left alone for a while",
            steps: [
                .edit(0, ["a"]), .failNext(0, .requestRateLimited, retryAfter: 60), .send(0),
                .edit(0, ["b"]), .send(0), .wait(seconds: 61), .send(0),
            ]
        ),
        Story(
            name: "the app throws",
            compactsEvery: 4,
            steps: [
                .edit(0, ["a"]), .throwAt(0, "sentRecordZoneChanges", times: 2), .send(0),
                .send(0), .edit(0, ["a"]), .send(0), .edit(1, ["b"]), .send(1),
                .throwAt(0, "fetchedRecordZoneChanges", times: 1), .fetch(0), .fetch(0),
                .edit(0, ["b"]), .throwAt(0, "stateUpdate", times: 2), .send(0), .send(0),
                .throwAt(0, "batch", times: 1), .edit(0, ["b"]), .send(0), .send(0),
            ]
        ),
        Story(
            name: "cancelled",
            steps: [
                .edit(0, ["a", "b"]), .startSend(0), .runUntil(0, .sent), .cancel(0), .run,
                .edit(0, ["a"]), .startSend(0), .runUntil(0, .handling("willSend")), .cancel(0),
                .run, .startFetch(0), .cancel(0), .send(0),
            ]
        ),
        Story(
            name: "launched again and again",
            compactsEvery: 3,
            steps: [
                .edit(0, ["a"]), .relaunch(0), .edit(0, ["b"]), .startSend(0),
                .runUntil(0, .arrived), .relaunch(0), .edit(0, ["a"]), .send(0), .relaunch(0),
                .fetch(0), .edit(0, ["a", "b"]), .startSend(0), .runUntil(0, .sent),
                .relaunch(0), .send(0),
            ]
        ),
        Story(
            name: "by itself",
            isAutomatic: true,
            steps: [
                .run, .edit(0, ["a", "b"]), .run, .notify(1), .run, .edit(1, ["a"]), .loseAnswer(1),
                .run, .edit(0, ["a"]), .failNext(0, .serviceUnavailable, retryAfter: 30), .run,
                .notify(0), .run,
            ]
        ),
    ]

    private static let zoneStories = [
        Story(
            name: "zones made and deleted",
            compactsEvery: 4,
            steps: [
                .saveZone(0, "tasks"), .edit(0, ["tasks/a", "a"]), .send(0), .fetch(1),
                .edit(1, ["tasks/a"]), .deleteZone(0, "tasks"), .send(0), .send(1), .fetch(1),
            ]
        ),
        Story(
            name: "a zone made anew at once",
            steps: [
                .saveZone(0, "tasks"), .edit(0, ["tasks/a", "tasks/b"]), .send(0), .fetch(1),
                .deleteZone(0, "tasks"), .saveZone(0, "tasks"), .edit(0, ["tasks/a"]), .send(0),
                .edit(1, ["tasks/b"]), .fetch(1), .send(1),
            ]
        ),
        Story(
            name: "changes of a deleted zone",
            steps: [
                .saveZone(0, "tasks"), .send(0), .fetch(1), .edit(1, ["tasks/a", "b"]),
                .deleteZone(0, "tasks"), .send(0), .startFetch(1),
                .runUntil(1, .handling("abandonedChanges")), .edit(1, ["tasks/c"]), .run,
                .send(1),
            ]
        ),
        Story(
            name: "a missing zone",
            steps: [
                .edit(0, ["tasks/a"]), .send(0), .send(0), .edit(0, ["tasks/a"]), .send(0),
                .fetch(1),
            ]
        ),
        Story(
            name: "a purged zone",
            steps: [
                .saveZone(0, "tasks"), .edit(0, ["tasks/a", "a"]), .send(0), .fetch(1),
                .purgeZone("tasks"), .edit(1, ["tasks/a", "a"]), .fetch(0), .send(1), .fetch(1),
            ]
        ),
        Story(
            name: "a reset zone",
            steps: [
                .saveZone(0, "tasks"), .edit(0, ["tasks/a", "tasks/b"]), .send(0), .fetch(1),
                .resetZone("tasks"), .edit(0, ["tasks/a"]), .fetch(0), .send(0), .fetch(1),
            ]
        ),
        Story(
            name: "a zone's change that fails",
            steps: [
                .saveZone(0, "tasks"), .edit(0, ["tasks/a"]), .loseAnswer(0), .send(0),
                .deleteZone(0, "tasks"), .startSend(0), .edit(0, ["b"]), .run,
                .saveZone(0, "tasks"), .edit(0, ["tasks/a"]), .send(0),
            ]
        ),
    ]

    private static let accountStories = [
        Story(
            name: "signed out and in",
            steps: [
                .edit(0, ["a"]), .send(0), .edit(0, ["a"]), .signOut(0), .run, .edit(0, ["b"]),
                .send(0), .signIn(0, "ann"), .run, .send(0), .fetch(0),
            ]
        ),
        Story(
            name: "another account",
            isRace: true,
            steps: [
                .edit(0, ["a"]), .send(0), .edit(0, ["a", "b"]), .signIn(0, "bob"), .run,
                .saveZone(0, "notes"), .edit(0, ["a"]), .send(0), .fetch(0),
            ]
        ),
        Story(
            name: "another account after a while",
            compactsEvery: 3,
            isRace: true,
            steps: [
                .edit(0, ["a"]), .send(0), .edit(0, ["a"]), .signOut(0), .run,
                .signIn(0, "bob"), .run, .saveZone(0, "notes"), .edit(0, ["b"]), .send(0),
            ]
        ),
        Story(
            name: "another account in flight",
            isRace: true,
            steps: [
                .edit(0, ["a", "b"]), .startSend(0), .runUntil(0, .arrived), .edit(0, ["a"]),
                .signIn(0, "bob"), .run, .saveZone(0, "notes"), .edit(0, ["a"]), .send(0),
            ]
        ),
        Story(
            name: "another account, and the app throws",
            isRace: true,
            steps: [
                .edit(0, ["a"]), .send(0), .edit(0, ["a"]), .throwAt(0, "accountChange", times: 1),
                .signIn(0, "bob"), .run, .send(0), .throwAt(0, "abandonedChanges", times: 1),
                .send(0), .send(0), .saveZone(0, "notes"), .edit(0, ["b"]), .send(0),
            ]
        ),
        Story(
            name: "signed out, and the app throws",
            isRace: true,
            steps: [
                .edit(0, ["a"]), .throwAt(0, "accountChange", times: 2), .signOut(0), .run,
                .edit(0, ["b"]), .signIn(0, "ann"), .run, .send(0), .send(0),
            ]
        ),
        Story(
            name: "signed out in flight",
            steps: [
                .edit(0, ["a", "b"]), .startSend(0), .runUntil(0, .sent), .signOut(0), .run,
                .edit(0, ["a"]), .signIn(0, "ann"), .run, .send(0),
            ]
        ),
        Story(
            name: "another account while not running",
            steps: [
                .edit(0, ["a"]), .send(0), .edit(0, ["b"]), .startSend(0), .runUntil(0, .sent),
                .signIn(0, "bob"), .relaunch(0), .edit(0, ["c"]), .send(0), .saveZone(0, "notes"),
                .edit(0, ["d"]), .send(0),
            ]
        ),
    ]

    private static let fetchStories = [
        Story(
            name: "pages of one",
            compactsEvery: 4,
            pageCountMax: 1,
            steps: [
                .edit(0, ["a", "b", "c"]), .send(0), .fetch(1), .edit(1, ["b"]),
                .delete(0, ["a"]), .edit(0, ["c"]), .send(0), .startFetch(1),
                .runUntil(1, .handling("fetchedRecord")), .edit(1, ["c"]), .startSend(1), .run,
                .send(1), .fetch(0),
            ]
        ),
        Story(
            name: "expired tokens",
            pageCountMax: 2,
            steps: [
                .edit(0, ["a", "b", "c"]), .send(0), .fetch(1), .delete(0, ["b"]), .send(0),
                .edit(1, ["a", "d"]), .expireTokens("notes"), .fetch(1), .send(1),
                .edit(0, ["e"]), .expireAllTokens, .fetch(0), .send(0),
            ]
        ),
        Story(
            name: "a full fetch beside a send",
            pageCountMax: 1,
            steps: [
                .edit(0, ["a", "b", "c"]), .send(0), .fetch(1), .fetch(0), .edit(1, ["a"]),
                .send(1), .expireTokens("notes"), .edit(0, ["b", "d"]), .startFetch(0),
                .runUntil(0, .handling("fetchedRecord")), .startSend(0), .run, .fetch(0),
            ]
        ),
        Story(
            name: "a send and a fetch at once",
            batchCountMax: 1,
            pageCountMax: 2,
            steps: [
                .edit(0, ["a", "b", "c"]), .send(0), .fetch(1), .edit(1, ["a", "b"]), .send(1),
                .edit(0, ["a", "c"]), .startSend(0), .startFetch(0), .runUntil(0, .sent),
                .edit(0, ["b"]), .run, .send(0), .fetch(1),
            ]
        ),
    ]
}
