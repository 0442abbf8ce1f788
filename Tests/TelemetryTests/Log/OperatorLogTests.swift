import Synchronization
import TestTraits
import Testing

@testable import Telemetry

/// Remembers what was written.
private final class Lines: Sendable {
    private let all = Mutex<String>("")

    func take(_ line: inout LogLine) {
        let text = String(decoding: line.bytes, as: UTF8.self)
        all.withLock { $0 += text }
    }

    var text: String { all.withLock { $0 } }
}

private func log(_ level: LogLevel, _ lines: Lines) -> OperatorLog {
    OperatorLog(level: level, clock: { Timestamp(seconds: 0, milliseconds: 5) }, output: { lines.take(&$0) })
}

@Suite struct `the operator log` {
    @Test func `writes time, level, event and the fields in order`() {
        let lines = Lines()
        log(.info, lines).write(
            .warning, .issuerRefreshFailed, LogField(.issuer, "main"), LogField(.count, 3))
        let expected =
            #"{"time":"1970-01-01T00:00:00.005Z","level":"warning","event":"issuer_refresh_failed","#
            + #""issuer":"main","count":3}"# + "\n"
        #expect(lines.text == expected)
    }

    @Test(arguments: LogLevel.allCases, LogLevel.allCases)
    func `writes its own level and above, and nothing below`(level: LogLevel, line: LogLevel) {
        let lines = Lines()
        let log = log(level, lines)
        log.write(line, .started)
        #expect(lines.text.isEmpty == (line.rawValue < level.rawValue))
        #expect(log.writes(line) == !lines.text.isEmpty)
    }

    @Test(.refuses("OPS-02")) func `a field's text cannot forge a second line`() {
        let lines = Lines()
        log(.info, lines).write(.info, .refused, LogField(.found, "x\"}\n{\"event\":\"started\"}"))
        #expect(lines.text.filter { $0 == "\n" }.count == 1)
        #expect(lines.text.contains(#""found":"x\"}\u000a{\"event\":\"started\"}""#))
    }

    @Test(.refuses("OPS-02")) func `a field is cut at its limit`() {
        let lines = Lines()
        let long = String(repeating: "x", count: OperatorLog.fieldLimit + 10)
        log(.info, lines).write(.info, .refused, LogField(.found, long))
        #expect(lines.text.contains("x[+10 bytes]\"}"))
    }

    @Test func `has words and names that need no escape`() {
        let names = LogEvent.allCases.map(\.rawValue) + LogFieldName.allCases.map(\.rawValue)
        for name in names {
            #expect(name.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || $0 == 0x5F }, "\(name)")
        }
        #expect(Set(names).count == names.count)
    }
}
