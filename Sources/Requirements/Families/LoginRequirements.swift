extension RequirementTable {
    /// Rows of the authorization code flow.
    static let codeFlow: [Requirement] = [
        Requirement(
            id: "CF-01", source: "RFC 9700 §2.1.2, §2.4, §4.6; FAPI 2.0 Security Profile §5.3.2.2",
            promise: """
                The gateway uses the authorization code flow alone. It aborts a login whose response carries \
                tokens.
                """),
        Requirement(
            id: "CF-02", source: "RFC 9700 §2.1, §4.4.2.2; RFC 6749 §4.1.3",
            promise: """
                The gateway sends a fixed https redirect_uri, made of its public URL, which nothing in a \
                request can change.
                """),
        Requirement(
            id: "CF-03", source: "RFC 9700 §2.1, §4.7; RFC 6749 §10.12",
            promise: """
                The gateway sends a random state, takes it back once and for a bounded time, and only from the \
                browser that it began with.
                """),
        Requirement(
            id: "CF-04", source: "RFC 7636 §4.1-4.3; RFC 9700 §2.1.1",
            promise: """
                The gateway sends a PKCE challenge of a fresh verifier with each login, by S256 and never \
                plain.
                """),
        Requirement(
            id: "CF-05", source: "RFC 9700 §2.1.1; MCP authorization",
            promise: """
                The gateway logs in only at a server that says it supports S256, or says nothing where the \
                configuration vouches for it.
                """),
        Requirement(
            id: "CF-06", source: "RFC 9700 §2.1.1; MCP authorization",
            promise: "The gateway keeps what a login needs sealed, so that nobody can read or change it."),
        Requirement(
            id: "CF-07", source: "policy of this gateway",
            promise: """
                The gateway keeps each of several logins of one browser in a small cookie of its own, up to a \
                number.
                """),
        Requirement(
            id: "CF-08", source: "FAPI 2.0 Security Profile §5.3.3.1; OpenID Connect Core §4",
            promise: """
                The gateway sends a navigation without a session to the login, and answers a script with 401. \
                Others cannot choose the issuer.
                """),
        Requirement(
            id: "CF-09", source: "RFC 9700 §4.11.1",
            promise: "The gateway leads back only to a path of the same origin, whatever a request asks for."),
        Requirement(
            id: "CF-10", source: "RFC 8707 §2; RFC 9396 §3; OpenID Connect Core §3.1.2.1",
            promise: "The gateway sends the optional parameters that are configured, and none that a request brings."),
        Requirement(
            id: "CF-11", source: "RFC 9700 §4.12",
            promise: "The gateway redirects with 303, lets nobody store that, and tells no other site the address."),
        Requirement(
            id: "CF-12", source: "policy of this gateway",
            promise: """
                The gateway stops a browser whose logins end one after the other without a session, with a \
                page.
                """),
        Requirement(
            id: "CF-20", source: "RFC 6749 §3.1, §4.1.2; OAuth 2.1",
            promise: """
                The gateway takes an authorization response only in the configured form, and each of its \
                parameters once.
                """),
        Requirement(
            id: "CF-21", source: "RFC 9207 §2.4; MCP authorization",
            promise: """
                The gateway finds the login and checks the issuer before it looks at the code or the error of \
                a response.
                """),
        Requirement(
            id: "CF-22", source: "RFC 9207 §2.4, §4; MCP authorization",
            promise: """
                The gateway compares iss of a response with the issuer of the login byte for byte, and wants \
                it where the server promises it.
                """),
        Requirement(
            id: "CF-23", source: "RFC 9700 §2.1, §4.4.2",
            promise: "The gateway sends a code only to the server that the login began with."),
        Requirement(
            id: "CF-24", source: "RFC 6749 §4.1.2.1; OpenID Connect Core §3.1.2.6",
            promise: "The gateway answers an error of the server with a page that repeats none of its words."),
        Requirement(
            id: "CF-25", source: "RFC 9700 §4.2.4, §4.5",
            promise: "The gateway takes a login once: it is spent before the code is sent."),
        Requirement(
            id: "CF-26", source: "RFC 9700 §4.2.4, §4.3.1; RFC 6749 §3.1.2.5",
            promise: """
                The gateway shows nothing of others on the page after a login, and leaves no code in the \
                address bar or in a log.
                """),
        Requirement(
            id: "CF-27", source: "RFC 6749 appendix A.11",
            promise: "The gateway takes a code of bounded length and printable characters alone."),
        Requirement(
            id: "CF-28", source: "JARM §2.4; FAPI 2.0 Message Signing §5.4.2",
            promise: """
                The gateway takes a signed authorization response only after issuer, audience, expiry and \
                signature are checked.
                """),
        Requirement(
            id: "CF-29", source: "RFC 6265bis (draft) §5.6.7; OAuth 2.0 Form Post Response Mode",
            promise: """
                The gateway lets only the cookie of a login cross sites, where the server posts its response. \
                The session's cookie never does.
                """),
        Requirement(
            id: "CF-30", source: "RFC 6749 §4.1.3; RFC 7636 §4.5",
            promise: """
                The gateway sends the code with the same redirect_uri, the verifier and its client \
                authentication.
                """),
        Requirement(
            id: "CF-31", source: "RFC 6749 §5.1, §7.1",
            promise: """
                The gateway takes a token response only if it is JSON with a token of a usable type and a \
                sensible lifetime.
                """),
        Requirement(
            id: "CF-32", source: "RFC 6749 §5.1, §3.3",
            promise: "The gateway refuses a session that was granted fewer scopes than the route needs."),
        Requirement(
            id: "CF-33", source: "RFC 9068 §6; RFC 9470 §2",
            promise: "The gateway decides nothing by what is in the access token of a session."),
        Requirement(
            id: "CF-34", source: "RFC 9700 §4.7; OWASP ASVS",
            promise: """
                The gateway gives a browser a new session at each login, and leads it back to the page that it \
                wanted.
                """),
        Requirement(
            id: "CF-35", source: "policy of this gateway; GitHub, authorizing OAuth apps",
            promise: """
                Of clients with identity_from alone, a token answer with status 200 and an error is that error, scopes may \
                have commas between them, and a token whose life is not told has no end.
                """),
    ]

    /// Rows of refreshes.
    static let refreshes: [Requirement] = [
        Requirement(
            id: "RF-01", source: "RFC 9700 §4.14; RFC 6749 §6",
            promise: """
                The gateway refreshes a session once for all requests that come meanwhile. They wait for a \
                bounded time and share the result.
                """),
        Requirement(
            id: "RF-02", source: "OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway refreshes some time before a token expires, and not because an upstream answers \
                401.
                """),
        Requirement(
            id: "RF-03", source: "RFC 6749 §6; FAPI 2.0 Security Profile §5.3.3.1",
            promise: """
                The gateway stores a new refresh token before anything uses it, and keeps the old one if no \
                new one came.
                """),
        Requirement(
            id: "RF-04", source: "RFC 6749 §6; RFC 8707 §2.2",
            promise: "The gateway asks for no more scope in a refresh than the login had."),
        Requirement(
            id: "RF-05", source: "RFC 6749 §5.2; OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway ends a session whose refresh token the server refuses, and sends the browser to \
                log in.
                """),
        Requirement(
            id: "RF-06", source: "policy of this gateway",
            promise: """
                The gateway goes on with a token that is valid while the server fails, and answers 503 \
                afterwards. It ends no session for that.
                """),
        Requirement(
            id: "RF-07", source: "OpenID Connect Core §12.2",
            promise: "The gateway ends a session if a refresh brings an ID token of another user or issuer."),
        Requirement(
            id: "RF-08", source: "RFC 7009 §2.1",
            promise: "The gateway revokes what a refresh brings after a logout. The logout wins."),
    ]

    /// Rows of revocation.
    static let revocation: [Requirement] = [
        Requirement(
            id: "RV-01", source: "RFC 7009 §2.1-2.2.1; RFC 9700 §4.14",
            promise: """
                The gateway revokes the tokens of a session that ends, and tries again for a while if the \
                server fails.
                """),
        Requirement(
            id: "RV-02", source: "RFC 7009 §2.1",
            promise: "The gateway uses no token that it revoked."),
    ]

    /// Rows of ID tokens and userinfo.
    static let openID: [Requirement] = [
        Requirement(
            id: "OIDC-01", source: "OpenID Connect Core §3.1.2.1, §3.1.3.3",
            promise: "The gateway asks for openid and wants an ID token of every login."),
        Requirement(
            id: "OIDC-02", source: "OpenID Connect Core §3.1.3.7",
            promise: "The gateway wants the issuer of an ID token to be the issuer of the login, byte for byte."),
        Requirement(
            id: "OIDC-03", source: "OpenID Connect Core §3.1.3.7",
            promise: """
                The gateway wants its own client in the audience of an ID token, and no other that it does not \
                trust.
                """),
        Requirement(
            id: "OIDC-04", source: "OpenID Connect Core §3.1.3.7",
            promise: "The gateway wants azp to be its own client, and wants it where there are several audiences."),
        Requirement(
            id: "OIDC-05", source: "OpenID Connect Core §3.1.3.7; FAPI 2.0 Message Signing §5.6.2",
            promise: """
                The gateway verifies the signature of every ID token by the algorithm that is configured for \
                it.
                """),
        Requirement(
            id: "OIDC-06", source: "OpenID Connect Core §3.1.3.7",
            promise: """
                The gateway takes an ID token that is signed with the client secret only where that is \
                configured, and for itself alone.
                """),
        Requirement(
            id: "OIDC-07", source: "OpenID Connect Core §3.1.3.7, §2",
            promise: "The gateway refuses an ID token that expired, that was issued long ago, or that names nobody."),
        Requirement(
            id: "OIDC-08", source: "OpenID Connect Core §3.1.3.7; FAPI 2.0 Security Profile §5.3.3.2",
            promise: "The gateway sends a nonce with each login and wants it back in the ID token."),
        Requirement(
            id: "OIDC-09", source: "OpenID Connect Core §3.1.3.7, §2",
            promise: "The gateway checks the context and the time of authentication that it asked for."),
        Requirement(
            id: "OIDC-10", source: "OpenID Connect Core §3.1.3.8, §3.3.2.11",
            promise: "The gateway checks the hashes of token and code where an ID token has them."),
        Requirement(
            id: "OIDC-11", source: "OpenID Connect Core §3.1.3.7",
            promise: "The gateway decrypts an ID token, and refuses one in clear text where encryption was agreed."),
        Requirement(
            id: "OIDC-12", source: "OpenID Connect Core §5.3.2, §5.3.4",
            promise: """
                The gateway takes userinfo only about the user of the ID token, and verifies it where it is \
                signed.
                """),
        Requirement(
            id: "OIDC-13", source: "OpenID Connect Core §5.7; RFC 9700 §4.15",
            promise: "The gateway knows a user by issuer and subject together, and never by an e-mail address."),
        Requirement(
            id: "OIDC-14", source: "OpenID Connect Discovery §4.3",
            promise: """
                The gateway refuses an issuer with a placeholder in it, and one that stands for all tenants at \
                once.
                """),
        Requirement(
            id: "OIDC-15", source: "OpenID Connect Core §5.6.2",
            promise: "The gateway never fetches claims from addresses that a token names."),
        Requirement(
            id: "OIDC-16", source: "OpenID Connect Core §3.1.2.6",
            promise: """
                The gateway looks for a session at the server without the user only if a page asks for it, and \
                does not loop.
                """),
        Requirement(
            id: "OIDC-17", source: "OpenID Connect Core §10.1.1",
            promise: "The gateway fetches keys for an unknown kid of an ID token as it does for access tokens."),
        Requirement(
            id: "OIDC-18", source: "policy of this gateway; GitHub REST API, users",
            promise: """
                Where a client says identity_from, the user is the text or the whole number in the member that it names, \
                digit by digit, under the configured issuer. With anything else there is no session.
                """),
        Requirement(
            id: "OIDC-19", source: "policy of this gateway; GitHub REST API, emails",
            promise: """
                With identity_from an address of mail is verified only where the endpoint of addresses says so of the \
                one primary address. An answer that contradicts itself ends the login.
                """),
        Requirement(
            id: "OIDC-20", source: "policy of this gateway",
            promise: """
                With identity_from the gateway asks behind each refresh who it is, and ends a session whose user is not \
                named again. While nobody answers, it keeps the session with its new tokens, and serves nobody by it.
                """),
        Requirement(
            id: "OIDC-21", source: "policy of this gateway",
            promise: """
                Endpoints in the configuration stand for metadata and keys. What needs an ID token, or verifies one, does \
                not load beside them.
                """),
    ]
}
