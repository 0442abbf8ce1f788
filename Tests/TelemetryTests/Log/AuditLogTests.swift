import Synchronization
import TestTraits
import Testing

@testable import Telemetry

/// What a log with a clock and names of its own writes.
private func line(_ event: AuditEvent, _ fields: [AuditField]) -> String {
    let text = Mutex("")
    let log = AuditLog(
        clock: { Timestamp(seconds: 0, milliseconds: 5) }, eventID: { "00ff" },
        output: { line in
            let written = String(decoding: line.bytes, as: UTF8.self)
            text.withLock { $0 += written }
        })
    log.write(event, fields)
    return text.withLock { $0 }
}

@Suite struct `the audit log` {
    @Test(.holds("ECO-57")) func `writes time, event, id and members, in one order whoever gave them in which`() {
        let expected =
            #"{"time":"1970-01-01T00:00:00.005Z","event":"session_ended","event_id":"00ff","request_id":"ab","#
            + #""issuer":"https://id.example.com/","subject":"alice","cause":"idle","count":3}"# + "\n"
        let fields = [
            AuditField(.count, 3), AuditField(.cause, "idle"), AuditField(.subject, "alice"),
            AuditField(.issuer, "https://id.example.com/"), AuditField(.requestID, "ab"),
        ]
        #expect(line(.sessionEnded, fields) == expected)
        #expect(line(.sessionEnded, fields.reversed()) == expected)
    }

    @Test(.refuses("ECO-57", "OPS-02"))
    func `lets nobody's name end a line, begin another or control a terminal`() {
        let name = "a\"}\n{\"event\":\"login\",\u{1b}[2J\u{9b}\u{202e}\\"
        let text = line(.refused, [AuditField(.subject, name)])
        #expect(text.utf8.filter { $0 < 0x20 } == [0x0A])
        #expect(text.contains(#""subject":"a\"}\u000a{\"event\":\"login\",\u001b[2J\u009b\u202e\\"}"#), "\(text)")
        #expect(line(.refused, [AuditField(.subject, String(repeating: "a", count: 10_000))]).utf8.count < 700)
    }
}
