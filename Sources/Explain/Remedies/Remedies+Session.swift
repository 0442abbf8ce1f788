import Access
import Gateway
import JSON
import Login
import Sessions

/// What a browser's session lacks.
extension CheckFacts {
    /// The session lives, and its access token does not.
    var sessionTokensExpired: Remedy {
        Remedy(
            "The session's access token expired and was not refreshed, and the route passes it to the upstream.",
            .client("log in again"),
            .server("issue refresh tokens to this client; some do so only for the scope offline_access"),
            .configuration("\(loginKey).refresh", "true", "if it is false"))
    }

    var sessionStoreUnavailable: Remedy {
        Remedy(
            "The store of the sessions took no more, or could not be asked.",
            .configuration("\(loginKey).session.limit: more sessions"),
            .machine("see what the operator's log says"))
    }

    var sessionRefreshUnavailable: Remedy {
        guard !isUnconfirmed else {
            return Remedy(
                "Nobody has said yet whose the session's tokens are: the endpoint of identity_from did not answer.",
                .server("see whether it runs"),
                .machine("see whether this machine reaches \(loginKey).identity_from.url"))
        }
        return Remedy(
            "The session's tokens had expired, and the authorization server did not answer when they were refreshed.",
            .server("see whether it runs"), .machine("see whether this machine reaches its token_endpoint"))
    }

    var sessionScopeInsufficient: Remedy {
        Remedy(
            "The login was not granted the scope \(ShownText.words(missingScopes, "and")).",
            .configuration(
                "\(loginKey).scopes", yaml(neededScopes) + " among them", "if they are not asked for"),
            .server(
                "let this client, and this user, have it; servers leave out silently what they do not grant"),
            .client("log in again: a session keeps the scopes that it began with"),
            .configuration(
                "\(routeKey).login.scopes", "fewer scopes for \(evidence.method)", "if it should not be needed"))
    }

    var sessionInsufficient: Remedy { insufficient(lessThanWanted) }

    var sessionTooOld: Remedy {
        insufficient(
            "The user signed in too long ago, or the ID token did not say when: auth_time \(seenTime("auth_time", in: claims))."
        )
    }

    private func insufficient(_ diagnosis: String) -> Remedy {
        Remedy(
            diagnosis,
            .client("follow the way to log in: the browser is sent back for it once"),
            .server("put acr and auth_time into ID tokens (OpenID Connect Core §2)"))
    }

    private var missingScopes: [String] {
        neededScopes.filter { !grantedScopes.contains($0) }.map { ShownText.plain($0) }
    }

    var loginRequired: Remedy {
        guard let session = evidence.session, session.cookieCount > 0 else {
            return Remedy(
                "The request has no session: no cookie \(evidence.session?.cookieName ?? "of the route").",
                .client("log in: \(evidence.loginStart?.path ?? "the login's path") begins it"),
                .client(whereCookieGoes),
                .configuration("\(routeKey).login.optional", "true", "if pages are for everybody"))
        }
        if session.isRepeated { return remedyForRepeatedCookie(session, of: cookieDomain) }
        return remedyForDeadSession(session)
    }

    /// To whom browsers return the session's cookie.
    private var whereCookieGoes: String {
        let fetch = "and with fetch() use credentials: \"same-origin\""
        guard let domain = cookieDomain else {
            return "open the page by the very host that logged in, over https: the cookie's name begins with "
                + "__Host-, so that browsers return it to one host alone, \(fetch)"
        }
        return "open the page over https, at a host under \(domain): browsers return the cookie to no other, \(fetch)"
    }

    private func remedyForRepeatedCookie(_ session: SessionEvidence, of domain: String?) -> Remedy {
        let diagnosis = "The browser sent two cookies \(session.cookieName), and nobody can tell which is ours: "
        guard let domain else {
            return Remedy(
                diagnosis + "both are deleted.",
                .client("log in again"), .front("set no cookie of this name, and merge no Cookie fields"))
        }
        return Remedy(
            diagnosis + "another host under \(domain) may have planted one, and what it set for a path stays.",
            .client("delete the cookies of \(domain), and log in again"),
            .front("set no cookie of this name at any host under \(domain)"),
            .configuration("\(loginKey).session.domain: leave it out, if you do not trust all hosts under it"))
    }

    private func remedyForDeadSession(_ session: SessionEvidence) -> Remedy {
        let again = Remedy.Step.client("log in again")
        switch session.diagnosis {
        case .keyUnknown where sealingKeysAreOfProcess:
            return Remedy(
                "The cookie was sealed by another process: \(loginKey).session has no keys, so that each start makes one.",
                .configuration("\(loginKey).session.keys", "[{ file: session.key }], the same on all replicas"),
                again)
        case .keyUnknown:
            return Remedy(
                "The cookie is sealed with none of the keys that are configured.",
                .configuration(
                    "\(loginKey).session.keys: the former key after the new one, until the longest session is over"),
                .configuration("\(loginKey).session.keys: the same files on all replicas"), again)
        case .idle:
            return Remedy(
                "The session was not used for longer than \(loginKey).session.idle.",
                again, .configuration("\(loginKey).session.idle: a longer time"))
        case .over:
            return Remedy(
                "The session has reached the end that nothing moves.",
                again, .configuration("\(loginKey).session.absolute: a longer time"))
        case .ended: return Remedy("The session was ended by a logout.", again)
        case .unopened, .unknown, .elsewhere, .lives, .unconfirmed, nil:
            return Remedy(
                "The cookie stands for no session here.",
                again, .front("pass cookies on unchanged, all \(session.cookieCount) of them"))
        }
    }

    var crossSiteRequest: Remedy {
        let asks = Remedy.Step.client("send X-Requested-By with any value: a form of another site cannot")
        if loginAccess?.requiresHeader == true, !evidence.browser.offersWebSocket {
            return Remedy(
                "The route wants X-Requested-By in every request, and there is none.",
                asks, .configuration("\(routeKey).login.require_header", "false", "if pages are opened here too"))
        }
        let foreign = evidence.origins.filter { !ownOrigins.contains($0) }
        if let origin = foreign.first {
            let hint = nearMiss(origin, publicURL).map { "; they differ \($0)" } ?? ""
            return Remedy(
                "The request was made by a page of \(ShownText.quote(origin)), and not of \(publicURL)\(hint).",
                .configuration(
                    "\(routeKey).login.allowed_origins", yaml(foreign),
                    "if that page is yours, and may act for users"),
                .configuration(
                    "\(listenerKey).public_url", "the origin that browsers show", "if that is another one"))
        }
        return Remedy(
            "Nothing in the request says that a page of ours made it, and another site's could have, with the user's cookie.",
            asks, .front("pass Origin and Sec-Fetch-Site on"),
            .client("use a browser that sends Origin: all of today's do"))
    }
}
