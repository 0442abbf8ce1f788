import Access
import Gateway

/// `token.authorization_details` of a route: the rights that a token must grant (RFC 9396 §9.1).
enum AuthorizationDetailsSection {
    static let byMethod = EntriesShape(
        noun: "methods to lists of rights", name: PlainText.method, value: .list(rules(0...32)), count: 1...32)

    static func rules(_ count: ClosedRange<Int>) -> ListShape {
        ListShape(noun: "rights", element: .object(shape), count: count)
    }

    private static let table = SettingTable(
        "a right with type", defaults: AuthorizationDetailsRule(type: ""),
        [
            .value(
                "type", \.type, .text(PlainText.detail), .required, example: "orders",
                "The type of right; one element of that type must have all that is said here."
            ) { $0.text },
            .texts("actions", \.actions, list("actions"), example: "[read]", "Actions that it must allow."),
            .texts(
                "locations", \.locations, list("locations"), example: "[https://api.example.com/orders]",
                "Locations that it must cover."),
            .texts(
                "datatypes", \.dataTypes, list("datatypes"), example: "[addresses]",
                "Kinds of data that it must cover."),
            .texts(
                "privileges", \.privileges, list("privileges"), example: "[admin]", "Privileges that it must carry."),
            .text(
                "identifier", orNone: \.identifier, PlainText.detail, example: "orders-eu",
                "The one resource that it must be for."),
        ])
    private static let shape = table.shape

    private static func list(_ noun: String) -> Shape {
        .list(ListShape(noun: noun, element: .text(PlainText.detail), count: 1...32))
    }

    /// The rights of a list; none of a mapping by method, which `MethodsOfRoute` reads.
    @Sendable static func rules(_ value: CheckedValue) -> [AuthorizationDetailsRule] {
        (value.list ?? []).compactMap(\.object).map { object in
            var rule = AuthorizationDetailsRule(type: "")
            table.read(object, into: &rule)
            return rule
        }
    }
}
