import Access
import Bytes
import Gateway
import Issuers
import JOSE
import JSON
import Login
import OAuth

/// What the token allows.
extension CheckFacts {
    var authorizationDetailsInsufficient: Remedy {
        Remedy(
            "The token's authorization_details do not grant what \(evidence.method) needs here.",
            .client("ask with authorization_details: \(wantedDetails)"),
            .server("put what was granted into the token, as RFC 9396 §9.1 has it"))
    }

    var authenticationInsufficient: Remedy {
        if usesSession { return sessionInsufficient }
        return Remedy(
            lessThanWanted,
            .client(
                "send the user to the authorization server again with acr_values=\((rights?.acrValues ?? []).joined(separator: " ")) (RFC 9470 §4)"
            ), .server("put acr into access tokens (RFC 9068 §2.2.1)"))
    }

    var lessThanWanted: String {
        "The user signed in less strongly than this route wants: acr \(ShownText.json(claims?["acr"]))."
    }

    var authenticationTooOld: Remedy {
        if usesSession { return sessionTooOld }
        return Remedy(
            "The user signed in too long ago, or the token does not say when: auth_time \(seenTime("auth_time", in: claims)).",
            .client(
                "send the user to the authorization server again with max_age=\(rights?.maximumAge?.wholeSeconds ?? 0) (RFC 9470 §4)"
            ), .server("put auth_time into access tokens (RFC 9068 §2.2.1)"))
    }

    /// The route passes the client's token on (RS-25).
    var boundTokenPassed: Remedy {
        Remedy(
            "The route passes the client's token on, and this one is bound: the upstream would have to take it unproved.",
            .configuration("\(routeKey).upstream_credential", "assertion, exchange or none, in place of pass"))
    }

    var userRequired: Remedy {
        Remedy(
            "The token is a client's own (sub is client_id): no user is behind it.",
            .client("use a flow in which a user signs in, not client credentials"),
            .configuration("\(routeKey).token.user_only", "false", "if clients may call it for themselves"))
    }

    var identityTooLarge: Remedy {
        Remedy(
            "The identity fields that the claims would make are too large for a header.",
            .server("put fewer values into the claims"), .configuration("\(routeKey).identity: map fewer claims"))
    }

    var scopeInsufficient: Remedy {
        let granted = grantedScopes
        let missing = neededScopes.filter { !granted.contains($0) }
        let claim = issuer?.rules.scopeClaim ?? "scope"
        for other in ["scp", "scope", "scopes", "permissions", "roles"] where other != claim {
            guard let value = claims?[other] else { continue }
            let words =
                value.string.map { $0.split(separator: " ").map(String.init) } ?? value.elements.compactMap(\.string)
            guard missing.allSatisfy(words.contains) else { continue }
            return Remedy(
                "The scopes are in the claim \(other), and this issuer's are looked for in \(claim).",
                .configuration("\(issuerKey).scope_claim", other),
                .server("put them into \(claim), one text, words apart by spaces (RFC 9068 §2.2.3)"))
        }
        let joined = granted.joined(separator: " ")
        if joined.contains(","),
            missing.allSatisfy({ joined.split { ", ".contains($0) }.map(String.init).contains($0) })
        {
            return Remedy(
                "The scopes are apart by commas, so that they read as one.",
                .server("separate scopes by spaces (RFC 6749 §3.3)"))
        }
        return Remedy(
            "The token lacks the scope \(ShownText.words(missing.map { ShownText.plain($0) }, "and")).",
            .client("ask for it: scope=\(ShownText.plain(neededScopes.joined(separator: " ")))"),
            .server("let this client, and this user, have it; servers leave out silently what they do not grant"),
            .configuration(
                "\(routeKey).token.scopes", "fewer scopes for \(calledMethod)", "if it should not be needed"))
    }

    /// `routes[2].token.claims`, or what a session is held against.
    private var claimsKey: String { "\(routeKey).\(usesSession ? "login" : "token").claims" }

    var claimRuleUnmet: Remedy {
        guard let rule = unmetRule else {
            return Remedy(
                "A rule about claims is not met.", .configuration("\(claimsKey): the rules that a route has"))
        }
        guard Self.isPlain(rule) else {
            return Remedy(
                "The \(usesSession ? "session" : "token") does not have \(ShownText.plain(rule.text)).",
                .server("give the user, or the client, what is wanted; an email counts where email_verified is true"),
                .configuration(
                    "\(routeKey).\(usesSession ? "login" : "token"), claims, any_claims and email: what may pass"))
        }
        let name = name(of: rule)
        guard let value = value(of: rule) else {
            let flat = rule.claim.joined(separator: ".")
            if rule.claim.count > 1, claims?[flat] != nil {
                return Remedy(
                    "The token has one claim called \(ShownText.quote(flat)), not claims inside claims.",
                    .server("write it nested"),
                    .configuration(
                        "\(claimsKey): name it so that its dots do not divide it (a URL does)"))
            }
            return Remedy(
                "The \(usesSession ? "session" : "token") has no claim \(name), which must be one of \(ShownText.list(rule.anyOf)).",
                .server(
                    usesSession
                        ? "put \(name) into ID tokens or userinfo"
                        : "put \(name) into access tokens; many servers put it only into ID tokens"),
                .configuration("\(claimsKey): name the claim as tokens spell it"))
        }
        return Remedy(
            "The \(usesSession ? "session" : "token")'s \(name) is \(ShownText.json(value)), and must be one of \(ShownText.list(rule.anyOf)).",
            .server("give the user, or the client, what is wanted"),
            .configuration(
                "\(claimsKey)", "{ \(name): \(yaml(rule.anyOf)) } with another value", "if it may pass"))
    }

    // MARK: What lies behind the checks of a request: capacity, time, upstreams

    var requestHeadTooSlow: Remedy {
        Remedy(
            "The request did not arrive in time.",
            .client("send it without pauses"),
            .configuration("timeouts.request_head, timeouts.request_body: longer times"),
            .configuration("limits.request_body_rate: fewer bytes a second, for bodies that take their time"))
    }

    var requestBodyTooLarge: Remedy {
        Remedy(
            "The body is larger than the route lets through.",
            .client("send less at once"),
            .configuration("limits.request_body, or \(routeKey).limits.request_body: a larger size"))
    }

    var exchangeSubjectRefused: Remedy {
        Remedy(
            "The authorization server does not exchange this token.",
            .server("allow this gateway's client to exchange tokens of this kind (RFC 8693)"))
    }

    var exchangeTargetRefused: Remedy {
        Remedy(
            "The authorization server issues no token for the upstream.",
            .server("allow the audience, resource and scope"),
            .configuration("\(routeKey).upstream_credential.exchange: the audience as the server knows it"))
    }

    var exchangeUnavailable: Remedy {
        Remedy(
            "The authorization server could not be asked for the upstream's token: \(ShownText.plain(found)).",
            .machine("see whether this machine reaches it"))
    }

    var upstreamUnauthorized: Remedy {
        Remedy(
            "The upstream wants credentials, and those of the client stay here.",
            .configuration(
                "\(routeKey).upstream_credential: what the upstream takes, or another secret if it has one"),
            .configuration("\(routeKey).upstream_401", "pass", "if the client is to see the upstream's 401"))
    }

    var upstreamTimedOut: Remedy {
        Remedy(
            "The upstream took the request and was too slow: \(ShownText.plain(found)).",
            .machine("see what the upstream of \(routeKey) is busy with"),
            .configuration("timeouts.upstream_first_byte, or \(routeKey).timeouts: a longer time"))
    }

    var upstreamMalformed: Remedy {
        Remedy(
            "The upstream's response is not HTTP/1.1, or beyond limits: \(ShownText.plain(found)).",
            .machine("see what the upstream of \(routeKey) sends; whether it speaks HTTP/1.1, and TLS or not"),
            .configuration(
                "limits.header_section, field_line, field_count: more, for a head that is too large"))
    }

    var tooManyConnections: Remedy {
        Remedy(
            "All places for connections were taken.",
            .configuration("limits.connections, limits.upstream_connections: more of them"))
    }

    var upstreamUnreachable: Remedy {
        Remedy(
            "The upstream did not answer as it should: wanted \(ShownText.plain(expected)), found \(ShownText.plain(found)).",
            .machine("see whether the upstream of \(routeKey) runs and can be reached from here"),
            .configuration(
                "\(routeKey).upstream: its address and, for https, certificate_authority and server_name"))
    }

    var clientConnectionsTooMany: Remedy {
        Remedy(
            "One address has as many connections as one client may have.",
            .client("use its connections again"),
            .front("tell the clients' addresses, and name it in trusted_proxies"),
            .configuration("limits.connections_per_client", "more", "if thousands of people share one address"))
    }

    var proxyHeaderRefused: Remedy {
        Remedy(
            "A connection did not begin with a header of the PROXY protocol, or came from a network that may send none.",
            .front(
                "write the header in front of each connection: send-proxy-v2 of HAProxy, proxy_protocol on of nginx"),
            .configuration(
                "the listener's proxy_protocol.from", "the networks of the balancers", "if one of them is missing there"
            ),
            .configuration("leave proxy_protocol out of the listener where nothing in front speaks it"))
    }

    var upstreamShareExhausted: Remedy {
        Remedy(
            "Too many requests and WebSockets of one address were under way at the upstream.",
            .machine("see what the upstream of \(routeKey) is busy with"),
            .front("tell the clients' addresses, and name it in trusted_proxies"),
            .configuration(
                "limits.upstream_connections, upstream_connections_per_client", "more",
                "if one address sends most of the requests"),
            .configuration(
                "\(routeKey).upstream.limits.pending", "twice as many as one address may have wait",
                "if they wait for a connection"))
    }
}
