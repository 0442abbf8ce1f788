import Access
import Gateway

/// The message, its route and its method.
extension Check {
    static let ofMessage =
        [
            message
        ]
        + rows(
            answered: [\.redirected],
            [
                Check(
                    .connectionOptions, "Connection", "RFC 9110 §7.6.1", of: .message, seen: .nothing,
                    wanted: "names no field that only the gateway sets", skipped: []),
                Check(
                    .connect, "no CONNECT", "RFC 9110 §9.3.6", of: .message, seen: .nothing,
                    wanted: "another method than CONNECT", skipped: []),
            ])
        + rows(
            answered: [\.redirected, \.forServer],
            [
                Check(
                    .authority, "Host", "RFC 9110 §7.4", of: .message,
                    seen: CheckWords {
                        let authority = $0.evidence.authority
                        return authority.isEmpty ? "none (HTTP/1.0)" : ShownText.quote(authority)
                    }, wanted: CheckWords { ShownText.list($0.listener.authorities + $0.settings.hosts.map(\.name)) },
                    skipped: []),
                Check(
                    .path, "path", "RFC 3986 §6.2.2", of: .message,
                    seen: CheckWords { ShownText.quote($0.evidence.path) }, wanted: "one reading for every server",
                    skipped: []),
            ])
        + rows(
            answered: [\.redirected], shown: { !$0.settings.logins.isEmpty },
            [
                Check(
                    .loginPath, "login, logout", "RFC 6749 §4.1", of: .message,
                    seen: CheckWords {
                        $0.evidence.ownAnswer == .login
                            ? $0.evidence.ownAnswerWords : ShownText.quote($0.evidence.path)
                    }, wanted: "a request that this step takes, and answers of the server that fit it",
                    skipped: [\.noLoginPath])
            ])
        + rows(
            answered: CheckFacts.answeredByPath,
            [
                Check(
                    .route, "route", "RFC 9110 §15.5.5", of: .message,
                    seen: CheckWords { facts in
                        facts.evidence.route.map { facts.names.describe(route: $0) } ?? "no route for this path"
                    }, wanted: CheckWords { "one of \($0.settings.routes.count) paths of routes" }, skipped: [])
            ])
        + rows(answered: CheckFacts.answeredByPath, shown: { $0.countsAddresses }, [addressRate])
        + rows(
            answered: CheckFacts.answeredByPath,
            [
                Check(
                    .method, "method", "RFC 9110 §15.5.6", of: .route,
                    seen: CheckWords(\.seenMethod), wanted: CheckWords(\.wantedMethod),
                    skipped: []),
                Check(
                    .origin, "Origin",
                    CheckWords { $0.evidence.asksForMethod ? "Fetch, CORS protocol" : "RFC 6454 §7" }, of: .route,
                    seen: CheckWords { ShownText.list($0.evidence.origins) }, wanted: CheckWords(\.wantedOrigin),
                    skipped: [\.noOrigin]),
            ])
        + rows(
            answered: CheckFacts.answeredByRoute, shown: { $0.evidence.offersWebSocket },
            [
                webSocket
            ])

    private static let message = Check(
        .message, "HTTP message", CheckWords { $0.evidence.isHTTP2 ? "RFC 9113 §8.2, §8.3" : "RFC 9112 §2-§6" },
        of: .message, seen: CheckWords(\.seenMessage), wanted: "a head that every reader reads alike, within limits",
        skipped: [])

    /// By HTTP/2 the key is the gateway's own.
    private static let webSocket = Check(
        .webSocket, "WebSocket", CheckWords { $0.evidence.isHTTP2 ? "RFC 8441 §5" : "RFC 6455 §4.2.1" }, of: .route,
        seen: CheckWords { $0.evidence.isHTTP2 ? "an extended CONNECT" : "a handshake" },
        wanted: CheckWords { facts in
            facts.evidence.isHTTP2
                ? ":protocol websocket, and Sec-WebSocket-Version: 13 where there is one"
                : "one Sec-WebSocket-Key of 16 bytes in base64, and Sec-WebSocket-Version: 13"
        }, skipped: [\.noWebSocket])

    /// The credentials, as far as they are looked at before the token.
    static let ofCredentials = rows(
        answered: CheckFacts.answeredByRoute, skipped: [\.sessionLookedFor, \.publicRoute],
        [
            Check(
                .credentials, "credentials", "RFC 6750 §2.1", of: .route, seen: CheckWords(\.seenCredentials),
                wanted: "one Authorization field: a scheme and a token", skipped: []),
            Check(
                .scheme, "scheme", "RFC 9110 §11.4", of: .route, seen: CheckWords(\.seenScheme),
                wanted: CheckWords { ShownText.words($0.schemes) }, skipped: []),
            Check(
                .queryToken, "no token in the query", "RFC 6750 §2.3", of: .route,
                seen: CheckWords { $0.evidence.hasTokenInQuery ? "access_token in the query" : "none" },
                wanted: "the token in the Authorization field alone",
                skipped: [{ $0.policy?.queryToken == .ignore ? "token.query_token is ignore" : nil }]),
        ])
}

extension CheckFacts {
    fileprivate var seenMessage: String {
        guard !evidence.method.isEmpty else { return "no request that could be read" }
        return
            "\(ShownText.plain(evidence.method)) \(ShownText.plain(evidence.target)), \(evidence.fieldCount) fields"
    }

    fileprivate var noLoginPath: String? {
        switch evidence.ownAnswer {
        case .login: nil
        case .document: "the path is that of a document"
        case .none, .options, .preflight, .redirect, .route: "the path is not the gateway's own"
        }
    }

    /// With the path that is the method's name, where the route names methods of gRPC.
    fileprivate var seenMethod: String {
        let method = opensTunnel ? "an extended CONNECT" : ShownText.plain(evidence.method)
        return grpcMethods.isEmpty ? method : "\(method) \(ShownText.quote(evidence.path))"
    }

    var wantedMethod: String {
        if evidence.asksForMethod, route?.cors != .upstream { return "any: a preflight asks for another" }
        let allowed = route.map { MethodSet.of($0).allow } ?? "a method of the route"
        return grpcMethods.isEmpty ? allowed : "\(allowed) of one of \(ShownText.list(grpcMethods))"
    }

    /// Whether it is a WebSocket's opening over HTTP/2, which is a GET to the judgement.
    var opensTunnel: Bool { evidence.isHTTP2 && evidence.offersWebSocket }

    /// The methods of gRPC that the route names.
    var grpcMethods: [String] { route?.access.token?.rights.scopesByGRPCMethod.keys.sorted() ?? [] }

    fileprivate var wantedOrigin: String {
        guard evidence.asksForMethod else { return ShownText.list(route?.allowedOrigins ?? []) }
        return route.map { $0.cors.words } ?? ""
    }

    fileprivate var noOrigin: String? {
        guard let route, !evidence.asksForMethod else { return nil }
        if route.allowedOrigins == nil { return "the route names no allowed_origins" }
        return evidence.origins.isEmpty ? "the request has no Origin" : nil
    }

    fileprivate var noWebSocket: String? {
        guard route?.webSocket != true else { return nil }
        return evidence.isHTTP2
            ? "the route has no websocket: true" : "the route has no websocket: true, so \(Explanation.goesOnAsGET)"
    }

    fileprivate var seenCredentials: String {
        switch evidence.authorization {
        case .none: "no Authorization field"
        case .lines(let count): "\(count) Authorization fields"
        case .list: "an Authorization field with a comma"
        case .malformed(let scheme):
            scheme.map { "\($0) and something that is no token" } ?? "an unreadable Authorization field"
        case .tokenWithoutScheme, .other, .bearer, .dpop: "one Authorization field"
        }
    }

    var seenScheme: String {
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

    fileprivate var sessionLookedFor: String? {
        guard usesSession else { return nil }
        return route?.access.token == nil
            ? "the route takes browsers' sessions alone" : "no Authorization field: a session is looked for"
    }

    fileprivate var publicRoute: String? { policy == nil ? "the route is public" : nil }
}
