import JSON

/// The `authorization_details` of a verified token, from its claims or from an introspection response (RFC 9396 §9).
enum AuthorizationDetails {
    /// Whether the claim is missing, or an array of objects with a `type` each (RFC 9396 §2).
    static func areWellFormed(in claims: JSONValue) -> Bool {
        guard let details = claims["authorization_details"] else { return true }
        guard details.kind == .array else { return false }
        return details.elements.allSatisfy { $0["type"]?.string != nil }
    }

    /// Whether one member grants everything that `rule` names.
    ///
    /// One alone: what two members grant apart is not granted together, for each may be limited in its own way. A
    /// member of an unknown type grants nothing, nor does a list that holds anything but strings.
    static func grant(_ rule: AuthorizationDetailsRule, in claims: JSONValue) -> Bool {
        guard let details = claims["authorization_details"], details.kind == .array else { return false }
        return details.elements.contains { member in
            guard member["type"]?.equals(rule.type) == true else { return false }
            if let identifier = rule.identifier, member["identifier"]?.equals(identifier) != true { return false }
            return names(rule.actions, in: member["actions"]) && names(rule.locations, in: member["locations"])
                && names(rule.dataTypes, in: member["datatypes"]) && names(rule.privileges, in: member["privileges"])
        }
    }

    /// Whether a member's list names all that is wanted, byte for byte.
    private static func names(_ wanted: [String], in list: JSONValue?) -> Bool {
        guard !wanted.isEmpty else { return true }
        guard let list, list.kind == .array else { return false }
        let elements = list.elements
        guard elements.allSatisfy({ $0.kind == .string }) else { return false }
        return wanted.allSatisfy { text in elements.contains { $0.equals(text) } }
    }
}
