/// A right that `authorization_details` must grant (RFC 9396 §9.1): one member of that type with all of this.
package struct AuthorizationDetailsRule: Sendable, Hashable {
    /// The member's `type`.
    package var type: String
    /// All of these must be among its `actions`.
    package var actions: [String]
    /// All of these must be among its `locations`.
    package var locations: [String]
    /// All of these must be among its `datatypes`.
    package var dataTypes: [String]
    /// All of these must be among its `privileges`.
    package var privileges: [String]
    /// Its `identifier`; nil takes any.
    package var identifier: String?

    /// A right of this type, with nothing more where nothing more is said.
    package init(
        type: String, actions: [String] = [], locations: [String] = [], dataTypes: [String] = [],
        privileges: [String] = [], identifier: String? = nil
    ) {
        self.type = type
        self.actions = actions
        self.locations = locations
        self.dataTypes = dataTypes
        self.privileges = privileges
        self.identifier = identifier
    }

    /// As the operator's log shows it.
    package var text: String {
        var parts = ["type \(type)"]
        for (name, values) in [
            ("actions", actions), ("locations", locations), ("datatypes", dataTypes), ("privileges", privileges),
        ] where !values.isEmpty { parts.append("\(name) [\(values.joined(separator: ", "))]") }
        if let identifier { parts.append("identifier \(identifier)") }
        return parts.joined(separator: " ")
    }
}
