import Bytes
import JSON
import Refusals
import Sessions

/// What a page's script may know of the session (SC-12): who, until when, and where to log in and out.
///
/// Never a token. To ask is no use of the session: a page that asks every minute keeps nobody logged in. Of one that waits for
/// a word (below) it is, as a refresh is, for as long as it waits.
///
/// A session of which nobody has said whose its tokens are has no user that a page could be told (OIDC-20). It is asked about
/// first, as at a route. A page that were told of somebody else would show one user as another; one that were told of nobody
/// would send its user to log in for an outage that is over in a minute.
package enum SessionDocument {
    /// Answers `session/<client>`.
    static func answer(
        _ request: LoginRequest, _ place: LoginClient, _ refreshes: RefreshService
    ) async -> LoginAnswer {
        guard request.method == .get || request.method == .head else {
            return .methodNotAllowed("GET, HEAD", check: "SC-12")
        }
        // Another site's page could not read the answer, but as a script element it could run it or time it.
        guard request.hasRequestedBy || request.fetchSite == "same-origin" else {
            return LoginAnswer(
                .refused(
                    .crossSiteRequest,
                    detail: RefusalDetail(
                        expected: "X-Requested-By, or Sec-Fetch-Site same-origin", found: "neither", check: "SC-12")))
        }
        switch await place.session(in: request.cookies) {
        case .unavailable: return .storeUnavailable(at: place)
        case .none: return loginRequired(place)
        case .found(let session, let value, let successor):
            guard !session.isConfirmed else { return found(session, newer: successor, request, place) }
            let answer = await refreshes.refresh(
                session, value: successor ?? value, client: place.index, within: request.trace)
            switch answer {
            case .session(let confirmed, let newer): return found(confirmed, newer: newer ?? successor, request, place)
            case .ended: return loginRequired(place, cookies: place.settings.session.cookieDeletion)
            case .unavailable: return unconfirmed(.sessionRefreshUnavailable, "no answer", successor, request, place)
            case .tooMany: return unconfirmed(.clientWaitersTooMany, "more of one user", successor, request, place)
            }
        }
    }

    /// Somebody is logged in; `newer` is their cookie's value, where it is another than the request has.
    private static func found(
        _ session: Session, newer: [UInt8]?, _ request: LoginRequest, _ place: LoginClient
    ) -> LoginAnswer {
        LoginAnswer(
            .document(type: "application/json", bytes: document(session, place)),
            cookies: newer.map { place.cookieLines($0, replacing: request.cookies) } ?? [])
    }

    /// Nobody is logged in.
    private static func loginRequired(_ place: LoginClient, cookies: [String] = []) -> LoginAnswer {
        LoginAnswer(
            .refused(.loginRequired, detail: RefusalDetail(expected: "a session", found: "none", check: "SC-12")),
            cookies: cookies, retry: place.path(.login))
    }

    /// Nobody can say now whose session it is.
    ///
    /// What the browser has may be spent, so that it gets what is newer all the same.
    private static func unconfirmed(
        _ refusal: Refusal, _ found: String, _ newer: [UInt8]?, _ request: LoginRequest, _ place: LoginClient
    ) -> LoginAnswer {
        LoginAnswer(
            .refused(
                refusal,
                detail: RefusalDetail(
                    expected: "a word of the endpoint of identity_from on the session", found: found, check: "OIDC-20")),
            cookies: newer.map { place.cookieLines($0, replacing: request.cookies) } ?? [],
            fields: [("Retry-After", "5")])
    }

    private static func document(_ session: Session, _ place: LoginClient) -> [UInt8] {
        let (idle, overflows) = session.seenAt.addingReportingOverflow(Int64(place.settings.session.idle.wholeSeconds))
        let idleEnd = overflows ? session.endsAt : min(idle, session.endsAt)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("authenticated")
        writer.bool(true)
        writer.name("exp")
        writer.integer(idleEnd)
        writer.name("absolute_exp")
        writer.integer(session.endsAt)
        writer.name("claims")
        claims(session, place.settings.scriptClaims, to: &writer)
        writer.name("login")
        writer.string(place.path(.login))
        writer.name("logout")
        writer.string(place.path(.logout))
        writer.endObject()
        return writer.finish()
    }

    /// Those of the session's claims that the configuration lets scripts know.
    private static func claims(_ session: Session, _ names: [String], to writer: inout JSONWriter) {
        let claims = try? JSONValue.parse(session.claims.span, limits: .filled(to: session.claims.count))
        var written: Set<[UInt8]> = []
        writer.beginObject()
        for name in names where written.insert(Array(name.utf8)).inserted {
            guard let value = claims?[name] else { continue }
            writer.name(name)
            writer.value(value)
        }
        writer.endObject()
    }
}

extension LoginAnswer {
    /// The store cannot be reached: nobody is taken for logged out (SC-13).
    static func storeUnavailable(at place: LoginClient) -> LoginAnswer {
        let session = place.settings.session
        guard session.store != .shared, !session.accepts.contains(.shared) else {
            return LoginFailure.storeUnavailable(check: "SH-74", expected: "the store's word on a session")
                .answer(at: place, retry: nil)
        }
        return LoginAnswer(
            .refused(
                .sessionStoreUnavailable,
                detail: RefusalDetail(expected: "the session store's answer", found: "none", check: "SC-13")),
            fields: [("Retry-After", "5")])
    }

    /// The method is none of those.
    static func methodNotAllowed(_ allowed: String, check: String) -> LoginAnswer {
        LoginAnswer(
            .refused(
                .methodNotAllowed, detail: RefusalDetail(expected: allowed, found: "another method", check: check)),
            fields: [("Allow", allowed)])
    }
}
