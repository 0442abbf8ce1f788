import Crypto
import Synchronization
import Telemetry

@testable import Gateway

/// An auditor whose lines are kept, at a time that stands still.
final class AuditRig: Sendable {
    private let kept: KeptLines
    private let lostLines: LostLines
    let auditor: Auditor

    /// 32 bytes, so that the digests of a test are always the same.
    static let key = Secret([UInt8](repeating: 7, count: 32))

    init(_ subject: AuditSettings.Subject = .hashed, key: Secret? = AuditRig.key) throws {
        var settings = AuditSettings()
        settings.subject = subject
        settings.subjectKey = key
        let kept = KeptLines()
        let lostLines = LostLines()
        auditor = Auditor(
            try AuditNames(settings),
            AuditLog(
                clock: { Timestamp(seconds: 1_700_000_000, milliseconds: 0) }, eventID: { "e1" },
                output: { kept.take(&$0) }), lostLines: { lostLines.count.withLock(\.self) })
        self.kept = kept
        self.lostLines = lostLines
    }

    /// The lines so far, without what each begins with.
    var written: [String] {
        kept.lines.withLock { lines in
            lines.map { line in
                let beginning = #"{"time":"2023-11-14T22:13:20.000Z","#
                return line.hasPrefix(beginning) ? "{" + line.dropFirst(beginning.utf8.count).dropLast() : line
            }
        }
    }

    /// The destination loses so many more.
    func lose(_ count: UInt64) { lostLines.count.withLock { $0 += count } }
}

private final class KeptLines: Sendable {
    let lines = Mutex<[String]>([])

    func take(_ line: inout LogLine) {
        let text = String(decoding: line.bytes, as: UTF8.self)
        lines.withLock { $0.append(text) }
    }
}

private final class LostLines: Sendable {
    let count = Mutex<UInt64>(0)
}
