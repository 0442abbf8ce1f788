extension RequirementTable {
    /// Decisions where the standards leave room.
    static let decisions: [Requirement] = [
        Requirement(
            id: "D-1", source: "RFC 6750 §2.3; OAuth 2.1",
            promise: """
                The gateway ignores an access token in the query, and answers 400 if one is in the \
                Authorization field as well.
                """),
        Requirement(
            id: "D-2", source: "RFC 6750 §3; RFC 9449 §7.2",
            promise: "The gateway names a realm in every challenge, and writes one line a scheme."),
        Requirement(
            id: "D-3", source: "RFC 9068 §4",
            promise: """
                The gateway wants the type at+jwt by default, since many servers say JWT and an operator may \
                then permit that.
                """),
        Requirement(
            id: "D-4", source: "RFC 7523 §3; RFC 9126 §2; FAPI 2.0 Security Profile",
            promise: """
                The gateway addresses a client assertion to the issuer by default, since an endpoint's address \
                may be another server's.
                """),
        Requirement(
            id: "D-5", source: "RFC 9101 §4",
            promise: """
                The gateway addresses a request object to the issuer as its metadata spells it, with or \
                without a slash at the end.
                """),
        Requirement(
            id: "D-6", source: "RFC 9449 §7.1",
            promise: "The gateway answers 401 to an unbound token with the DPoP scheme."),
        Requirement(
            id: "D-7", source: "RFC 6750 §3.1",
            promise: "The gateway answers 400 to malformed credentials, and 401 to a token that is not valid."),
        Requirement(
            id: "D-8", source: "RFC 9449 §4.2, §4.3",
            promise: "The gateway ignores query and fragment on both sides when it compares the URI of a proof."),
        Requirement(
            id: "D-9", source: "RFC 9449 §11.1",
            promise: "The gateway remembers a proof by its key and identifier together, and spends it last."),
        Requirement(
            id: "D-10", source: "RFC 9112 §2.2, §5.2, §6.3",
            promise: "The gateway refuses every ambiguous framing, even where the standard tolerates it."),
        Requirement(
            id: "D-11", source: "RFC 9110 §7.7",
            promise: "The gateway never rewrites a path that it forwards. It refuses an ambiguous one."),
        Requirement(
            id: "D-12", source: "RFC 6265bis (draft); OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway sets SameSite to Lax and checks unsafe requests besides, since Strict breaks the \
                way back from a server.
                """),
        Requirement(
            id: "D-13", source: "RFC 9207 §2.4",
            promise: "The gateway compares iss of a response even if the server does not promise it."),
        Requirement(
            id: "D-14", source: "RFC 9101 §10.2",
            promise: """
                The gateway serves a hosted request object a few times within a short life, since servers may \
                read one twice.
                """),
        Requirement(
            id: "D-15", source: "RFC 9728 §3.3",
            promise: """
                The gateway publishes one protected resource for each path prefix of a route, and takes \
                nothing away from its address.
                """),
        Requirement(
            id: "D-16", source: "OpenID Connect Back-Channel Logout §2.4",
            promise: "The gateway takes a logout token with the type logout+jwt, JWT or none, and with no other."),
        Requirement(
            id: "D-17", source: "policy of this gateway",
            promise: """
                The gateway answers 503 if a server cannot be asked. It uses the keys at hand for a bounded \
                time, and no longer.
                """),
        Requirement(
            id: "D-18", source: "RFC 8037; RFC 9864",
            promise: "The gateway takes the names EdDSA and Ed25519, and the curve Ed25519 alone."),
    ]

    /// The forms of answers to refused requests.
    static let answers: [Requirement] = [
        Requirement(
            id: "E-NOAUTH", source: "RFC 6750 §3.1; RFC 9449 §7.1",
            promise: "The gateway answers 401 with a challenge for each scheme and without an error."),
        Requirement(
            id: "E-TOKEN", source: "RFC 6750 §3.1",
            promise: "The gateway answers 401 with invalid_token in the challenge of the scheme that was tried."),
        Requirement(
            id: "E-SCOPE", source: "RFC 6750 §3.1",
            promise: "The gateway answers 403 with insufficient_scope and all scopes that the operation needs."),
        Requirement(
            id: "E-REQ", source: "RFC 6750 §3.1; RFC 9449 §7.2",
            promise: "The gateway answers 400 with invalid_request in the challenges."),
        Requirement(
            id: "E-STEPUP", source: "RFC 9470 §3",
            promise: "The gateway answers 401 with insufficient_user_authentication and what it wants."),
        Requirement(
            id: "E-PROOF", source: "RFC 9449 §7.1",
            promise: "The gateway answers 401 with invalid_dpop_proof in the DPoP challenge."),
        Requirement(
            id: "E-NONCE", source: "RFC 9449 §9",
            promise: "The gateway answers 401 with use_dpop_nonce and one fresh nonce."),
        Requirement(
            id: "E-DENY", source: "RFC 9110 §15.5.4",
            promise: "The gateway answers 403 without a challenge."),
        Requirement(
            id: "E-MSG", source: "RFC 9112 §2.2",
            promise: "The gateway answers 400 to a message with two readings, and closes the connection."),
        Requirement(
            id: "E-BIG", source: "RFC 9110 §15.5.14; RFC 6585 §5",
            promise: "The gateway answers 413, 414 or 431 to what is too large, and closes the connection."),
        Requirement(
            id: "E-SLOW", source: "RFC 9110 §15.5.9",
            promise: "The gateway answers 408 to what is too slow, and closes the connection."),
        Requirement(
            id: "E-AUTHZ-DOWN", source: "RFC 9110 §15.6.4",
            promise: """
                The gateway answers 503 with Retry-After and without a challenge if what it must ask is not \
                there.
                """),
        Requirement(
            id: "E-BADGW", source: "RFC 9110 §15.6.3",
            promise: "The gateway answers 502 if the upstream is broken."),
        Requirement(
            id: "E-GWTO", source: "RFC 9110 §15.6.5",
            promise: "The gateway answers 504 if the upstream is too slow."),
        Requirement(
            id: "E-LOGIN", source: "RFC 9110 §15.4.4",
            promise: """
                The gateway sends a navigation to the login with 303, and answers a script with 401 and the \
                login's address.
                """),
        Requirement(
            id: "E-CB", source: "RFC 6749 §4.1.2.1",
            promise: """
                The gateway answers a failed login with a page that repeats nothing of the request, and asks \
                for no token.
                """),
    ]

    /// What a test shows before anything else is asked.
    static let baselines: [Requirement] = [
        Requirement(
            id: "BASE-H1", source: "baseline of this gateway's tests",
            promise: """
                A GET on a public route reaches the upstream as one well-formed request, and its response \
                comes back unchanged.
                """),
        Requirement(
            id: "BASE-JWT", source: "baseline of this gateway's tests",
            promise: "The gateway lets an access token pass that an ordinary library or server made."),
        Requirement(
            id: "BASE-RS", source: "baseline of this gateway's tests",
            promise: "The gateway lets a valid token pass, injects identity once, and keeps the token to itself."),
        Requirement(
            id: "BASE-DPOP", source: "baseline of this gateway's tests",
            promise: "The gateway lets a bound token pass with a fresh proof, and refuses the same proof again."),
        Requirement(
            id: "BASE-LOGIN", source: "baseline of this gateway's tests",
            promise: "A browser logs in and comes back to the page that it wanted, and sees no token."),
        Requirement(
            id: "BASE-SESSION", source: "baseline of this gateway's tests",
            promise: """
                A request with a session's cookie reaches the upstream with identity fields and without that \
                cookie.
                """),
        Requirement(
            id: "BASE-REFRESH", source: "baseline of this gateway's tests",
            promise: "The gateway renews an expired token once, and the request succeeds."),
        Requirement(
            id: "BASE-LOGOUT", source: "baseline of this gateway's tests",
            promise: "A logout ends the session here and at the server, and revokes its tokens."),
        Requirement(
            id: "BASE-META", source: "baseline of this gateway's tests",
            promise: "The gateway's routes are ready when it has read metadata and keys of their server."),
    ]
}
