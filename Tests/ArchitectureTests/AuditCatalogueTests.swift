import Foundation
import TestTraits
import Testing

/// The words of the audit log: in the code, in the catalogue, and in the schema that is published.
@Suite struct `the words of the audit log` {
    private static let events = CatalogueWord.words(
        ofEnum: "AuditEvent", in: "Sources/Telemetry/Audit/AuditEvent.swift")
    private static let members = CatalogueWord.words(
        ofEnum: "AuditFieldName", in: "Sources/Telemetry/Audit/AuditEvent.swift")
    private static let signals = CatalogueWord.words(ofEnum: "SessionSignal", in: "Sources/Login/LoginAudit.swift")

    @Test(.holds("ECO-57")) func `are explained, each of them and no other`() {
        for (words, heading, least) in [
            (Self.events, "Events of the audit log", 12), (Self.members, "Members of the audit log", 20),
            (Self.signals, "Signals that end a session", 10),
        ] {
            let documented = CatalogueWord.documented(in: "Audit.md", below: heading)
            #expect(words.count >= least, "the reader of words found next to nothing: it is broken")
            #expect(Set(words.map(\.written)) == Set(documented), "\(heading)")
        }
    }

    private struct Schema: Decodable {
        struct Property: Decodable {
            let `enum`: [String]?
        }
        let properties: [String: Property]
    }

    @Test(.holds("ECO-57")) func `are in the schema, each of them and no other`() throws {
        let file = SourceTree.root.appendingPathComponent("deploy/observability/audit.schema.json")
        let schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: file))
        #expect(
            Set(schema.properties.keys) == Set(Self.members.map(\.written)).union(["time", "event", "event_id"]))
        #expect(Set(schema.properties["event"]?.enum ?? []) == Set(Self.events.map(\.written)))
        let text = try String(contentsOf: file, encoding: .utf8)
        for signal in Self.signals { #expect(text.contains("\"\(signal.written)\""), "\(signal)") }
        let prints = Self.nested("Kind", in: "Sources/Gateway/Audit/KeyPrints.swift")
        #expect(prints.count >= 7)
        #expect(Set(schema.properties["key"]?.enum ?? []) == Set(prints).union(["issuer_keys"]))
    }

    /// The words of an enum within another type.
    private static func nested(_ type: String, in path: String) -> [String] {
        guard let text = SourceTree.file(path)?.text, let start = text.range(of: "enum \(type): ") else { return [] }
        let body = text[start.upperBound...].components(separatedBy: "\n    }\n")[0]
        return body.matches(of: #/case \w+ = "([^"]+)"/#).map { String($0.1) }
    }
}
