import Crypto
import HTTPMessage
import Issuers
import JOSE
import JSON
import OAuth
import Refusals
import Sessions
import Synchronization

/// Asks one client's server for new tokens, and judges what it says (RF-03 … RF-07).
final class AskForRefresh: Sendable {
    private let place: LoginClient
    /// A server that adds rights does so with every refresh: the operator is told once.
    private let hasToldOfScopes = Atomic<Bool>(false)

    init(_ place: LoginClient) { self.place = place }

    /// The session with new tokens, or why there are none; the server is told of the span.
    func callAsFunction(_ session: Session, within trace: TraceParent?) async -> RefreshService.Answer {
        let place = self.place.within(trace)
        if let answer = unconfirmable(session, at: place) { return answer }
        guard let token = session.refreshToken else {
            return .unavailable(
                retryAfterSeconds: nil,
                because: RefusalDetail(expected: "a refresh token in the session", found: "none", check: "RF-06"))
        }
        var proof: ProofMaker?
        if let scalar = session.proofKey {
            // The tokens are bound to that key: without it there is nothing to ask with.
            guard let maker = LoginClient.proofMaker(scalar) else {
                return .ended(
                    tokens: nil,
                    because: RefusalDetail(
                        expected: "the key that the session's tokens are bound to", found: "bytes that are no key",
                        check: "DPOP-43"))
            }
            proof = maker
        }
        if let answer = await confirmAgain(session, proof, at: place) { return answer }
        let response: FetchResponse
        do throws(ServerRefusal) {
            // What was sent and not answered is not sent again: a second use of the token would look like theft.
            response = try await place.post(
                TokenRequest.refresh(token, resources: place.settings.authorization.resources), to: { $0.token },
                for: .session, sender: ServerUser(session).name, proof: proof)
        } catch {
            let detail = TokenFailure.failure(error).detail
            if error == .unreachable(.tooManyOfClient) { return .tooMany(because: detail) }
            return .unavailable(retryAfterSeconds: nil, because: detail)
        }
        do throws(TokenResponseRefusal) {
            let tokens = try TokenResponse.read(
                response, expects: proof == nil ? .bearer : .dpop, lenientExpiresIn: place.settings.lenientExpiresIn,
                custom: place.settings.tokenCustom)
            return await accept(tokens, session, token, proof, at: place)
        } catch {
            return refused(error, isProven: proof != nil)
        }
    }

    // MARK: a no

    private func refused(_ refusal: TokenResponseRefusal, isProven: Bool) -> RefreshService.Answer {
        guard case .refused(let error) = refusal else {
            let failure = TokenFailure.failure(refusal, isProven: isProven)
            alarm(failure.refusal, failure.detail)
            return .unavailable(retryAfterSeconds: nil, because: failure.detail)
        }
        func detail(_ check: String, _ expected: String = "new tokens") -> RefusalDetail {
            RefusalDetail(expected: expected, found: refusal.found, check: check)
        }
        switch error.meaning {
        // RF-05: used up, revoked, expired. Never asked a second time.
        case .grantRefused: return .ended(tokens: nil, because: detail("RF-05"))
        case .clientRefused:
            // Ours or theirs is misconfigured, and a login would not work either: users keep what they have.
            let detail = detail("CA-15", "a server that takes us for the client")
            alarm(.loginClientRefused, detail)
            return .unavailable(retryAfterSeconds: error.retryAfterSeconds, because: detail)
        case .requestRefused:
            let detail = detail("RF-04")
            alarm(.loginTokenAnswerInvalid, detail)
            // By its word the server knows what it is asked, and will not do it: to log in again is the way out.
            // Without one it may be a proxy's page while the server is being replaced (RF-06).
            if [200, 400].contains(error.response.status) && error.response.code != nil {
                return .ended(tokens: nil, because: detail)
            }
            return .unavailable(retryAfterSeconds: error.retryAfterSeconds, because: detail)
        case .unavailable: return .unavailable(retryAfterSeconds: error.retryAfterSeconds, because: detail("RF-06"))
        case .nonceDemanded: return .unavailable(retryAfterSeconds: error.retryAfterSeconds, because: detail("DPOP-41"))
        }
    }

    // MARK: a yes

    private func accept(
        _ tokens: TokenResponse, _ session: Session, _ last: Secret, _ proof: ProofMaker?, at place: LoginClient
    ) async -> RefreshService.Answer {
        let now = place.now
        let granted = GrantedScopes(tokens, refreshing: session.scopes)
        var refreshed = session
        refreshed.scopes = granted.scopes
        // One that nobody has confirmed has an access token so that it can be: that alone is no reason to keep another.
        let hadUse = session.accessToken != nil && session.isConfirmed
        refreshed.accessToken = hadUse || place.settings.uses.keepsAccessToken ? tokens.accessToken : nil
        refreshed.accessTokenIssuedAt = now
        let (end, overflows) = now.addingReportingOverflow(max(tokens.expiresIn, 0))
        refreshed.accessTokenExpiresAt = overflows ? .max - 1 : end
        refreshed.refreshToken = tokens.refreshToken(after: last)
        refreshed.seenAt = max(session.seenAt, now)
        refreshed.generation = session.generation &+ 1
        // RF-04: what the user was not asked about is no right of this session's.
        if !granted.ignored.isEmpty && !hasToldOfScopes.exchange(true, ordering: .relaxed) {
            alarm(
                .loginScopeNotGranted,
                RefusalDetail(
                    expected: "the scopes of the login, or fewer",
                    found: "\(granted.ignored.count) more, which are ignored until the next login", check: "RF-04"))
        }
        if let endpoint = place.settings.identityFrom {
            return await confirm(refreshed, with: tokens.accessToken, by: endpoint, proof, at: place)
        }
        guard let idToken = tokens.idToken else { return .session(refreshed) }
        do throws(IDTokenRefusal) {
            guard let verified = try await verify(idToken, with: tokens.accessToken, against: session, at: place) else {
                return .session(refreshed)
            }
            if place.settings.keepsIDToken { refreshed.idToken = verified.signed }
            refreshed.serverSession = verified.sid ?? session.serverSession
            refreshed.claims = UserInfo.merge(
                idToken: verified,
                previous: try? JSONValue.parse(session.claims.span, limits: .filled(to: session.claims.count)),
                names: place.settings.uses.claimNames, requiresVerifiedEmail: place.settings.requiresVerifiedEmail)
            return .session(refreshed)
        } catch {
            // RF-07: tokens of another user, or of another login. Whoever they belong to, it is not this session.
            let detail = RefusalDetail(
                expected: error.expected(by: place.settings.idToken), found: error.found, check: error.check)
            alarm(.loginIDTokenInvalid, detail)
            return .ended(tokens: refreshed, because: detail)
        }
    }

    /// The ID token, when it is good and of this session's login; nil where no key is at hand to tell.
    ///
    /// Without keys the session goes on with what it knew: the tokens came from the server itself, and the old ones may
    /// be worth nothing any more.
    private func verify(
        _ token: Secret, with accessToken: Secret, against session: Session, at place: LoginClient
    ) async throws(IDTokenRefusal) -> VerifiedIDToken? {
        guard let verified = try await verified(token, with: accessToken, at: place) else { return nil }
        let claims = try? JSONValue.parse(session.claims.span, limits: .filled(to: session.claims.count))
        try IDToken.checkRefreshed(
            verified,
            against: IDToken.Original(
                issuer: session.issuer, subject: session.subject, authTime: claims?["auth_time"]?.integer,
                nonce: session.nonceDigest))
        return verified
    }

    /// The same before it is held against the session.
    private func verified(
        _ token: Secret, with accessToken: Secret, at place: LoginClient
    ) async throws(IDTokenRefusal) -> VerifiedIDToken? {
        let known = place.keys
        var last: IDTokenRefusal
        do throws(IDTokenRefusal) {
            return try verifyOnce(token, accessToken, with: known)
        } catch {
            guard error.wantsKeysReadAgain || error.lacksKeys else { throw error }
            last = error
        }
        switch await place.readKeysAgain(after: known, as: .answer) {
        case .same: break
        case .failed: return nil
        case .others:
            do throws(IDTokenRefusal) {
                return try verifyOnce(token, accessToken, with: place.keys)
            } catch {
                last = error
            }
        }
        // With the server's keys of now at hand, a signature by none of them is nobody's but a stranger's.
        if case .envelope(.signatureInvalid) = last { throw last }
        guard last.wantsKeysReadAgain || last.lacksKeys else { throw last }
        return nil
    }

    private func verifyOnce(
        _ token: Secret, _ accessToken: Secret, with keys: IssuerKeys?
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        try IDToken.verify(
            token, of: IDToken.Login(nonce: nil, accessToken: accessToken), rules: place.settings.idToken,
            keys: keys.map { VerificationKeys($0.keySet) }, decryption: place.settings.keys.decryption,
            now: place.now)
    }

    private func alarm(_ refusal: Refusal, _ detail: RefusalDetail) { place.alarm(refusal, detail) }
}
