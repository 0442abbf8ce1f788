import Crypto
import Issuers
import JOSE
import OAuth
import Refusals
import Sessions
import SharedState

/// The authorization server says that its session is over (OpenID Connect Back-Channel Logout; LO-05 … LO-10).
extension LogoutService {
    func backchannelLogout(_ request: LoginRequest, _ place: LoginClient) async -> LoginAnswer {
        guard place.settings.logout.backchannel else {
            return .notOffered("logout.backchannel in the client's configuration", check: "LO-05")
        }
        guard request.method == .post else { return .methodNotAllowed("POST", check: "LO-05") }
        let milliseconds = place.clock.now().milliseconds
        do throws(LogoutTokenRefusal) {
            let text = try LogoutToken.find(in: request.body, contentType: request.contentType)
            try checkIssuer(text, place)
            // LO-12: what costs little has been looked at; from here on it is signatures.
            let work = work(for: text, place)
            guard budget.isLeft(to: request.peer, for: work, at: milliseconds) else { return Self.tooMany }
            let token = try await verified(text, place) { work in
                self.budget.failed(request.peer, work, at: milliseconds)
            }
            budget.succeeded(request.peer, at: milliseconds)
            return await effect(token, request, place)
        } catch {
            return refused(error, place)
        }
    }

    private static let tooMany = LoginAnswer(
        .refused(
            .loginRequestsTooMany,
            detail: RefusalDetail(
                expected: "fewer logout tokens that are not good", found: "more from one address", check: "LO-12")),
        fields: [("Retry-After", "1")])

    private func refused(_ refusal: LogoutTokenRefusal, _ place: LoginClient) -> LoginAnswer {
        let detail = RefusalDetail(
            expected: refusal.expected(by: rules(place)), found: refusal.found, check: refusal.check)
        guard !refusal.lacksKeys else {
            return LoginAnswer(.refused(.loginKeysUnavailable, detail: detail), fields: [("Retry-After", "5")])
        }
        return LoginAnswer(.refused(.logoutTokenInvalid, detail: detail))
    }

    /// What it takes to look at a token.
    private func work(for text: [UInt8], _ place: LoginClient) -> LogoutTokenBudget.Work {
        CompactJWE.isJWE(text.span) && !place.settings.keys.decryption.isEmpty ? .decryption : .signature
    }

    private func rules(_ place: LoginClient) -> LogoutTokenRules {
        LogoutTokenRules(
            place.settings.idToken, requiresType: place.settings.logout.requiresType,
            acceptsWithoutExpiry: place.settings.logout.acceptsWithoutExpiry)
    }

    /// LO-12: a token of somebody else's moves nothing here, not even our own issuer's keys.
    ///
    /// An encrypted one cannot be looked into yet.
    private func checkIssuer(_ text: [UInt8], _ place: LoginClient) throws(LogoutTokenRefusal) {
        let unchecked = try? UncheckedJWT.parse(text.span, maximumBytes: place.settings.idToken.maximumBytes)
        guard let issuer = unchecked?.unverifiedIssuer,
            !issuer.utf8.elementsEqual(place.settings.idToken.issuer.utf8)
        else { return }
        throw .claim(.issuerMismatch(issuer))
    }

    /// The token, verified; `failed` is told each time that a key was used in vain.
    private func verified(
        _ text: [UInt8], _ place: LoginClient, failed: (LogoutTokenBudget.Work) -> Void
    ) async throws(LogoutTokenRefusal) -> LogoutToken {
        let known = place.keys
        let first: LogoutTokenRefusal
        do throws(LogoutTokenRefusal) {
            return try verifiedOnce(text, place, with: known, failed)
        } catch {
            guard error.wantsKeysReadAgain || error.lacksKeys else { throw error }
            first = error
        }
        switch await place.readKeysAgain(after: known, as: .logoutToken) {
        case .same: throw first
        case .failed: throw .envelope(.keysMissing)
        case .others: return try verifiedOnce(text, place, with: place.keys, failed)
        }
    }

    private func verifiedOnce(
        _ text: [UInt8], _ place: LoginClient, with keys: IssuerKeys?, _ failed: (LogoutTokenBudget.Work) -> Void
    ) throws(LogoutTokenRefusal) -> LogoutToken {
        do throws(LogoutTokenRefusal) {
            return try LogoutToken.verify(
                text.span, rules: rules(place), keys: keys.map { VerificationKeys($0.keySet) },
                decryption: place.settings.keys.decryption, now: place.now)
        } catch {
            switch work(for: text, place) {
            case .decryption where error.isSeenBeforeDecryption: break
            case .decryption: failed(.decryption)
            case .signature where error.isSeenBeforeSignature: break
            case .signature: failed(.signature)
            }
            throw error
        }
    }

    /// LO-09: with `sid` that session of the server's alone, without it all of the user's that had begun by then.
    private func effect(_ token: LogoutToken, _ request: LoginRequest, _ place: LoginClient) async -> LoginAnswer {
        let which: SessionEnd
        if let sid = token.sid {
            which = .serverSession(issuer: token.issuer, sid: sid, subject: token.subject)
        } else {
            // Two clocks: a session that began just before the logout must not outlive it for having a later time.
            // Never beyond now, so that a token that comes twice ends no session that begins afterwards.
            let until = min(place.now, token.issuedAt + Int64(place.settings.idToken.leewaySeconds))
            which = .subject(issuer: token.issuer, subject: token.subject ?? "", until: until)
        }
        do throws(SessionStoreRefusal) {
            try await end(which, by: .backChannel, in: request, at: place)
        } catch {
            return .storeUnavailable(at: place)
        }
        // Remembered only now: where the store could not be reached, the server may send the same token again. To end
        // what has ended changes nothing, so that two at the same time do no harm.
        switch await use(token, place) {
        // Full: the effect is the same the second time, and to refuse a logout would be worse.
        case .first, .full, .fullForHolder: return LoginAnswer(.done)
        case .used, .usedElsewhere:
            return LoginAnswer(
                .refused(
                    .logoutTokenUsed,
                    detail: RefusalDetail(expected: "a jti that was not used", found: "one that was", check: "LO-08")))
        case .unavailable:
            return LoginFailure.storeUnavailable(
                check: "SH-63", expected: "the store's word on whether the logout token was used"
            ).answer(at: place, retry: nil)
        }
    }

    private func use(_ token: LogoutToken, _ place: LoginClient) async -> SingleUse.Outcome {
        // Lengths keep issuer and name apart; the same token can be for one client only (`aud`).
        let text =
            "\(token.issuer.utf8.count) \(token.issuer) \(place.settings.name.utf8.count) "
            + "\(place.settings.name) \(token.tokenID)"
        let (digest, now) = (SHA256.hash(text.utf8Span.span), place.now)
        return await used.use(
            digest, holder: SHA256.hash(token.issuer.utf8Span.span), until: token.usableUntil, now: now,
            askStore: place.shared.map { shared in
                { () async throws(StoreRefusal) in
                    try await shared.use(logoutToken: digest, until: token.usableUntil, now: now)
                }
            })
    }
}
