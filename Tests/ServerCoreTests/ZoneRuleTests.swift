import RecordModel
import ServerCore
import TestSupport
import Testing

struct ZoneRuleTests {
    @Test func savesAnExistingZoneAndDeletesAnUnknownOneWithoutAChange() throws {
        var fixture = try ServerFixture()
        let token = try fixture.databasePage().changeToken
        let stored = try fixture.save(zone: notes)
        #expect(stored == RecordZone(zoneName: "notes"))
        try fixture.delete(zone: lists)
        #expect(try fixture.databasePage(since: token).changeToken == token)
    }

    @Test(.holds("H24"))
    func startsANewZoneOfAnOldNameCleanly() throws {
        var fixture = try ServerFixture()
        try fixture.send([note("a"), note("b")])
        try fixture.delete(id("a"))
        let token = try fixture.page().changeToken
        try fixture.delete(zone: notes)
        #expect(code { _ = try fixture.page(since: token) } == .zoneNotFound)
        try fixture.save(zone: notes)
        let page = try fixture.page()
        #expect(page.modifications.isEmpty && page.deletions.isEmpty)
        #expect(code { _ = try fixture.page(since: token) } == .changeTokenExpired)
        try fixture.save(note("a", "new life"))
        let next = try fixture.page(since: page.changeToken)
        #expect(next.savedNames == ["a"])
        #expect(next.deletions.isEmpty)
    }

    @Test func refusesATagOfAnEarlierLifeOfTheZone() throws {
        var fixture = try ServerFixture()
        let record = try fixture.save(note("a"))
        try fixture.delete(zone: notes)
        try fixture.save(zone: notes)
        #expect(code { try fixture.save(record) } == .unknownItem)
    }

    @Test(.holds("S104"))
    func saysWhyAZoneIsGone() throws {
        var fixture = try ServerFixture()
        let third = RecordZone.ID(zoneName: "third")
        try fixture.save(zone: lists)
        try fixture.save(zone: third)
        let token = try fixture.databasePage().changeToken
        try fixture.delete(zone: notes)
        try fixture.server.purgeZone(lists, of: phone, at: fixture.now)
        try fixture.server.resetEncryptedData(in: third, of: phone, at: fixture.now)
        let page = try fixture.databasePage(since: token)
        #expect(
            page.deletions == [
                .init(zoneID: notes, reason: .deleted),
                .init(zoneID: lists, reason: .purged),
                .init(zoneID: third, reason: .encryptedDataReset),
            ]
        )
        #expect(page.modifications.isEmpty)
    }

    @Test(.holds("H91"))
    func refusesWritesToAPurgedZoneUntilItIsSavedAgain() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a"))
        try fixture.server.purgeZone(notes, of: phone, at: fixture.now)
        #expect(code { try fixture.save(note("b")) } == .userDeletedZone)
        #expect(code { _ = try fixture.page() } == .userDeletedZone)
        fixture.pass(days: 365)
        try fixture.server.removeExpired(at: fixture.now)
        #expect(code { try fixture.save(note("b")) } == .userDeletedZone)
        try fixture.save(zone: notes)
        try fixture.save(note("b"))
        #expect(try fixture.page().savedNames == ["b"])
    }

    @Test func tellsAResetZoneFromOneThatNeverWas() throws {
        var fixture = try ServerFixture()
        try fixture.server.resetEncryptedData(in: notes, of: phone, at: fixture.now)
        let reply = try fixture.send([note("a"), note("a", in: lists)])
        let flags = reply.saveResults.map { result in
            switch result {
            case .success: false
            case .failure(let error): error.isAfterEncryptedDataReset
            }
        }
        #expect(reply.saveCodes == [.zoneNotFound, .zoneNotFound])
        #expect(flags == [true, false])
    }

    @Test func syncsTheDefaultZoneLikeAnyOther() throws {
        var fixture = try ServerFixture()
        let token = try fixture.databasePage().changeToken
        #expect(try fixture.page(of: .default).modifications.isEmpty)
        try fixture.send([note("a", in: .default), note("b", in: .default)], isAtomic: true)
        #expect(try fixture.databasePage(since: token).changedNames == ["_defaultZone"])
        #expect(try fixture.page(of: .default).savedNames == ["a", "b"])
    }

    @Test func neverDeletesTheDefaultZone() throws {
        var fixture = try ServerFixture()
        #expect(code { try fixture.delete(zone: .default) } == .invalidArguments)
    }

    @Test func purgesTheDefaultZoneLikeAnyOther() throws {
        var fixture = try ServerFixture()
        try fixture.save(note("a", in: .default))
        try fixture.server.purgeZone(.default, of: phone, at: fixture.now)
        #expect(code { try fixture.save(note("b", in: .default)) } == .userDeletedZone)
        try fixture.save(zone: .default)
        #expect(try fixture.page(of: .default).modifications.isEmpty)
    }

    @Test func takesTheAccountsNameForTheCurrentUser() throws {
        var fixture = try ServerFixture()
        let spelled = RecordZone.ID(zoneName: "notes", ownerName: "ann")
        var child = note("child", in: spelled, parent: "parent")
        child["link"] = Record.Reference(recordID: id("parent", in: spelled), action: .deleteSelf)
        let reply = try fixture.send([note("parent"), child])
        let stored = try reply.saveResults[1].get()
        #expect(stored.recordID == id("child"))
        #expect(stored.parent?.recordID == id("parent"))
        #expect(try fixture.lookUp(id("child", in: spelled)) == stored)
        #expect(try fixture.page(of: spelled).savedNames == ["parent", "child"])
        try fixture.delete(id("parent", in: spelled))
        #expect(try fixture.page().savedNames == [])
    }

    @Test func keepsAClearedParentClearedWhereTheOwnerIsSpelled() throws {
        var fixture = try ServerFixture()
        let spelled = RecordZone.ID(zoneName: "notes", ownerName: "ann")
        try fixture.send([note("parent"), note("child", parent: "parent")])
        var fields = try fixture.lookUp(id("child")).systemFields
        fields = Record.SystemFields(
            recordType: fields.recordType,
            recordID: id("child", in: spelled),
            recordChangeTag: fields.recordChangeTag,
            parent: fields.parent
        )
        var child = Record(systemFields: fields)
        child["text"] = "kept"
        let kept = try fixture.save(child, policy: .changedKeys)
        #expect(kept.parent?.recordID == id("parent"))
        child.parent = nil
        #expect(try fixture.save(child, policy: .changedKeys).parent == nil)
    }

    @Test func knowsNoZoneOfAnotherOwner() throws {
        var fixture = try ServerFixture()
        try fixture.server.createAccount("bob", at: fixture.now)
        let foreign = RecordZone.ID(zoneName: "notes", ownerName: "bob")
        #expect(code { try fixture.save(note("a", in: foreign)) } == .zoneNotFound)
        #expect(code { _ = try fixture.page(of: foreign) } == .zoneNotFound)
        #expect(code { try fixture.save(zone: foreign) } == .zoneNotFound)
    }

    @Test func refusesAZoneThatStandsInTheRequestTwice() throws {
        var fixture = try ServerFixture()
        let request = ModifyZonesRequest(
            zonesToSave: [RecordZone(zoneID: lists)],
            zoneIDsToDelete: [RecordZone.ID(zoneName: "lists", ownerName: "ann")]
        )
        let now = fixture.now
        #expect(
            code { _ = try fixture.server.modifyZones(request, from: phone, at: now) }
                == .invalidArguments
        )
    }

    @Test(.holds("P69", "H93"))
    func saysInAListingWhyZonesThatTheCallerKnowsAreGone() throws {
        var fixture = try ServerFixture()
        let (third, fourth) = (RecordZone.ID(zoneName: "third"), RecordZone.ID(zoneName: "fourth"))
        for zoneID in [lists, third, fourth] { try fixture.save(zone: zoneID) }
        try fixture.delete(zone: notes)
        try fixture.server.purgeZone(lists, of: phone, at: fixture.now)
        try fixture.server.resetEncryptedData(in: third, of: phone, at: fixture.now)
        let unknown = RecordZone.ID(zoneName: "never was")
        let known = [notes, lists, third, fourth, unknown, third]
        let page = try fixture.databasePage(knowing: known)
        #expect(
            page.deletions == [
                .init(zoneID: notes, reason: .deleted),
                .init(zoneID: lists, reason: .purged),
                .init(zoneID: third, reason: .encryptedDataReset),
            ]
        )
        #expect(page.modifications.map(\.zoneID) == [fourth])
        #expect(try fixture.databasePage().deletions.isEmpty)
        let next = try fixture.databasePage(since: page.changeToken, knowing: known)
        #expect(next.deletions.isEmpty)
    }

    @Test(.holds("P69"))
    func namesZonesThatAreGoneOnTheFirstPageAlone() throws {
        var fixture = try ServerFixture()
        for name in ["third", "fourth"] { try fixture.save(zone: RecordZone.ID(zoneName: name)) }
        try fixture.delete(zone: notes)
        let first = try fixture.databasePage(limit: 1, knowing: [notes])
        #expect(first.moreComing)
        #expect(first.deletions.map(\.zoneID) == [notes])
        let second = try fixture.databasePage(since: first.changeToken, limit: 5, knowing: [notes])
        #expect(second.deletions.isEmpty)
    }

    @Test(.holds("P70"))
    func tellsACallerThatItsRecordsAreOfTheZonesFormerLife() throws {
        var fixture = try ServerFixture()
        let old = try fixture.save(note("a"))
        func request(_ changeTag: String?) -> ZoneChangesRequest {
            ZoneChangesRequest(zoneID: notes, since: nil, ownChangeTag: changeTag)
        }
        let now = fixture.now
        let before = try fixture.server.zoneChanges(
            request(old.recordChangeTag),
            from: phone,
            at: now
        )
        #expect(before.savedNames == ["a"])
        try fixture.delete(zone: notes)
        try fixture.save(zone: notes)
        let new = try fixture.save(note("b"))
        #expect(
            code {
                _ = try fixture.server.zoneChanges(
                    request(old.recordChangeTag),
                    from: phone,
                    at: now
                )
            }
                == .changeTokenExpired
        )
        for tag in [new.recordChangeTag, nil, "", "no tag", "1-2", "-1-2-3"] {
            let page = try fixture.server.zoneChanges(request(tag), from: phone, at: now)
            #expect(page.savedNames == ["b"])
        }
    }
}
