// SPDX-License-Identifier: Apache-2.0
import Crypto
import Issuers
import JOSE
import OAuth
import Replay
import Sessions

/// The authorization server says that its session is over (OpenID Connect Back-Channel Logout; LO-05 … LO-10).
extension LogoutDesk {
    func backchannelLogout(_ request: LoginRequest, _ place: ClientPlace) async -> LoginAnswer {
        guard place.settings.logout.backchannel else {
            return .notOffered("logout.backchannel in the client's configuration", check: "LO-05")
        }
        guard request.method == .post else { return .methodNotAllowed("POST", check: "LO-05") }
        // LO-12: each signature costs us more than it costs who sends it.
        let milliseconds = place.clock.now().milliseconds
        guard budget.isLeft(to: request.peer, at: milliseconds) else {
            return LoginAnswer(
                .refused(
                    .tooManyRequests,
                    detail: LoginDetail(
                        expected: "few logout tokens that are not good", found: "too many from one address",
                        check: "LO-12")), fields: [("Retry-After", "5")])
        }
        do throws(LogoutTokenRefusal) {
            let text = try LogoutToken.find(in: request.body, contentType: request.contentType)
            let token = try await verified(text, place)
            return await effect(token, place)
        } catch {
            guard !error.lacksKeys else {
                return LoginAnswer(
                    .refused(
                        .keysUnavailable,
                        detail: LoginDetail(
                            expected: error.expected(by: rules(place)), found: error.found, check: error.checkID)),
                    fields: [("Retry-After", "5")])
            }
            budget.charge(request.peer, at: milliseconds)
            return LoginAnswer(
                .refused(
                    .logoutTokenInvalid,
                    detail: LoginDetail(
                        expected: error.expected(by: rules(place)), found: error.found, check: error.checkID)))
        }
    }

    private func rules(_ place: ClientPlace) -> LogoutTokenRules {
        LogoutTokenRules(
            place.settings.idToken, requiresType: place.settings.logout.requiresType,
            acceptsWithoutExpiry: place.settings.logout.acceptsWithoutExpiry)
    }

    private func verified(_ text: [UInt8], _ place: ClientPlace) async throws(LogoutTokenRefusal) -> LogoutToken {
        // LO-12: a token of somebody else's moves nothing here, not even our own issuer's keys. An encrypted one
        // cannot be looked into yet.
        let unchecked = try? UncheckedJWT.parse(text.span, maximumBytes: place.settings.idToken.maximumBytes)
        if let issuer = unchecked?.unverifiedIssuer,
            !issuer.utf8.elementsEqual(place.settings.idToken.issuer.utf8)
        {
            throw .issuerMismatch(issuer)
        }
        do throws(LogoutTokenRefusal) {
            return try verifiedOnce(text, place)
        } catch {
            guard error.wantsKeysReadAgain || error.lacksKeys else { throw error }
            // A new key, perhaps: how often its issuer is asked is limited there (JOSE-17).
            await place.sources.refresh(place.client.issuer)
            return try verifiedOnce(text, place)
        }
    }

    private func verifiedOnce(_ text: [UInt8], _ place: ClientPlace) throws(LogoutTokenRefusal) -> LogoutToken {
        try LogoutToken.verify(
            text.span, rules: rules(place), keys: place.keys.map { VerificationKeys($0.keySet) },
            decryption: place.settings.decryptionKeys, now: place.now)
    }

    /// LO-09: with `sid` that session of the server's alone, without it all of the user's that had begun by then.
    private func effect(_ token: LogoutToken, _ place: ClientPlace) async -> LoginAnswer {
        let which: SessionEnd
        if let sid = token.sid {
            which = .serverSession(issuer: token.issuer, sid: sid)
        } else {
            // Two clocks: a session that began just before the logout must not outlive it for having a later time.
            // Never beyond now, so that a token that comes twice ends no session that begins afterwards.
            let until = min(place.now, token.issuedAt + Int64(place.settings.idToken.leewaySeconds))
            which = .subject(issuer: token.issuer, subject: token.subject ?? "", until: until)
        }
        do throws(SessionStoreRefusal) {
            try await end(which, at: place)
        } catch {
            return .storeUnavailable
        }
        // Remembered only now: where the store could not be reached, the server may send the same token again. To end
        // what has ended changes nothing, so that two at the same time do no harm.
        guard isFirstUse(of: token, place) else {
            return LoginAnswer(
                .refused(
                    .logoutTokenUsed,
                    detail: LoginDetail(expected: "a jti that was not used", found: "one that was", check: "LO-08")))
        }
        return LoginAnswer(.done)
    }

    private func isFirstUse(of token: LogoutToken, _ place: ClientPlace) -> Bool {
        // Lengths keep issuer and name apart; the same token can be for one client only (`aud`).
        let text =
            "\(token.issuer.utf8.count) \(token.issuer) \(place.settings.name.utf8.count) "
            + "\(place.settings.name) \(token.tokenID)"
        let issuer = SHA256.hash(token.issuer.utf8Span.span)
        let outcome = used.insert(
            SHA256.hash(text.utf8Span.span), thumbprint: issuer, until: token.usableUntil, now: place.now)
        // Full: the effect is the same the second time, and to refuse a logout would be worse.
        return outcome != .replayed
    }
}
