internal import Foundation

/// One JSON line of a log of the gateway.
package struct LogLine: Sendable {
    /// The line as written.
    package let raw: String
    private let members: [String: String]

    /// Nil when the line is no JSON object.
    package init?(_ line: String) {
        let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let object = value as? [String: Any] else { return nil }
        raw = line
        members = object.mapValues { "\($0)" }
    }

    /// A member's value as text; nil when it is absent.
    package subscript(_ name: String) -> String? { members[name] }

    /// Names of all members.
    package var names: Set<String> { Set(members.keys) }
}
