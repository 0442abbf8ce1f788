import Foundation
import Testing
import TestSupport

/// The audit log of a gateway, in a file of its folder.
struct AuditTrail {
    let path: String

    /// What a configuration says for such a log; its key is among `files`.
    static let settings =
        "audit: { destination: $FOLDER/audit.log, subject: hashed, subject_key: { file: $FOLDER/audit.key } }"
    static let files = ["audit.key": "the key of the digests of the audit log"]

    init(_ gateway: GatewayProcess) { path = gateway.folder + "/audit.log" }

    /// Everything that was written so far.
    var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    /// The lines so far; one that is no JSON counts as none, which `expectValid` finds.
    var lines: [LogLine] { text.split(separator: "\n").compactMap { LogLine(String($0)) } }

    /// The lines of one event.
    func lines(of event: String) -> [LogLine] { lines.filter { $0["event"] == event } }

    /// The first line that fulfils a condition, waited for.
    func line(_ event: String, where predicate: (LogLine) -> Bool = { _ in true }) throws -> LogLine {
        var found: LogLine?
        _ = eventually {
            found = lines(of: event).first(where: predicate)
            return found != nil
        }
        return try #require(found, "no \(event) in:\n\(text)")
    }

    /// Holds each line against the schema that is published, by Debian's own reader of schemas.
    func expectValid(at location: SourceLocation = #_sourceLocation) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Observability/audit_lines.py").path
        let check = try ChildProcess("/usr/bin/python3", [script, path])
        let said = try #require(check.outputToItsEnd(), sourceLocation: location)
        #expect(
            check.waitForEnd() == .exited(0), "\((said + check.errors.now).joined(separator: "\n"))",
            sourceLocation: location)
    }
}

/// Ids that a line of the audit log shares with those of the other logs.
func expectNames(
    _ line: LogLine, of response: WireResponse, generation: Int = 1, at location: SourceLocation = #_sourceLocation
) {
    let id = response.fields.only("x-request-id") ?? "none"
    #expect(line["request_id"] == id, "\(line.raw)", sourceLocation: location)
    #expect(line["decision_id"] == "\(generation)-\(id.prefix(16))", "\(line.raw)", sourceLocation: location)
    #expect(line["source_address"] == "127.0.0.1", "\(line.raw)", sourceLocation: location)
}
