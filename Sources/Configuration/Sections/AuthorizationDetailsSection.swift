import Access
import Gateway

/// `token.authorization_details` of a route: the rights that a token must grant (RFC 9396 §9.1).
enum AuthorizationDetailsSection {
    static let byMethod = EntriesShape(
        noun: "methods to lists of rights", name: PlainText.method, value: .list(rules(0...32)), count: 1...32)

    static func rules(_ count: ClosedRange<Int>) -> ListShape {
        ListShape(noun: "rights", element: .object(shape), count: count)
    }

    private static let shape = ObjectShape(
        noun: "a right with type",
        keys: [
            KeyDescription(
                "type", .text(PlainText.detail), .required, example: "orders",
                "The type of right; one element of that type must have all that is said here."),
            list("actions", "[read]", "Actions that it must allow."),
            list("locations", "[https://api.example.com/orders]", "Locations that it must cover."),
            list("datatypes", "[addresses]", "Kinds of data that it must cover."),
            list("privileges", "[admin]", "Privileges that it must carry."),
            KeyDescription(
                "identifier", .text(PlainText.detail), .optional, example: "orders-eu",
                "The one resource that it must be for."),
        ])

    private static func list(_ name: String, _ example: String, _ sentence: String) -> KeyDescription {
        KeyDescription(
            name, .list(ListShape(noun: name, element: .text(PlainText.detail), count: 1...32)), .optional,
            example: example, sentence)
    }

    /// The rights of a list; none of a mapping by method, which `MethodsOfRoute` reads.
    static func rules(_ value: CheckedValue?) -> [AuthorizationDetailsRule] {
        (value?.list ?? []).compactMap(\.object).compactMap { object in
            object.text("type").map { type in
                AuthorizationDetailsRule(
                    type: type.text, actions: object.texts("actions").map(\.text),
                    locations: object.texts("locations").map(\.text),
                    dataTypes: object.texts("datatypes").map(\.text),
                    privileges: object.texts("privileges").map(\.text), identifier: object.text("identifier")?.text)
            }
        }
    }
}
