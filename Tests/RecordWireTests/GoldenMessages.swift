/// Messages of version 1 as they stand on the wire: they must never be written differently, and be
/// readable for ever.
enum Golden {
    static let modifyRequest =
        #"{"operations":[{"operationType":"create","record":{"recordName":"new","#
        + #""recordType":"Note","zoneID":{"zoneName":"Notes"},"parent":{"recordName":"list"},"#
        + #""fields":{"text":{"value":"hello","type":"STRING"}}}},"#
        + #"{"operationType":"update","record":{"recordName":"old","recordType":"Note","#
        + #""zoneID":{"zoneName":"Notes"},"parent":null,"recordChangeTag":"7f","#
        + #""fields":{"gone":{"value":null},"text":{"value":"b","type":"STRING"}}}},"#
        + #"{"operationType":"forceDelete","record":{"recordName":"x","#
        + #""zoneID":{"zoneName":"Notes"}}},"#
        + #"{"operationType":"delete","record":{"recordName":"y","#
        + #""zoneID":{"zoneName":"Notes"},"recordChangeTag":"80"}}],"atomic":false,"#
        + #""idempotencyKey":{"writer":"0000000000000001ffffffffffffffff","number":"7"}}"#
    static let modifyReply =
        #"{"records":[{"recordName":"new","recordType":"Note","zoneID":{"zoneName":"Notes"},"#
        + #""parent":{"recordName":"list"},"recordChangeTag":"81","#
        + #""created":{"timestamp":1,"userRecordName":"ann","deviceID":"phone"},"#
        + #""modified":{"timestamp":2,"userRecordName":"ann","deviceID":"phone"},"#
        + #""fieldsAsSent":true},"#
        + #"{"recordName":"old","zoneID":{"zoneName":"Notes"},"serverErrorCode":"CONFLICT","#
        + #""reason":"changed","code":14,"serverRecord":{"recordName":"old","#
        + #""recordType":"Note","zoneID":{"zoneName":"Notes"},"recordChangeTag":"82","fields":{"#
        + #""text":{"value":"theirs","type":"STRING"}}}},"#
        + #"{"recordName":"x","zoneID":{"zoneName":"Notes"},"deleted":true},"#
        + #"{"recordName":"y","zoneID":{"zoneName":"Notes"},"serverErrorCode":"THROTTLED","#
        + #""reason":"slow down","retryAfter":1.5,"code":7}]}"#
    static let databaseRequest = #"{"syncToken":"AQID","resultsLimit":10}"#
    static let knownZonesRequest = #"{"knownZoneIDs":[{"zoneName":"Notes"}]}"#
    static let ownSaveRequest = #"{"zones":[{"zoneID":{"zoneName":"Notes"},"ownChangeTag":"7f"}]}"#
    static let databaseReply =
        #"{"zones":[{"zoneID":{"zoneName":"Notes"}},"#
        + #"{"zoneID":{"zoneName":"A"},"deleted":true,"deletionReason":"deleted"},"#
        + #"{"zoneID":{"zoneName":"B"},"deleted":true,"deletionReason":"purged"},"#
        + #"{"zoneID":{"zoneName":"C"},"deleted":true,"deletionReason":"encryptedDataReset"}],"#
        + #""syncToken":"AQID","moreComing":true,"historyID":"h"}"#
    static let zoneRequest =
        #"{"zones":[{"syncToken":"AQID","resultsLimit":5,"zoneID":{"zoneName":"Notes"},"#
        + #""desiredKeys":["text"],"includesDeletions":true}]}"#
    static let zoneReply =
        #"{"zones":[{"zoneID":{"zoneName":"Notes"},"records":[{"recordName":"old","#
        + #""recordType":"Note","zoneID":{"zoneName":"Notes"},"recordChangeTag":"82","fields":{"#
        + #""text":{"value":"theirs","type":"STRING"}},"#
        + #""origin":{"writer":"0000000000000001ffffffffffffffff","number":"7"}},"#
        + #"{"recordName":"x","zoneID":{"zoneName":"Notes"},"recordType":"Note","#
        + #""deleted":true}],"syncToken":"AQID","moreComing":false,"historyID":"h"},"#
        + #"{"zoneID":{"zoneName":"Gone"},"serverErrorCode":"CHANGE_TOKEN_EXPIRED","#
        + #""reason":"old","code":21}]}"#
    static let zonesRequest =
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"A"}}},"#
        + #"{"operationType":"delete","zone":{"zoneID":{"zoneName":"B"}}}],"#
        + #""idempotencyKey":{"writer":"0000000000000001ffffffffffffffff","number":"7"}}"#
    static let zonesReply =
        #"{"zones":[{"zoneID":{"zoneName":"A"},"atomic":true},"#
        + #"{"zoneID":{"zoneName":"B"},"serverErrorCode":"ZONE_NOT_FOUND","#
        + #""reason":"reset","code":26,"afterReset":true}]}"#
    static let lookupRequest =
        #"{"records":[{"recordName":"old","zoneID":{"zoneName":"Notes"}}],"#
        + #""desiredKeys":["text"]}"#
    static let outcomeRequest =
        #"{"idempotencyKey":{"writer":"0000000000000001ffffffffffffffff","number":"7"}}"#
    static let outcomeReply =
        #"{"outcome":"known","saves":[{"recordName":"old","recordType":"Note","#
        + #""zoneID":{"zoneName":"Notes"},"recordChangeTag":"82","fields":{"#
        + #""text":{"value":"theirs","type":"STRING"}}},"#
        + #"{"serverErrorCode":"NOT_FOUND","reason":"gone","code":11}],"#
        + #""deletions":[{"deleted":true},"#
        + #"{"serverErrorCode":"ACCESS_DENIED","reason":"no","code":10}]}"#
    static let caller = #"{"userRecordName":"ann","status":"available"}"#
    static let capabilities =
        #"{"version":1,"limits":{"operations":250,"requestBytes":2000000,"recordBytes":1000000}}"#
    static let poll = #"{"changed":true,"position":"12"}"#
}
