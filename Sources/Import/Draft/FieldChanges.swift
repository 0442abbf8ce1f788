import Configuration

/// Fields that an upstream or clients get whatever is sent, as `request_fields` and `response_fields` of a route.
struct FieldChanges: Sendable {
    /// What became of a change.
    enum Fate {
        case carried
        /// Its value could be a secret, and is not printed.
        case concealed
        /// The gateway decides about that field.
        case refused
    }

    private static let mostFields = 32

    /// Why a claim that clients are told is not carried.
    static let ofUser = "say response_fields, with { claim: NAME } for what clients are told of themselves"

    let kind: AcceptedText.Kind
    private var values: [(name: String, value: String)] = []
    private var removed: [String] = []

    init(_ kind: AcceptedText.Kind) { self.kind = kind }

    /// Sets a field.
    ///
    /// What clients get is no secret; what an upstream alone gets is printed where it is none without doubt.
    mutating func set(_ name: String, to value: String) -> Fate {
        guard AcceptedText.isGood(name, for: kind), AcceptedText.isGood(value, for: .fieldValue), hasRoom(name) else {
            return .refused
        }
        if kind == .requestField, !PlainValue.isNoSecret(value, of: name) { return .concealed }
        values.append((name, value))
        return .carried
    }

    /// Removes a field.
    mutating func remove(_ name: String) -> Fate {
        guard AcceptedText.isGood(name, for: kind), hasRoom(name) else { return .refused }
        removed.append(name)
        return .carried
    }

    private func hasRoom(_ name: String) -> Bool {
        let isThere = (values.map(\.name) + removed).contains {
            IdentityFields.folded($0) == IdentityFields.folded(name)
        }
        return !isThere && values.count < Self.mostFields && removed.count < Self.mostFields
    }

    /// The key with its value; nil where nothing is changed but what the others are called.
    func text(without others: Set<String>) -> String? {
        let own = values.filter { !others.contains(IdentityFields.folded($0.name)) }
        let gone = removed.filter { !others.contains(IdentityFields.folded($0)) }
        var parts: [String] = []
        if !own.isEmpty {
            let texts = own.map { "\(YAMLText.scalar($0.name)): \(YAMLText.scalar($0.value))" }
            parts.append("set: { \(texts.joined(separator: ", ")) }")
        }
        if !gone.isEmpty { parts.append("remove: \(YAMLText.list(gone))") }
        let key = kind == .requestField ? "request_fields" : "response_fields"
        return parts.isEmpty ? nil : "\(key): { \(parts.joined(separator: ", ")) }"
    }
}

/// Values of fields that are no credential without doubt.
enum PlainValue {
    private static let suspects = [
        "key", "token", "secret", "auth", "pass", "cookie", "cred", "sign", "session", "jwt", "cert", "pin", "verify",
        "shared", "hash", "origin", "access", "bearer", "login", "user",
    ]

    /// Whether a value is a few words or numbers, of a field whose name says nothing of credentials.
    static func isNoSecret(_ value: String, of name: String) -> Bool {
        let lower = name.lowercased()
        guard value.utf8.count <= 64, !suspects.contains(where: { lower.firstRange(of: $0) != nil }) else {
            return false
        }
        let runs = value.utf8.split { !(isLetter($0) || isDigit($0)) }
        return runs.allSatisfy { run in
            let digits = run.count(where: isDigit)
            // v1 and h2 are words; what mixes more, or is longer, may be anything.
            if digits > 0, digits < run.count { return run.count <= 4 }
            return digits > 0 ? run.count <= 6 : run.count <= 20
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
