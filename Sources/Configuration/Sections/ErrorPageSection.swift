/// `error_pages` of a route: which responses of its upstream people see a page of ours for.
enum ErrorPageSection {
    static let shape = ObjectShape(
        noun: "the pages of a route",
        keys: [
            KeyDescription(
                "upstream", .list(ListShape(noun: "statuses", element: .integer(400...599), count: 1...64)), .required,
                example: "[502, 503]",
                "Statuses of the upstream's responses, but 401, 407 and 426; programs get these responses all the same."
            )
        ])

    /// A response that says how to go on (RFC 9110 §15.5.2, §15.5.8, §15.5.22): in its place a page would be a dead end, and
    /// Basic, Negotiate and upgrades behind the route would stop for people alone.
    private static let wayOn: [Int: String] = [
        401: "WWW-Authenticate", 407: "Proxy-Authenticate", 426: "Upgrade",
    ]

    static func translate(_ route: CheckedObject, _ problems: ProblemList) -> Set<UInt16> {
        let statuses = route.object("error_pages")?.list("upstream") ?? []
        for value in statuses {
            guard case .integer(let status) = value.content, let field = wayOn[status] else { continue }
            problems.error(
                at: value.place, expected: "a status whose response may be replaced", found: "\(status)",
                remedy: "leave \(status) out: its response says in \(field) how to go on, and people's browsers need it"
            )
        }
        return Set(
            statuses.compactMap { value in
                if case .integer(let status) = value.content { UInt16(clamping: status) } else { nil }
            })
    }
}
