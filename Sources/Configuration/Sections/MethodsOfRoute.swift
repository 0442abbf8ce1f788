import Access
import Gateway

/// The methods of a route, which `methods` and the keys of `token.scopes`, `token.authorization_details` and
/// `login.scopes` say together.
///
/// A method that needs nothing only because nobody thought of it would be open to everybody: with scopes or details by
/// method, the methods are those that are named there, and `methods` may not name others. HEAD needs what GET needs
/// (RFC 9110 §9.3.2). Where scopes are by method of gRPC (H2-90), POST is the one method there is.
struct MethodsOfRoute {
    /// Nil allows every method.
    private(set) var allowed: [String]?
    private(set) var scopes: [String: [String]] = [:]
    private(set) var scopesByGRPCMethod: [String: [String]] = [:]
    private(set) var loginScopes: [String: [String]] = [:]
    private(set) var authorizationDetails: [String: [AuthorizationDetailsRule]] = [:]

    private typealias ByMethod = (section: String, key: String, entries: [CheckedEntry], place: Place)

    init(_ route: CheckedObject, _ problems: ProblemList) {
        let said = route.texts("methods")
        if route["methods"] != nil { allowed = said.map(\.text) }
        for (index, method) in said.enumerated() where said[..<index].contains(where: { $0.text == method.text }) {
            problems.error(
                at: method.place, expected: "each method once", found: "\(Quoted.text(method.text)) again",
                remedy: "keep one of them")
        }
        let token = route.object("token")
        let login = route.object("login")
        let grpc = GRPCMethodsOfRoute(route)
        let byMethod: [ByMethod] = [
            ("token", token, "scopes"), ("token", token, "authorization_details"), ("login", login, "scopes"),
        ].compactMap { section, object, key in
            guard let object, let entries = object[key]?.entries else { return nil }
            if section == "token", key == "scopes", !grpc.isEmpty { return nil }
            return (section, key, entries, object.place(of: key))
        }
        if !grpc.isEmpty {
            scopesByGRPCMethod = grpc.scopes
            grpc.judge(route, said, byMethod.flatMap(\.entries), problems)
            if !route.says("methods") { allowed = ["POST"] }
        } else if byMethod.isEmpty {
            return
        } else if !route.says("methods") {
            allowed = Self.named(in: byMethod)
        }
        for rules in byMethod {
            judge(rules, said, isSaid: route.says("methods"), problems)
        }
        let mayCopy = allowed?.contains("HEAD") ?? true
        scopes = Self.withHead(grpc.isEmpty ? token?["scopes"]?.entries : nil, mayCopy) { $0.texts.map(\.text) }
        loginScopes = Self.withHead(login?["scopes"]?.entries, mayCopy) { $0.texts.map(\.text) }
        authorizationDetails = Self.withHead(
            token?["authorization_details"]?.entries, mayCopy, AuthorizationDetailsSection.rules)
    }

    /// What the mappings name, in the order of the text, and HEAD wherever GET is.
    private static func named(in byMethod: [ByMethod]) -> [String] {
        var names: [String] = []
        for entry in byMethod.flatMap(\.entries) where !names.contains(entry.name) { names.append(entry.name) }
        if names.contains("GET"), !names.contains("HEAD") { names.append("HEAD") }
        return names
    }

    private static func withHead<Rule>(
        _ entries: [CheckedEntry]?, _ mayCopy: Bool, _ rules: (CheckedValue) -> [Rule]
    ) -> [String: [Rule]] {
        var result: [String: [Rule]] = [:]
        for entry in entries ?? [] { result[entry.name] = entry.value.map(rules) ?? [] }
        if mayCopy, result["HEAD"] == nil, let get = result["GET"] { result["HEAD"] = get }
        return result
    }

    private func judge(_ rules: ByMethod, _ said: [PlacedText], isSaid: Bool, _ problems: ProblemList) {
        let names = rules.entries.map(\.name)
        let covers = { (method: String) in names.contains(method) || method == "HEAD" && names.contains("GET") }
        for method in said where !covers(method.text) {
            problems.error(
                at: method.place, expected: "a method that \(rules.section).\(rules.key) names",
                found: Quoted.text(method.text),
                remedy: "add  \(method.text): [...]  to \(rules.key); an empty list asks for none")
        }
        guard isSaid else {
            for method in allowed ?? [] where !covers(method) {
                problems.error(
                    at: rules.place,
                    expected: "\(rules.key) for each method that scopes or authorization_details names",
                    found: "none for \(method)",
                    remedy: "add  \(method): [...]  to \(rules.key); an empty list asks for none")
            }
            return
        }
        for entry in rules.entries where !said.contains(where: { $0.text == entry.name }) {
            problems.error(
                at: entry.place, expected: "a method that the route's methods allow", found: Quoted.text(entry.name),
                remedy: "add it to methods, or leave it out here")
        }
    }
}
