extension RequirementTable {
    /// Rows of access tokens and their challenges.
    static let accessTokens: [Requirement] = [
        Requirement(
            id: "RS-01", source: "RFC 6750 §2.1; OAuth 2.1 §5.1.1; RFC 9110 §11.1",
            promise: "The gateway takes a Bearer token from the Authorization field, with the scheme in any case."),
        Requirement(
            id: "RS-02", source: "RFC 6750 §3, §3.1; RFC 9449 figure 17",
            promise: """
                The gateway answers a request without credentials with a challenge for each scheme of the \
                route, and without an error code.
                """),
        Requirement(
            id: "RS-03", source: "RFC 6750 §3.1",
            promise: "The gateway treats a scheme that the route does not take as if there were no credentials."),
        Requirement(
            id: "RS-04", source: "RFC 6750 §3.1",
            promise: """
                The gateway answers 400 to credentials that are malformed, and 401 to well-formed ones that \
                are no valid token.
                """),
        Requirement(
            id: "RS-05", source: "RFC 6750 §3.1; RFC 9449 figure 19",
            promise: "The gateway refuses a request with credentials in more than one place or field."),
        Requirement(
            id: "RS-06", source: "OAuth 2.1 §5.1; RFC 6750 §2.3, §3.1; FAPI 2.0 Security Profile §5.3.4",
            promise: """
                The gateway never takes a token from the query. It refuses one there beside an Authorization \
                field, unless the route ignores it.
                """),
        Requirement(
            id: "RS-07", source: "RFC 6750 §2.2",
            promise: "The gateway never reads a body for a token."),
        Requirement(
            id: "RS-08", source: "RFC 9110 §11.6.1; RFC 6750 §3",
            promise: """
                The gateway sends at least one challenge with each 401, and each parameter of it once and in \
                its permitted characters.
                """),
        Requirement(
            id: "RS-09", source: "policy of this gateway",
            promise: """
                The gateway takes a missing token for an anonymous caller on an optional route. A token that \
                is there must be valid.
                """),
        Requirement(
            id: "RS-10", source: "policy of this gateway",
            promise: """
                The gateway never redirects a request of an API route to a login, and lets nobody store a 401 \
                or a 403.
                """),
        Requirement(
            id: "RS-11", source: "RFC 9068 §4",
            promise: """
                The gateway wants the type at+jwt of an access token. An issuer may be configured to leave it \
                out or to say JWT.
                """),
        Requirement(
            id: "RS-12", source: "RFC 9068 §4",
            promise: """
                The gateway wants an issuer that the route accepts. A valid token of another configured issuer \
                does not pass.
                """),
        Requirement(
            id: "RS-13", source: "RFC 9068 §4; RFC 8707 §2; RFC 9700 §2.3",
            promise: """
                The gateway accepts a token only if aud holds an audience of the route. It compares byte for \
                byte, without patterns or prefixes.
                """),
        Requirement(
            id: "RS-14", source: "RFC 9068 §4",
            promise: "The gateway accepts a token only if a key of its issuer verifies the signature."),
        Requirement(
            id: "RS-15", source: "RFC 9068 §2.2, §4",
            promise: "The gateway accepts a token only if it says when it expires, and has not expired."),
        Requirement(
            id: "RS-16", source: "RFC 9068 §2.2",
            promise: """
                The gateway wants every claim that RFC 9068 requires, or the few that the legacy profile \
                requires where that is configured.
                """),
        Requirement(
            id: "RS-17", source: "RFC 9068 §4",
            promise: """
                The gateway refuses an encrypted access token, since it has no key for one. It trusts nothing \
                that such a token says.
                """),
        Requirement(
            id: "RS-18", source: "RFC 8725 §3.12; RFC 9068 §5",
            promise: """
                The gateway refuses what looks like an ID token where the legacy profile takes tokens without \
                their own type.
                """),
        Requirement(
            id: "RS-19", source: "RFC 9068 §2.2.3; RFC 8693 §4.2; RFC 6749 §3.3",
            promise: """
                The gateway wants all scopes of the route, case for case, and names all of them in the 403 if \
                one is missing.
                """),
        Requirement(
            id: "RS-20", source: "RFC 6750 §3.1",
            promise: """
                The gateway answers 403 without a challenge if a claim rule is not met, since no other scope \
                would help.
                """),
        Requirement(
            id: "RS-21", source: "RFC 9700 §4.15; RFC 9068 §5",
            promise: """
                The gateway keeps user and client apart. A route for users refuses a token that a client got \
                for itself.
                """),
        Requirement(
            id: "RS-22", source: "RFC 7800 §3.1; RFC 9449 §7.2; RFC 8705 §3",
            promise: """
                The gateway refuses a token that is bound in a way that it cannot check. It never treats such \
                a token as a bearer's.
                """),
        Requirement(
            id: "RS-23", source: "policy of this gateway",
            promise: "The gateway wants both proofs of a token that is bound to a key and to a certificate."),
        Requirement(
            id: "RS-24", source: "policy of this gateway",
            promise: """
                The gateway answers 503 if an issuer cannot be asked. That is no fault of the token, so it is \
                never a 401.
                """),
        Requirement(
            id: "RS-25", source: "MCP authorization; RFC 9700 §2.3",
            promise: """
                The gateway checks the audience before it forwards anything, and does not hand the client's \
                token to the upstream by default.
                """),
    ]

    /// Rows of tokens that are bound to client certificates.
    static let certificates: [Requirement] = [
        Requirement(
            id: "MTLS-01", source: "RFC 8705 §3, §3.1",
            promise: """
                The gateway holds a token's certificate thumbprint against the certificate of the TLS \
                connection.
                """),
        Requirement(
            id: "MTLS-02", source: "RFC 8705 §3",
            promise: "The gateway refuses a bound token on a connection that has no client certificate."),
        Requirement(
            id: "MTLS-03", source: "RFC 8705 §3.2",
            promise: """
                The gateway holds a certificate thumbprint of an introspection answer against the connection \
                as well.
                """),
        Requirement(
            id: "MTLS-04", source: "RFC 8705 §2.2, §4, §7",
            promise: """
                The gateway takes certificates of configured authorities, or any certificate as a proof of its \
                key, as the listener says.
                """),
        Requirement(
            id: "MTLS-05", source: "RFC 8705 §3, §5",
            promise: """
                The gateway asks for client certificates only on the listeners that are configured to, and \
                never later in a connection.
                """),
        Requirement(
            id: "MTLS-06", source: "RFC 9440 §3.3",
            promise: """
                The gateway knows the client certificate of a resumed TLS session, and resumes none where \
                authorities may revoke it.
                """),
        Requirement(
            id: "MTLS-07", source: "RFC 9440 §2.4; RFC 9700 §4.13",
            promise: """
                The gateway believes Client-Cert of a configured TLS terminator alone, and strips it from \
                everybody else.
                """),
        Requirement(
            id: "MTLS-08", source: "RFC 8705 §3",
            promise: "The gateway takes a token that is bound to a certificate with the Bearer scheme."),
    ]

    /// Rows of tokens that their issuer is asked about.
    static let introspection: [Requirement] = [
        Requirement(
            id: "INT-01", source: "RFC 7662 §2.1, §4",
            promise: """
                The gateway asks the introspection endpoint by a POST form, with client authentication and \
                verified TLS, and follows no redirect.
                """),
        Requirement(
            id: "INT-02", source: "RFC 7662 §2.2",
            promise: "The gateway takes a token for active only if active is the JSON value true."),
        Requirement(
            id: "INT-03", source: "RFC 7662 §2.2",
            promise: "The gateway refuses an inactive token, and gives no reason."),
        Requirement(
            id: "INT-04", source: "RFC 7662 §2.2, §4",
            promise: """
                The gateway still checks time, issuer, audience, scope and binding of a token that its issuer \
                calls active.
                """),
        Requirement(
            id: "INT-05", source: "RFC 7662 §2.3",
            promise: """
                The gateway answers 503 if the introspection endpoint fails, refuses us or sends something \
                else. That is never a 401.
                """),
        Requirement(
            id: "INT-06", source: "RFC 7662 §2.2, §4",
            promise: """
                The gateway keeps an answer for a bounded time, never past the token's expiry. It keeps no \
                failure, and asks once for many requests.
                """),
        Requirement(
            id: "INT-07", source: "RFC 7662 §4",
            promise: "The gateway holds each client to a budget of unknown tokens before it asks about one."),
        Requirement(
            id: "INT-08", source: "RFC 9701 §4, §5",
            promise: """
                The gateway takes a signed introspection answer only from the issuer, for itself and of the \
                right type, and reads the inner claims.
                """),
        Requirement(
            id: "INT-09", source: "RFC 9701 §5, §8.1",
            promise: "The gateway refuses an introspection answer that is presented as an access token."),
        Requirement(
            id: "INT-10", source: "FAPI 2.0 Message Signing §5.5.2",
            promise: "The gateway asks for a signed answer where that is configured, and refuses an unsigned one."),
    ]

    /// Rows of how a user signed in.
    static let stepUp: [Requirement] = [
        Requirement(
            id: "STEP-01", source: "RFC 9470 §3, §6",
            promise: """
                The gateway wants an authentication context that the route lists, and names all of them in its \
                challenge.
                """),
        Requirement(
            id: "STEP-02", source: "RFC 9470 §3, §6.1-6.2",
            promise: """
                The gateway wants a login that is as recent as the route demands. A token that does not say \
                when it was is too old.
                """),
        Requirement(
            id: "STEP-03", source: "RFC 9470 §3",
            promise: "The gateway says all that is missing in one challenge: context, age and scope."),
        Requirement(
            id: "STEP-04", source: "RFC 9470 §4-5",
            promise: """
                The gateway sends a browser to log in again for a route that wants more. If that does not help \
                it answers 403, and does not loop.
                """),
    ]

    /// The row of rich authorization requests.
    static let authorizationDetails: [Requirement] = [
        Requirement(
            id: "RAR-01", source: "RFC 9396 §9.1-9.2, §2",
            promise: """
                The gateway holds a token's authorization details against the route's rule by type, actions, \
                locations and identifier.
                """)
    ]

    /// Rows of tokens for upstreams.
    static let tokenExchange: [Requirement] = [
        Requirement(
            id: "TX-01", source: "RFC 8693 §2.1",
            promise: "The gateway exchanges a client's token by RFC 8693 for one that is meant for the upstream."),
        Requirement(
            id: "TX-02", source: "RFC 8693 §2.2.1",
            promise: "The gateway takes an exchanged token only if it is an access token of a type that can be used."),
        Requirement(
            id: "TX-03", source: "RFC 8693 §2.2.2",
            promise: """
                The gateway answers 401 if the server refuses the client's token, and 502 if it refuses the \
                target.
                """),
        Requirement(
            id: "TX-04", source: "RFC 8693 §2.2.1",
            promise: """
                The gateway keeps an exchanged token no longer than either token is valid. It never forwards \
                the client's token in its place.
                """),
    ]

    /// Rows of MCP servers.
    static let modelContextProtocol: [Requirement] = [
        Requirement(
            id: "MCP-01", source: "MCP authorization; RFC 9728 §5.1",
            promise: """
                The gateway points a client without a token to the protected resource's metadata, which names \
                at least one server.
                """),
        Requirement(
            id: "MCP-02", source: "MCP authorization",
            promise: """
                The gateway takes a token on an MCP route only for that server's own address, and only from \
                the Authorization field.
                """),
        Requirement(
            id: "MCP-03", source: "MCP authorization",
            promise: "The gateway answers a missing scope with 403, and names all scopes and the metadata."),
        Requirement(
            id: "MCP-04", source: "MCP authorization",
            promise: "The gateway passes no client's token on to the upstream of an MCP route."),
        Requirement(
            id: "MCP-05", source: "MCP authorization",
            promise: "The gateway never names offline_access in a challenge or in metadata."),
        Requirement(
            id: "MCP-06", source: "MCP authorization",
            promise: "The gateway refuses an MCP request whose Origin is not allowed, which stops DNS rebinding."),
    ]
}
