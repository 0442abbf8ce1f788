import Access
import Gateway

/// The message, its route and its credentials.
extension CheckFacts {
    var malformedMessage: Remedy {
        guard !evidence.isHTTP2 else { return malformedStream }
        return Remedy(
            "This is not a message that every reader reads alike: \(ShownText.plain(found)).",
            .client(
                "send one Host, one of Content-Length and Transfer-Encoding, CR LF at line ends, no folding"),
            .front("let the proxy send HTTP/1.1 as RFC 9112 has it, and not pass broken requests on"))
    }

    private var malformedStream: Remedy {
        Remedy(
            "This is not a message that every reader reads alike: \(ShownText.plain(found)).",
            .client(
                "send one of each pseudo field, before all others, names in lower case, and no field of a connection"),
            .front("let the proxy take the fields of a connection away where it goes from HTTP/1.1 to HTTP/2"))
    }

    var reservedConnectionOption: Remedy {
        Remedy(
            "Connection names a field that only the gateway may touch: \(ShownText.plain(found)).",
            .client("name only close, keep-alive, upgrade and hop-by-hop fields in Connection"))
    }

    var plainHTTP: Remedy {
        Remedy(
            "The request came over plain HTTP, where https is spoken (\(ShownText.plain(found))).",
            [.client("use the https URL")]
                + (listener.redirectsToHTTPS
                    ? []
                    : [
                        .configuration(
                            "a listener with redirect_to_https on the plain port sends GET and HEAD there")
                    ]))
    }

    var loopDetected: Remedy {
        Remedy(
            "This gateway's own name is in Via: the request went through it before (\(ShownText.plain(found))).",
            .configuration("\(routeKey).upstream: an address that does not lead back to this gateway"),
            .front("let the proxy not send requests of the upstream here again"),
            .configuration("via: a name of its own for each gateway, if the request came through another one"))
    }

    var callTimeoutMalformed: Remedy {
        Remedy(
            "grpc-timeout is no time: \(ShownText.plain(found)).",
            .client("send it once, as at most eight digits and one of H, M, S, m, u and n, such as 1500m"))
    }

    var callTimedOut: Remedy {
        Remedy(
            "The call's grpc-timeout was over before it was known whether it may pass: \(ShownText.plain(found)).",
            .client("give the call more time"),
            .machine("see why what it waited for takes so long: the issuer or the store, and the way there"))
    }

    var connectRefused: Remedy {
        Remedy("CONNECT asks for a tunnel; this is no forward proxy.", .client("call the API's own URL"))
    }

    var tunnelProtocolUnknown: Remedy {
        Remedy(
            "The CONNECT asks for another protocol in its stream than a WebSocket, the only one that there is here.",
            .client("send  :protocol: websocket  or call the URL without CONNECT"))
    }

    var serverNameDisagrees: Remedy {
        Remedy(
            "The TLS handshake named another server than Host does.",
            .client("use one name for both, and no connection of one name for another"))
    }

    var pathMatchesTwoRoutes: Remedy {
        Remedy(
            "The path is one route's or another's, depending on who reads it (\(ShownText.plain(found))).",
            .client("send the path as the route spells it, without doubled slashes or characters in doubt"))
    }

    var webSocketOfferMalformed: Remedy {
        Remedy(
            "This asks for a WebSocket in a way that no WebSocket client does: \(ShownText.plain(found)).",
            .client("send one Sec-WebSocket-Key of 16 random bytes in base64, and one Sec-WebSocket-Version"),
            .front("let the proxy pass Sec-WebSocket-Key and Sec-WebSocket-Version on as they come"))
    }

    var webSocketVersionUnknown: Remedy {
        Remedy(
            "This asks for another version of WebSocket than 13, the only one that was ever finished.",
            .client("use a client of RFC 6455, which sends Sec-WebSocket-Version: 13"))
    }

    var originNotAllowed: Remedy {
        if evidence.asksForMethod { return preflightNotAllowed }
        return Remedy(
            "A browser sent this from \(ShownText.list(evidence.origins)), which the route does not allow.",
            .configuration(
                "\(routeKey).allowed_origins", yaml((route?.allowedOrigins ?? []) + evidence.origins),
                "if that site may call it"))
    }

    var credentialsRepeated: Remedy {
        Remedy(
            "The request has more than one set of credentials, and readers would not agree which counts.",
            .client("send exactly one Authorization field with one token"),
            .front("let the proxy replace Authorization where it sets one, not add a second"))
    }

    var credentialsMalformed: Remedy {
        Remedy(
            "The Authorization field is not a scheme, a space and a token.",
            .client("send  Authorization: Bearer TOKEN  without quotation marks, line breaks or a second word"),
            .client("look whether the variable that holds the token was empty"))
    }

    var credentialsInQueryToo: Remedy {
        Remedy(
            "The token came in the Authorization field, and access_token is in the query as well.",
            .client("take access_token out of the query: URLs end up in logs (RFC 6750 §5.3)"),
            .configuration("\(routeKey).token.query_token", "ignore", "if that parameter is no token"))
    }

    var pathBehindExactRoute: Remedy {
        let exact = settings.routes.map(\.path)
            .filter { !$0.hasSuffix("/") && SegmentedPath($0 + "/").fits(evidence.path) }
            .max { $0.utf8.count < $1.utf8.count }
        let path = exact ?? "the path of an exact route"
        return Remedy(
            "A server may take this for \(path) with an argument, and the route above it lets through what that refuses.",
            .client("call \(path) itself"),
            .configuration(
                "routes: one with the path \(path)/ for what is there, or a longer one; it says who may pass"))
    }

    private var preflightNotAllowed: Remedy {
        var origins = evidence.origins
        if case .rules(let rules)? = route?.cors { origins = (rules.origins ?? []) + origins }
        return Remedy(
            "A browser asks for a script of \(ShownText.list(evidence.origins)), which the route does not allow.",
            .configuration(
                "\(routeKey).cors", "{ origins: \(yaml(origins)) }", "if that site's scripts may call it"),
            .configuration("\(routeKey).cors", "upstream", "if the upstream knows who may"))
    }

    /// What was expected names the limit that was met, and its key.
    var headerSectionTooLarge: Remedy {
        let key = ["field_count", "field_line", "header_section", "request_line"]
            .first { expected.contains("limits.\($0)") }
        let (diagnosis, advice) =
            switch key {
            case "field_count": ("The request has more header fields than this gateway reads", "send fewer fields")
            case "field_line":
                ("One header field is longer than this gateway reads", "shorten it; large cookies are the usual reason")
            case "request_line": ("The URL is longer than this gateway reads", "send what is in the query as a form")
            case _:
                (
                    "The request's head is larger than this gateway reads",
                    "send fewer or shorter fields; large cookies are the usual reason"
                )
            }
        return Remedy(
            "\(diagnosis): \(ShownText.plain(expected)).",
            .client(advice),
            .configuration(
                key.map { "limits.\($0): \($0 == "field_count" ? "more" : "a larger size")" }
                    ?? "limits.header_section, limits.field_line, limits.request_line: larger sizes"))
    }

    var authorityUnknown: Remedy {
        let host = evidence.authority.lowercased()
        return Remedy(
            "Host says \(ShownText.quote(host)), which is no name of \(listenerKey) (\(listener.publicURL)).",
            .client("call \(listener.publicURL)"),
            .front("pass the client's Host on unchanged (nginx: proxy_set_header Host $http_host)"),
            .configuration(
                "\(listenerKey).hosts", yaml(Array(listener.authorities.dropFirst()) + [host]),
                "if clients really use this name"))
    }

    var pathAmbiguous: Remedy {
        let allowances = [
            "encoded slash": "encoded_slash", "backslash": "backslash", "double encoding": "double_encoding",
            "semicolon": "semicolon", "non ASCII": "non_ascii", "nonASCII": "non_ascii",
        ]
        var steps = [Remedy.Step.client("send the path in its plain spelling")]
        if let key = allowances[found] {
            steps.append(
                .configuration(
                    "\(routeKey).allow_in_path", "[\(key)]", "if the upstream needs it and reads it as you do"))
        }
        return Remedy("Two servers may read this path differently: \(ShownText.plain(found)).", steps)
    }

    var routeUnknown: Remedy {
        let path = evidence.path
        for (index, route) in settings.routes.enumerated() where !route.path.hasSuffix("/") {
            guard SegmentedPath(route.path + "/").fits(path), !SegmentedPath(route.path).fits(path) else { continue }
            return Remedy(
                "\(names.route(index)) has the path \(ShownText.quote(route.path)), which is that path alone: what lies below it needs a slash at the end.",
                .configuration("\(names.route(index)).path", ShownText.quote(route.path + "/")))
        }
        for (index, route) in settings.routes.enumerated() {
            guard let second = route.path.dropFirst().firstIndex(of: "/") else { continue }
            let rest = String(route.path[second...])
            guard rest.count > 1, path.hasPrefix(rest) else { continue }
            return Remedy(
                "The path looks like that of \(names.describe(route: index)) without its first segment.",
                .front("do not take the prefix away: the gateway matches the path that clients see"),
                .configuration(
                    "\(names.route(index)).path", ShownText.quote(rest), "if the prefix is taken away on purpose"))
        }
        return Remedy(
            "No route has this path.",
            .client("call one of \(ShownText.list(settings.routes.map(\.path)))"),
            .configuration("add a route with path \(ShownText.quote(path)); what no route names is answered 404"))
    }

    var methodNotAllowed: Remedy {
        let method = evidence.method
        guard !opensTunnel || route?.webSocket == true else {
            return Remedy(
                "The route lets no WebSocket through, and by HTTP/2 its opening is no GET that could go on as one.",
                .configuration("\(routeKey).websocket", "true", "if it may be opened"))
        }
        if method != method.uppercased() {
            return Remedy(
                "Methods are case-sensitive: \(ShownText.quote(method)) is not \(method.uppercased()).",
                .client("send \(method.uppercased())"))
        }
        var steps = [Remedy.Step.client("use one of the methods allowed: \(wantedMethod)")]
        if let rights, !rights.scopesByMethod.isEmpty {
            // Those methods are the route's, whether it names them once more or not.
            steps.append(
                .configuration(
                    "\(routeKey).\(usesSession ? "login" : "token").scopes", "{ \(method): [a scope] }",
                    "if it may be called so, say beside the others what it needs; "
                        + "and in methods, where the route has that"))
        } else {
            steps.append(
                .configuration(
                    "\(routeKey).methods", "[\(MethodSet.of(route ?? settings.routes[0]).allow), \(method)]",
                    "if it may be called so"))
        }
        return Remedy("The route does not take \(method).", steps)
    }

    var grpcMethodNotAllowed: Remedy {
        let path = evidence.path
        if let name = grpcMethods.first(where: { $0 != path && $0.lowercased() == path.lowercased() }) {
            return Remedy(
                "Methods of gRPC are case-sensitive: \(ShownText.quote(path)) is not \(name).",
                .client("call \(name)"))
        }
        return Remedy(
            "The route gives scopes by method of gRPC, and names none for \(ShownText.quote(path)).",
            .client("call one of \(ShownText.list(grpcMethods))"),
            .configuration(
                "\(routeKey).token.scopes", "{ \(ShownText.plain(path)): [a scope] }",
                "if it may be called, say beside the others what it needs"))
    }

    var credentialsMissing: Remedy {
        if evidence.hasTokenInQuery {
            return Remedy(
                "The token is in the query, which is never looked at, and there is no Authorization field.",
                .client("send it as  Authorization: Bearer TOKEN  (RFC 6750 §2.1)"))
        }
        let scheme = schemes.first ?? "Bearer"
        return Remedy(
            "The request has no Authorization field.",
            .client(
                "send  Authorization: \(scheme) TOKEN; HTTP clients drop it when they follow a redirect to another host"
            ),
            .front("pass Authorization on; some proxies and CGI servers take it out"),
            .configuration("\(routeKey).public", "true, and leave token out", "if nobody needs a token here"))
    }

    var schemeNotEnabled: Remedy {
        switch evidence.authorization {
        case .dpop:
            return Remedy(
                "The token came with the scheme DPoP, which this route does not take.",
                .configuration(
                    "\(routeKey).token.schemes", "[DPoP, Bearer]", "if its clients prove possession of a key"),
                .client("send a token that is bound to no key as  Authorization: Bearer TOKEN"))
        case .bearer:
            return Remedy(
                "The token came with the scheme Bearer, and this route takes \(ShownText.words(schemes)).",
                .client(
                    "ask for a token that is bound to a key, and send  Authorization: DPoP TOKEN  with a proof in the field DPoP"
                ),
                .configuration("\(routeKey).token.schemes", "[DPoP, Bearer]", "if bearer tokens may pass as well"))
        case .tokenWithoutScheme:
            return Remedy(
                "The Authorization field begins with something as long as a token: the scheme before it is missing.",
                .client("send  Authorization: \(schemes.first ?? "Bearer") TOKEN"))
        default:
            return Remedy(
                "The credentials are of the scheme \(seenScheme), which is not one of this route's.",
                .client(
                    "get an access token from \(ShownText.words(policy?.issuers ?? [])) and send  Authorization: \(schemes.first ?? "Bearer") TOKEN"
                ))
        }
    }
}
