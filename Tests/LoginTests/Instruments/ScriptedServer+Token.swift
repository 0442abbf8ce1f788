import Bytes
import Crypto
import HTTPMessage
import JOSE
import JSON
import Synchronization
import TestSupport

extension ScriptedServer {
    func token(_ request: FetchRequest) throws(FetchRefusal) -> FetchResponse {
        let form = FormText.decode(request.body ?? [])
        let isRefresh = form["grant_type"] == "refresh_token"
        if let answer = isRefresh ? habits.refreshAnswer : habits.tokenAnswer { return try answer.get() }
        guard authenticates(request, form) else { return Self.error("invalid_client", status: 401) }
        return isRefresh ? refresh(request, form) : redeem(request, form)
    }

    private func redeem(_ request: FetchRequest, _ form: [(String, String)]) -> FetchResponse {
        guard form["grant_type"] == "authorization_code", let code = form["code"] else {
            return Self.error("unsupported_grant_type")
        }
        let found = state.withLock { state in
            if state.codes[code] == nil { state.redeemedTwice.append(code) }
            return state.codes.removeValue(forKey: code)
        }
        guard var grant = found else { return Self.error("invalid_grant") }
        guard form["redirect_uri"] == grant.parameters["redirect_uri"] else { return Self.error("invalid_grant") }
        let verifier = Array((form["code_verifier"] ?? "").utf8)
        guard SHA256.hash(verifier.span).base64URL == grant.parameters["code_challenge"] else {
            return Self.error("invalid_grant")
        }
        let thumbprint = Self.thumbprint(of: request)
        if let bound = grant.thumbprint, bound != thumbprint { return Self.error("invalid_grant") }
        grant.thumbprint = thumbprint
        return answer(grant, isRefresh: false)
    }

    private func refresh(_ request: FetchRequest, _ form: [(String, String)]) -> FetchResponse {
        guard let token = form["refresh_token"] else { return Self.error("invalid_request") }
        let found = state.withLock { state in
            defer { if state.habits.rotates { state.refreshTokens[token] = nil } }
            return state.refreshTokens[token]
        }
        guard let grant = found, grant.thumbprint == Self.thumbprint(of: request) else {
            return Self.error("invalid_grant")
        }
        return answer(grant, isRefresh: true)
    }

    private func answer(_ grant: Grant, isRefresh: Bool) -> FetchResponse {
        let (access, refresh, habits) = state.withLock { state in
            let access = state.secret("access")
            let refresh = state.secret("refresh")
            state.accessTokens[access] = grant
            if !isRefresh || state.habits.rotates { state.refreshTokens[refresh] = grant }
            return (access, refresh, state.habits)
        }
        var members = [
            ("access_token", Self.quoted(access)),
            ("token_type", grant.thumbprint == nil ? "\"Bearer\"" : "\"DPoP\""),
            ("expires_in", "\(habits.tokenSeconds)"),
            ("scope", Self.quoted(grant.parameters["scope"] ?? "")),
        ]
        if !isRefresh || habits.rotates { members.append(("refresh_token", Self.quoted(refresh))) }
        members.append(
            ("id_token", Self.quoted(habits.idToken ?? idToken(grant, access: access, habits, isRefresh: isRefresh))))
        return Self.json(Self.object(members, isRefresh ? habits.refreshMembers : habits.tokenMembers))
    }

    /// An ID token for what was granted, as the habits say.
    private func idToken(_ grant: Grant, access: String, _ habits: ServerHabits, isRefresh: Bool) -> String {
        let key = habits.idTokenKey ?? self.key
        let now = clock.seconds
        let token = Array(access.utf8)
        let digest = SHA256.hash(token.span).base64URL
        let text = Array(digest.utf8)
        let bytes = Base64URL.decode(text.span) ?? []
        let half = Array(bytes.prefix(16))
        var claims = [
            ("iss", Self.quoted(Self.issuer)), ("sub", Self.quoted(habits.subject)), ("aud", Self.quoted(clientID)),
            ("exp", "\(now + 300)"), ("iat", "\(now)"), ("at_hash", Self.quoted(Base64URL.encode(half.span))),
        ]
        if !isRefresh, let nonce = grant.parameters["nonce"] { claims.append(("nonce", Self.quoted(nonce))) }
        if let sid = habits.serverSession { claims.append(("sid", Self.quoted(sid))) }
        if let acr = habits.acr { claims.append(("acr", Self.quoted(acr))) }
        if let ago = habits.authenticatedAgo { claims.append(("auth_time", "\(now - ago)")) }
        let signed = TokenMint.sign(
            header: Self.object(
                [("alg", "\"\(key.algorithm.name)\""), ("kid", Self.quoted(key.keyID ?? ""))], habits.idTokenHeader),
            claims: Self.object(claims, habits.idTokenClaims), key: key, algorithm: key.algorithm)
        guard let recipient = habits.idTokenRecipient else { return signed }
        let sealed = try? CompactJWE.encrypt(
            signed.utf8Span.span, to: recipient.published, algorithm: recipient.algorithm, encoding: "A256GCM",
            contentType: "JWT")
        return String(decoding: sealed ?? [], as: UTF8.self)
    }

    func userInfo(_ request: FetchRequest) throws(FetchRefusal) -> FetchResponse {
        if let answer = habits.userInfoAnswer { return try answer.get() }
        let field = request.headers.first { $0.0 == "Authorization" }?.1 ?? ""
        let parts = field.split(separator: " ")
        guard parts.count == 2, let grant = state.withLock({ $0.accessTokens[String(parts[1])] }),
            parts[0] == (grant.thumbprint == nil ? "Bearer" : "DPoP"),
            grant.thumbprint == Self.thumbprint(of: request)
        else { return FetchResponse(status: 401) }
        return Self.json(
            Self.object(
                [("sub", Self.quoted(habits.subject)), ("email", "\"user@example.com\"")], habits.userInfoMembers))
    }

    func revoke(_ request: FetchRequest) throws(FetchRefusal) -> FetchResponse {
        if let answer = habits.revocationAnswer { return try answer.get() }
        let form = FormText.decode(request.body ?? [])
        guard authenticates(request, form) else { return Self.error("invalid_client", status: 401) }
        if let token = form["token"] { state.withLock { $0.revoked.append(token) } }
        return FetchResponse(status: 200)
    }
}

// MARK: proofs of possession

extension ScriptedServer {
    /// The header and the claims of a request's proof; nil when there is none.
    static func proof(of request: FetchRequest) -> UncheckedJWT? {
        let values = request.headers.filter { $0.0 == "DPoP" }
        guard values.count == 1 else { return nil }
        let value = Array(values[0].1.utf8)
        return try? UncheckedJWT.parse(value.span, maximumBytes: 8192)
    }

    /// The thumbprint of the key of a proof that is for this request and signed by that key; nil for any other.
    static func thumbprint(of request: FetchRequest) -> String? {
        guard let proof = proof(of: request), proof.claims["htm"]?.string == (request.method == .post ? "POST" : "GET"),
            proof.claims["htu"]?.string == String(request.url.prefix { $0 != "?" }),
            let document = header(of: request.headers.first { $0.0 == "DPoP" }?.1 ?? ""),
            document["typ"]?.string == "dpop+jwt", let value = document["jwk"], let jwk = try? JWK(value),
            (try? VerificationKeys(KeySet(keys: [jwk])).verify(proof.jws, algorithms: [.es256])) != nil
        else { return nil }
        return jwk.thumbprint.base64URL
    }

    private static func header(of token: String) -> JSONValue? {
        let segment = Array(token.utf8.prefix { $0 != UInt8(ascii: ".") })
        guard let bytes = Base64URL.decode(segment.span) else { return nil }
        return try? JSONValue.parse(bytes.span)
    }

    /// Sends a request away whose proof lacks the newest nonce, where the test wants that.
    func nonceDemand(_ request: FetchRequest) -> FetchResponse? {
        guard let proof = Self.proof(of: request) else { return nil }
        let demand: String? = state.withLock { state in
            switch state.habits.nonceDemand {
            case .never: return nil
            case .once:
                if proof.claims["nonce"]?.string == state.nonce { return nil }
                state.nonce = "nonce-of-the-server"
                return proof.claims["nonce"]?.string == state.nonce ? nil : state.nonce
            case .endlessly:
                state.number += 1
                return "nonce-\(state.number)"
            }
        }
        guard let demand else { return nil }
        var answer = Self.error("use_dpop_nonce")
        answer.dpopNonce = demand
        return answer
    }
}
