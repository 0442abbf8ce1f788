import Access

/// The message, its route and its credentials.
extension CheckFacts {
    func seenInRequest(_ check: ExplainedCheck) -> String? {
        switch check {
        case .message:
            evidence.method.isEmpty
                ? "no request that could be read"
                : "\(ShownText.plain(evidence.method)) \(ShownText.plain(evidence.target)), \(evidence.fieldCount) fields"
        case .authority: evidence.authority.isEmpty ? "none (HTTP/1.0)" : ShownText.quote(evidence.authority)
        case .path: ShownText.quote(evidence.path)
        case .route: evidence.route.map { names.describe(route: $0) } ?? "no route for this path"
        case .method: ShownText.plain(evidence.method)
        case .origin: ShownText.list(evidence.origins)
        case .webSocket: "a handshake"
        case .credentials: seenCredentials
        case .scheme: seenScheme
        case .queryToken: evidence.hasTokenInQuery ? "access_token in the query" : "none"
        case .connectionOptions, .connect: ""
        default: nil
        }
    }

    private var seenCredentials: String {
        switch evidence.authorization {
        case .none: "no Authorization field"
        case .lines(let count): "\(count) Authorization fields"
        case .list: "an Authorization field with a comma"
        case .malformed(let scheme):
            scheme.map { "\($0) and something that is no token" } ?? "an unreadable Authorization field"
        case .tokenWithoutScheme, .other, .bearer, .dpop: "one Authorization field"
        }
    }

    private var seenScheme: String {
        switch evidence.authorization {
        case .bearer: "Bearer"
        case .dpop: "DPoP"
        case .other(let scheme): ShownText.plain(scheme)
        case .tokenWithoutScheme: "none: the field begins with what looks like the token"
        case .none, .lines, .list, .malformed: "none"
        }
    }

    /// Schemes that the route takes.
    var schemes: [String] { (policy?.schemes ?? []).map { $0 == .dpop ? "DPoP" : "Bearer" } }

    func wantedOfRequest(_ check: ExplainedCheck) -> String? {
        switch check {
        case .message: "a head that every reader reads alike, within limits"
        case .connectionOptions: "names no field that only the gateway sets"
        case .connect: "another method than CONNECT"
        case .authority: ShownText.list(listener.authorities)
        case .path: "one reading for every server"
        case .route: "one of \(settings.routes.count) paths of routes"
        case .method:
            evidence.asksForMethod && route?.cors != .upstream
                ? "any: a preflight asks for another" : route.map { MethodSet.of($0).allow } ?? "a method of the route"
        case .origin:
            evidence.asksForMethod
                ? route.map { $0.cors.words } ?? "" : ShownText.list(route?.allowedOrigins ?? [])
        case .webSocket: "one Sec-WebSocket-Key of 16 bytes in base64, and Sec-WebSocket-Version: 13"
        case .credentials: "one Authorization field: a scheme and a token"
        case .scheme: ShownText.words(schemes)
        case .queryToken: "the token in the Authorization field alone"
        default: nil
        }
    }
}
