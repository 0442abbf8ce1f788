extension RequirementTable {
    /// Rows of sessions and their cookies.
    static let sessions: [Requirement] = [
        Requirement(
            id: "SC-01", source: "RFC 6265bis (draft) §4.1.3, §5.6-5.7; OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway sets its session cookie for this host alone, unless the operator names a domain, for https \
                alone and out of the reach of scripts.
                """),
        Requirement(
            id: "SC-02", source: "RFC 6265bis (draft) §8.8.2; OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway sets SameSite to Lax, or to Strict where that is configured, and never to None for \
                a session.
                """),
        Requirement(
            id: "SC-03", source: "RFC 6265bis (draft) §4.1.2.2",
            promise: """
                The gateway keeps the cookies of logins apart from the session's, for a short time, and \
                deletes them at the callback.
                """),
        Requirement(
            id: "SC-04", source: "OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway makes a session's cookie a random identifier or a sealed value. One that was \
                changed is no session.
                """),
        Requirement(
            id: "SC-05", source: "OWASP ASVS V3",
            promise: """
                The gateway gives a session a new identifier at each login and step-up, and takes none from \
                anywhere but its cookie.
                """),
        Requirement(
            id: "SC-06", source: "RFC 6265bis (draft) §4.2.2, §5.8",
            promise: """
                The gateway takes two session cookies of one name for none, and deletes them, or of a domain those that are \
                not its own.
                """),
        Requirement(
            id: "SC-07", source: "RFC 6265bis (draft) §5.7",
            promise: "The gateway keeps its cookies within what browsers store."),
        Requirement(
            id: "SC-08", source: "OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway ends a session after a time without use and after a time in all, whatever its \
                cookie says.
                """),
        Requirement(
            id: "SC-09", source: "OAuth 2.0 for Browser-Based Applications; RFC 6265bis (draft) §8.8",
            promise: """
                The gateway refuses an unsafe request of a session unless the browser or a field shows that it \
                comes from an allowed page.
                """),
        Requirement(
            id: "SC-10", source: "policy of this gateway",
            promise: "The gateway ends no session for a GET that another site's page can cause."),
        Requirement(
            id: "SC-11", source: "policy of this gateway",
            promise: """
                The gateway lets the Authorization field win over the cookie where both may be used. An \
                invalid token does not fall back.
                """),
        Requirement(
            id: "SC-12", source: "OAuth 2.0 for Browser-Based Applications",
            promise: """
                The gateway tells a page of its own origin whether somebody is logged in, and never a token. While it is \
                not known whose the session is, the page is told 503 and nobody's name, as at a route.
                """),
        Requirement(
            id: "SC-13", source: "policy of this gateway",
            promise: "The gateway answers 503 if the session store fails. Nobody becomes anonymous for that."),
        Requirement(
            id: "SC-14", source: "OAuth 2.0 for Browser-Based Applications §6.1",
            promise: "The gateway never sends a token to a browser."),
        Requirement(
            id: "SC-15", source: "policy of this gateway",
            promise: """
                The gateway seals with its newest key and opens with older ones, so that keys change without a \
                logout. Each client has its own.
                """),
        Requirement(
            id: "SC-16", source: "RFC 6265bis (draft) §4.1.2.3, §4.1.3.1; policy of this gateway",
            promise: """
                Where the operator names a domain, the hosts of one client under it share its session: a login at one is \
                good at all of them, and so is a logout. A host outside the domain does not load. No upstream at any host \
                gets the cookie, and no other client knows it. What another host plants beside it lets nobody in.
                """),
    ]

    /// Rows of logouts, from either side.
    static let logouts: [Requirement] = [
        Requirement(
            id: "LO-01", source: "OpenID Connect RP-Initiated Logout §2",
            promise: """
                The gateway ends the session first at a logout, then deletes the cookie and revokes the \
                tokens, even if the server is away.
                """),
        Requirement(
            id: "LO-02", source: "OpenID Connect RP-Initiated Logout §2, §2.1, §3",
            promise: """
                The gateway sends the browser on to the server's logout, with the configured address to come \
                back to.
                """),
        Requirement(
            id: "LO-03", source: "OpenID Connect RP-Initiated Logout §2",
            promise: """
                The gateway posts the ID token to the server's logout where an address would be too long or \
                would tell too much.
                """),
        Requirement(
            id: "LO-04", source: "OpenID Connect RP-Initiated Logout §2-3; RFC 9700 §4.11",
            promise: """
                The gateway leads a browser nowhere else after a logout, whatever the address that it comes \
                back to says.
                """),
        Requirement(
            id: "LO-05", source: "OpenID Connect Back-Channel Logout §2.5",
            promise: "The gateway takes a back-channel logout by a POST form alone."),
        Requirement(
            id: "LO-06", source: "OpenID Connect Back-Channel Logout §2.6",
            promise: """
                The gateway wants a logout token to be signed, for itself, fresh, about a user or a session, \
                and a logout's event.
                """),
        Requirement(
            id: "LO-07", source: "OpenID Connect Back-Channel Logout §2.4, §4, §4.1",
            promise: """
                The gateway takes a logout token of its own type, of the type JWT or of none, and refuses \
                every other type.
                """),
        Requirement(
            id: "LO-08", source: "OpenID Connect Back-Channel Logout §2.6",
            promise: "The gateway takes a logout token once."),
        Requirement(
            id: "LO-09", source: "OpenID Connect Back-Channel Logout §2.7, §2.4",
            promise: """
                The gateway ends the sessions that a logout token names, and no others. It succeeds even if \
                there are none.
                """),
        Requirement(
            id: "LO-10", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                The gateway remembers which sessions ended for as long as their cookies could live. It warns \
                where a restart would forget them.
                """),
        Requirement(
            id: "LO-11", source: "OpenID Connect Front-Channel Logout §2, §4.1",
            promise: """
                The gateway ends a session by a front-channel logout only if issuer and session match this \
                browser's.
                """),
        Requirement(
            id: "LO-12", source: "OpenID Connect Back-Channel Logout §4",
            promise: """
                The gateway bounds the logout tokens that it verifies, and fetches nothing for an unknown \
                issuer.
                """),
    ]
}
