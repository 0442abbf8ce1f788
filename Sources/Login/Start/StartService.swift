import Bytes
import Crypto
import JOSE
import OAuth
import Refusals
import Sessions

/// Begins logins: from the start's URL to the redirect to the server.
///
///     start ─▶ page that keeps the fragment ─▶ start with the fragment ─▶ (PAR) ─▶ 303 to the server
///     a form ─▶ page that keeps it ─▶ start …
struct StartService: Sendable {
    let hosted: HostedRequests

    /// Answers a request to `login/<client>`.
    func answer(_ request: LoginRequest, at place: LoginClient) async -> LoginAnswer {
        do throws(LoginFailure) {
            switch request.method {
            case .get: break
            case .post: return try keepForm(request, at: place)
            case .head, .other:
                return LoginAnswer(
                    .refused(
                        .methodNotAllowed,
                        detail: RefusalDetail(expected: "GET", found: "another method", check: "CF-08")),
                    fields: [("Allow", "GET, POST")])
            }
            let start = try StartRequest(query: request.query, place: place, publicURL: request.publicURL)
            // A script, an image or a frame would follow the redirect to the server and get nothing out of it.
            guard request.isNavigation else {
                throw LoginFailure(
                    .loginStartMalformed, check: "CF-08", expected: "a navigation", found: "another kind of request")
            }
            // Only a browser has a fragment, and only one that shows documents runs the page's script.
            if place.settings.start.keepsFragment, !start.isFragmentKnown, request.fetchDestination == "document" {
                return LoginAnswer(.page(.keepFragment(next: Self.shown(request, at: place))))
            }
            return try await begin(LoginPlan(start, at: place), request, at: place)
        } catch {
            return error.answer(at: place, retry: Self.retry(request, after: error, at: place))
        }
    }

    /// Where the page of a start that failed leads: to the same start, or to a plain one where that can never do.
    private static func retry(_ request: LoginRequest, after failure: LoginFailure, at place: LoginClient) -> String? {
        guard request.method == .get else { return nil }
        guard failure.refusal != .loginStartMalformed else {
            return StartRequest(returnTo: place.settings.start.page).path(at: place)
        }
        let query = asQuery(request.query)
        return place.path(.login) + (query.isEmpty ? "" : "?" + query)
    }

    /// Begins a login that is planned, for whichever reason; the redirect to the server, with the transaction's cookie.
    ///
    /// Nothing is left in the browser when it fails.
    func begin(
        _ plan: LoginPlan, _ request: LoginRequest, at place: LoginClient, endedBefore: Bool = false
    ) async throws(LoginFailure) -> LoginAnswer {
        let now = place.now
        if !endedBefore, EndedLogins.isLoop(in: request.cookies.span, now: now) {
            throw LoginFailure(
                .loginLoop, check: "CF-12",
                expected: "\(EndedLogins.limit) logins in \(EndedLogins.windowSeconds) s at most",
                found: "another one, and no session", retryAfterSeconds: Int(EndedLogins.windowSeconds))
        }
        let server = try await place.suitableServer()
        let transaction = plan.transaction(seed: Secret(RandomBytes.fill(LoginSecrets.seedCount)), at: place)
        let stateBytes = RandomBytes.fill(32)
        let state = Base64URL.encode(stateBytes.span)
        let redirectURI = place.redirectURI(request.publicURL)
        let secrets = try place.secrets(of: transaction)
        let proof = try place.proofMaker(secrets, at: server)
        let parameters = AuthorizationParameters(
            settings: plan.settings(of: place), clientID: place.clientID, redirectURI: redirectURI, state: state,
            nonce: secrets.nonce, challenge: secrets.challenge, proofThumbprint: proof?.thumbprint,
            stepUp: plan.stepUp)
        let delivery = RequestDelivery(
            place: place, server: server, hosted: hosted, publicURL: request.publicURL, peer: request.peer,
            network: request.network)
        let location = try await delivery.location(of: parameters, state: state, proof: proof)
        let cookies = try cookies(transaction, state: state, redirectURI: redirectURI, request, at: place)
        place.onEvent(.started(client: place.index, request.names))
        return LoginAnswer(.redirect(location), cookies: cookies)
    }

    /// The cookie of this login, and the ends of those that there is no room for (CF-07).
    private func cookies(
        _ transaction: LoginTransaction, state: String, redirectURI: String, _ request: LoginRequest,
        at place: LoginClient
    ) throws(LoginFailure) -> [String] {
        let sealed: (name: String, value: [UInt8])
        do throws(CryptoRefusal) {
            sealed = try place.sealer.seal(transaction, state: state, redirectURI: redirectURI)
        } catch {
            throw LoginFailure(
                .loginRequestNotMade, check: "CF-06", expected: "a sealed transaction", found: "no seal", isAlarm: true)
        }
        let sameSite = place.transactionSameSite
        let evicted = TransactionSealer.evictions(
            in: request.cookies.span, adding: sealed.name.utf8.count + sealed.value.count)
        return evicted.flatMap { SetCookie.deletion(name: $0, sameSite: sameSite) }
            + SetCookie.lines(
                name: sealed.name, value: sealed.value, sameSite: sameSite, maxAge: TransactionSealer.lifetimeSeconds)
    }

    /// Asks the server whether it knows the user, without a word to them; runs where the session endpoint was asked.
    func silent(_ request: LoginRequest, at place: LoginClient) async -> LoginAnswer {
        do throws(LoginFailure) {
            return try await begin(LoginPlan(silentAt: place), request, at: place)
        } catch {
            return error.answer(at: place, retry: nil)
        }
    }

    // MARK: forms

    /// The page that keeps a form in the browser until its user has logged in.
    ///
    /// The gateway brings forms here that were posted to a route without a session, with the route's path as
    /// `return_to`. Only forms of our own pages: after the login it is we who post it, so that a form of another site
    /// would pass every check that keeps such forms out (SC-09).
    private func keepForm(_ request: LoginRequest, at place: LoginClient) throws(LoginFailure) -> LoginAnswer {
        var start = try StartRequest(query: request.query, place: place, publicURL: request.publicURL)
        guard request.isFromThisOrigin else {
            throw LoginFailure(
                .crossSiteRequest, check: "SC-09", expected: "a form of this origin", found: "a form of another origin")
        }
        let type = (request.contentType ?? "").utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        let bytes = Array(type)
        guard ASCII.equalsIgnoringCase(bytes.span, "application/x-www-form-urlencoded"),
            request.body.count <= Self.formLimit
        else {
            throw LoginFailure(
                .loginStartMalformed, check: "CF-08", expected: "a form of at most \(Self.formLimit) bytes",
                found: "another content")
        }
        start.keepsForm = true
        return LoginAnswer(.page(.keepForm(next: start.path(at: place), form: request.body, action: start.returnTo)))
    }

    /// Bytes of a form that is kept.
    static let formLimit = 16 * 1024

    /// The same start, once its fragment was looked for.
    private static func shown(_ request: LoginRequest, at place: LoginClient) -> String {
        let query = asQuery(request.query)
        return place.path(.login) + "?" + query + (query.isEmpty ? "" : "&") + StartRequest.shownName + "=1"
    }

    /// A query for a link: what is none of its characters would leave the attribute of the page that it goes into.
    private static func asQuery(_ bytes: [UInt8]) -> String {
        var query: [UInt8] = []
        for byte in bytes {
            if ASCII.isUnreserved(byte) || queryCharacters.contains(byte) {
                query.append(byte)
            } else {
                PercentEncoding.appendEscape(byte, to: &query)
            }
        }
        return String(decoding: query, as: UTF8.self)
    }

    private static let queryCharacters = Array("=&%+/:,;@!$*?".utf8)
}
