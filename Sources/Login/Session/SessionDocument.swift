import Bytes
import JSON
import Refusals
import Sessions

/// What a page's script may know of the session (SC-12): who, until when, and where to log in and out.
///
/// Never a token. To ask is no use of the session: a page that asks every minute keeps nobody logged in.
package enum SessionDocument {
    /// Answers `session/<client>`.
    static func answer(_ request: LoginRequest, _ place: LoginClient) async -> LoginAnswer {
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
        case .none:
            return LoginAnswer(
                .refused(
                    .loginRequired,
                    detail: RefusalDetail(expected: "a session", found: "none", check: "SC-12")),
                retry: place.path(.login))
        case .found(let session, _, let successor):
            return LoginAnswer(
                .document(type: "application/json", bytes: document(session, place)),
                cookies: successor.map { place.cookieLines($0, replacing: request.cookies) } ?? [])
        }
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
