import Foundation
import LoopbackSupport
import RecordServer
import TestSupport
import Testing

/// The running server over raw sockets.
@Suite(.timeLimit(.minutes(2))) struct ServerLoopTests {
    private let caller =
        "GET /database/1/default/production/private/users/caller HTTP/1.1\r\nHost: localhost\r\n"

    @Test func answersSeveralRequestsOfOneConnection() throws {
        let server = try LoopbackServer()
        let connection = try RawConnection(port: server.port)
        for _ in 1...3 { connection.send("\(caller)\r\n") }
        connection.send("\(caller)Connection: close\r\n\r\n")
        let text = connection.receive()
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 5)
        #expect(text.hasSuffix("{\"userRecordName\":\"me\"}"))
    }

    @Test func answersMalformedRequestsAndClosesTheirConnections() throws {
        let server = try LoopbackServer()
        for (text, _) in MalformedRequests.all {
            let connection = try RawConnection(port: server.port)
            connection.send(text)
            // Some are no more than the beginning of something: those end with their connection.
            connection.send("\r\n\r\n")
            let answer = connection.receive(until: "connection: close", milliseconds: 2_000)
            #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 5"), "\(text)")
        }
        try expectAnswer(from: server)
    }

    @Test func takesARequestByteByByte() throws {
        let server = try LoopbackServer()
        let connection = try RawConnection(port: server.port)
        for byte in "\(caller)Connection: close\r\n\r\n".utf8 { connection.send([byte]) }
        #expect(connection.receive().hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test func asksForABodyThatWaits() throws {
        let server = try LoopbackServer()
        let connection = try RawConnection(port: server.port)
        connection.send(
            "POST /database/1/default/production/private/zones/list HTTP/1.1\r\nHost: localhost\r\n"
                + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        _ = connection.receive(until: "100 Continue\r\n\r\n")
        connection.send("{}")
        #expect(connection.receive(until: "}]}").contains("HTTP/1.1 200 OK"))
    }

    @Test func endsAConnectionWhoseHeadDoesNotEnd() throws {
        let server = try LoopbackServer { $0.headMilliseconds = 200 }
        let connection = try RawConnection(port: server.port)
        connection.send(caller)
        #expect(connection.receive().isEmpty)
        try expectAnswer(from: server)
    }

    @Test func endsAConnectionWhoseBodyDoesNotCome() throws {
        let server = try LoopbackServer { $0.bodyGraceMilliseconds = 200 }
        let connection = try RawConnection(port: server.port)
        connection.send(
            "POST /database/1/default/production/private/zones/list HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: 9000\r\n\r\n{"
        )
        #expect(connection.receive().isEmpty)
        try expectAnswer(from: server)
    }

    @Test func endsAConnectionThatIsNotUsed() throws {
        let server = try LoopbackServer { $0.idleMilliseconds = 200 }
        let connection = try RawConnection(port: server.port)
        connection.send("\(caller)\r\n")
        #expect(connection.receive().hasSuffix("}"))
    }

    @Test func endsAConnectionThatTakesNoAnswers() throws {
        let server = try LoopbackServer { $0.writeMilliseconds = 300 }
        let connection = try RawConnection(port: server.port)
        // Answers are asked for and not read, until the server's room for them is used up.
        var isOpen = true
        for _ in 1...400 where isOpen {
            isOpen = connection.send(String(repeating: "\(caller)\r\n", count: 100))
        }
        #expect(!isOpen)
        try expectAnswer(from: server)
    }

    @Test func slowClientsDoNotSlowOthersDown() throws {
        let server = try LoopbackServer()
        let slow = try (1...200).map { _ in try RawConnection(port: server.port) }
        for (place, connection) in slow.enumerated() {
            switch place % 3 {
            case 0: connection.send("GET /data")
            case 1: connection.send("\(caller)X: ")
            default: connection.send("\(caller)\r\n")
            }
        }
        let connection = try RawConnection(port: server.port)
        var durations: [Duration] = []
        for _ in 1...200 {
            let start = ContinuousClock.now
            connection.send("\(caller)Connection: keep-alive\r\n\r\n")
            _ = connection.receive(until: "}")
            durations.append(ContinuousClock.now - start)
        }
        durations.sort()
        #expect(durations[197] < .milliseconds(100))
    }

    @Test func wakesAPollWhenAnotherDeviceWrites() throws {
        let server = try LoopbackServer()
        let poll = try RawConnection(port: server.port)
        poll.send(
            "GET /database/1/default/production/private/x/notifications?since=0 HTTP/1.1\r\n"
                + "Host: localhost\r\nX-RecordSync-Device: desk\r\n\r\n"
        )
        let writer = try RawConnection(port: server.port)
        writer.send(save("a"))
        _ = writer.receive(until: "]}")
        #expect(poll.receive(until: "}").hasSuffix(#"{"changed":true,"position":"1"}"#))
    }

    @Test func endsAPollWhenItsTimeIsOver() throws {
        let server = try LoopbackServer()
        let poll = try RawConnection(port: server.port)
        poll.send(
            "GET /database/1/default/production/private/x/notifications?since=0&timeout=1 HTTP/1.1"
                + "\r\nHost: localhost\r\n\r\n"
        )
        #expect(poll.receive(until: "}").hasSuffix(#"{"changed":false,"position":"0"}"#))
    }

    @Test func wakesManyPollsAtOnce() throws {
        let server = try LoopbackServer()
        let polls = try (1...150).map { number in
            let poll = try RawConnection(port: server.port)
            poll.send(
                "GET /database/1/default/production/private/x/notifications?since=0 HTTP/1.1\r\n"
                    + "Host: localhost\r\nX-RecordSync-Device: d\(number)\r\n\r\n"
            )
            return poll
        }
        let writer = try RawConnection(port: server.port)
        writer.send(save("a"))
        _ = writer.receive(until: "]}")
        for poll in polls { #expect(poll.receive(until: "}").contains(#""changed":true"#)) }
    }

    @Test func answersWhatHasComeBeforeItStops() throws {
        let server = try LoopbackServer()
        let idle = try RawConnection(port: server.port)
        let poll = try RawConnection(port: server.port)
        poll.send(
            "GET /database/1/default/production/private/x/notifications?since=0 HTTP/1.1\r\n"
                + "Host: localhost\r\n\r\n"
        )
        let slow = try RawConnection(port: server.port)
        slow.send(caller)
        try expectAnswer(from: server)
        server.beginToEnd()
        #expect(idle.receive().isEmpty)
        #expect(poll.receive().hasSuffix(#"{"changed":false,"position":"0"}"#))
        slow.send("\r\n")
        #expect(slow.receive().hasSuffix(#"{"userRecordName":"me"}"#))
        #expect(server.end())
    }

    private func save(_ name: String) -> String {
        let body =
            #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","#
            + #""recordType":"Note"}}]}"#
        return "POST /database/1/default/production/private/records/modify HTTP/1.1\r\n"
            + "Host: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func expectAnswer(from server: LoopbackServer) throws {
        let connection = try RawConnection(port: server.port)
        connection.send("\(caller)Connection: close\r\n\r\n")
        #expect(connection.receive().hasPrefix("HTTP/1.1 200 OK"))
    }
}
