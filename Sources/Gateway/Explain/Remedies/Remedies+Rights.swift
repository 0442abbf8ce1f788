import Access
import Login
import Issuers
import JOSE
import JSON
import OAuth

/// What the token allows.
extension CheckFacts {
    func remedyForRights(_ refusal: Refusal) -> Remedy? {
        switch refusal {
        case .scopeInsufficient: remedyForScope
        case .authorizationDetailsInsufficient, .authorizationDetailsMalformed:
            Remedy(
                "The token's authorization_details do not grant what \(evidence.method) needs here.",
                [
                    .client("ask with authorization_details: \(wantedDetails)"),
                    .server("put what was granted into the token, as RFC 9396 §9.1 has it"),
                ])
        case .authenticationInsufficient:
            Remedy(
                "The user signed in less strongly than this route wants: acr \(ShownText.json(claims?["acr"])).",
                [
                    .client(
                        "send the user to the authorization server again with acr_values=\((policy?.acrValues ?? []).joined(separator: " ")) (RFC 9470 §4)"
                    ), .server("put acr into access tokens (RFC 9068 §2.2.1)"),
                ])
        case .authenticationTooOld:
            Remedy(
                "The user signed in too long ago, or the token does not say when: auth_time \(seenTime("auth_time", in: claims)).",
                [
                    .client(
                        "send the user to the authorization server again with max_age=\(policy?.maxAgeSeconds ?? 0) (RFC 9470 §4)"
                    ), .server("put auth_time into access tokens (RFC 9068 §2.2.1)"),
                ])
        case .userRequired:
            Remedy(
                "The token is a client's own (sub is client_id): no user is behind it.",
                [
                    .client("use a flow in which a user signs in, not client credentials"),
                    .configuration("\(routeKey).token.user_only", "false", "if clients may call it for themselves"),
                ])
        case .claimRuleUnmet: remedyForClaimRule
        case .identityTooLarge:
            Remedy(
                "The identity fields that the claims would make are too large for a header.",
                [.server("put fewer values into the claims"), .configuration("\(routeKey).identity: map fewer claims")])
        default: nil
        }
    }

    private var remedyForScope: Remedy {
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
                [
                    .configuration("\(issuerKey).scope_claim", other),
                    .server("put them into \(claim), one text, words apart by spaces (RFC 9068 §2.2.3)"),
                ])
        }
        let joined = granted.joined(separator: " ")
        if joined.contains(","),
            missing.allSatisfy({ joined.split { ", ".contains($0) }.map(String.init).contains($0) })
        {
            return Remedy(
                "The scopes are apart by commas, so that they read as one.",
                [.server("separate scopes by spaces (RFC 6749 §3.3)")])
        }
        return Remedy(
            "The token lacks the scope \(ShownText.words(missing.map { ShownText.plain($0) }, "and")).",
            [
                .client("ask for it: scope=\(ShownText.plain(neededScopes.joined(separator: " ")))"),
                .server("let this client, and this user, have it; servers leave out silently what they do not grant"),
                .configuration(
                    "\(routeKey).token.scopes", "fewer scopes for \(evidence.method)", "if it should not be needed"),
            ])
    }

    /// `routes[2].token.claims`, or what a session is held against.
    private var claimsKey: String { "\(routeKey).\(usesSession ? "login" : "token").claims" }

    private var remedyForClaimRule: Remedy {
        guard let rule = unmetRule else {
            return Remedy(
                "A rule about claims is not met.", [.configuration("\(claimsKey): the rules that a route has")])
        }
        let name = name(of: rule)
        guard let value = value(of: rule) else {
            let flat = rule.claim.joined(separator: ".")
            if rule.claim.count > 1, claims?[flat] != nil {
                return Remedy(
                    "The token has one claim called \(ShownText.quote(flat)), not claims inside claims.",
                    [
                        .server("write it nested"),
                        .configuration(
                            "\(claimsKey): name it so that its dots do not divide it (a URL does)"),
                    ])
            }
            return Remedy(
                "The \(usesSession ? "session" : "token") has no claim \(name), which must be one of \(ShownText.list(rule.anyOf)).",
                [
                    .server(
                        usesSession
                            ? "put \(name) into ID tokens or userinfo"
                            : "put \(name) into access tokens; many servers put it only into ID tokens"),
                    .configuration("\(claimsKey): name the claim as tokens spell it"),
                ])
        }
        return Remedy(
            "The \(usesSession ? "session" : "token")'s \(name) is \(ShownText.json(value)), and must be one of \(ShownText.list(rule.anyOf)).",
            [
                .server("give the user, or the client, what is wanted"),
                .configuration(
                    "\(claimsKey)", "{ \(name): \(yaml(rule.anyOf)) } with another value", "if it may pass"),
            ])
    }

    /// What lies behind the checks of a request: capacity, time, upstreams.
    func remedyForOperation(_ refusal: Refusal, _ expected: String, _ found: String) -> Remedy {
        switch refusal {
        case .requestHeadTooSlow, .requestBodyTooSlow:
            Remedy(
                "The request did not arrive in time.",
                [
                    .client("send it without pauses"),
                    .configuration("timeouts.request_head, timeouts.request_body: longer times"),
                    .configuration("limits.request_body_rate: fewer bytes a second, for bodies that take their time"),
                ])
        case .requestBodyTooLarge:
            Remedy(
                "The body is larger than the route lets through.",
                [
                    .client("send less at once"),
                    .configuration("limits.request_body, or \(routeKey).limits.request_body: a larger size"),
                ])
        case .exchangeSubjectRefused:
            Remedy(
                "The authorization server does not exchange this token.",
                [.server("allow this gateway's client to exchange tokens of this kind (RFC 8693)")])
        case .exchangeTargetRefused:
            Remedy(
                "The authorization server issues no token for the upstream.",
                [
                    .server("allow the audience, resource and scope"),
                    .configuration("\(routeKey).upstream_credential.exchange: the audience as the server knows it"),
                ])
        case .exchangeUnavailable:
            Remedy(
                "The authorization server could not be asked for the upstream's token: \(ShownText.plain(found)).",
                [.machine("see whether this machine reaches it")])
        case .upstreamUnauthorized:
            Remedy(
                "The upstream wants credentials, and those of the client stay here.",
                [
                    .configuration(
                        "\(routeKey).upstream_credential: what the upstream takes, or another secret if it has one"),
                    .configuration("\(routeKey).upstream_401", "pass", "if the client is to see the upstream's 401"),
                ])
        case .upstreamTimedOut:
            Remedy(
                "The upstream took the request and was too slow: \(ShownText.plain(found)).",
                [
                    .machine("see what the upstream of \(routeKey) is busy with"),
                    .configuration("timeouts.upstream_first_byte, or \(routeKey).timeouts: a longer time"),
                ])
        case .upstreamMalformed:
            Remedy(
                "The upstream's response is not HTTP/1.1, or beyond limits: \(ShownText.plain(found)).",
                [
                    .machine("see what the upstream of \(routeKey) sends; whether it speaks HTTP/1.1, and TLS or not"),
                    .configuration(
                        "limits.header_section, field_line, field_count: more, for a head that is too large"),
                ])
        case .tooManyConnections, .upstreamConnectionsExhausted:
            Remedy(
                "All places for connections were taken.",
                [.configuration("limits.connections, limits.upstream_connections: more of them")])
        case .clientConnectionsTooMany, .upstreamShareExhausted: remedyForShare(refusal)
        default:
            Remedy(
                "The upstream did not answer as it should: wanted \(ShownText.plain(expected)), found \(ShownText.plain(found)).",
                [
                    .machine("see whether the upstream of \(routeKey) runs and can be reached from here"),
                    .configuration(
                        "\(routeKey).upstream: its address and, for https, certificate_authority and server_name"),
                ])
        }
    }

    private func remedyForShare(_ refusal: Refusal) -> Remedy {
        switch refusal {
        case .clientConnectionsTooMany:
            Remedy(
                "One address has as many connections as one client may have.",
                [
                    .client("use its connections again"),
                    .front("tell the clients' addresses, and name it in trusted_proxies"),
                    .configuration("limits.connections_per_client", "more", "if thousands of people share one address"),
                ])
        default:
            Remedy(
                "Too many requests and WebSockets of one address were under way at the upstream.",
                [
                    .machine("see what the upstream of \(routeKey) is busy with"),
                    .front("tell the clients' addresses, and name it in trusted_proxies"),
                    .configuration(
                        "limits.upstream_connections, upstream_connections_per_client", "more",
                        "if one address sends most of the requests"),
                ])
        }
    }
}
