internal import Bytes
internal import Crypto
internal import Glibc
package import JOSE

/// An authorization server for browser logins on a real socket, whose user always agrees.
///
/// Rotates refresh tokens and takes a second use of one for theft, as a careful server does: it ends the whole login.
package final class LoginServer: Sendable {
    /// What differs from test to test.
    package struct Habits: Sendable {
        /// Life of access tokens.
        package var tokenSeconds = 300
        /// Life of ID tokens.
        package var idTokenSeconds = 300
        /// A refresh brings an ID token too.
        package var refreshesIDTokens = true
        package var subject = "alice"
        /// What ID tokens say of how the user was authenticated; nil says nothing.
        package var acr: String?
        /// Seconds since the user typed a password.
        package var authenticationAge = 0
        /// Further claims of ID tokens, each as JSON text.
        package var claims: [String: String] = [:]
        /// What the ID token says of the nonce that the request had.
        package var nonce: @Sendable (String) -> String = { $0 }
        /// What the ID token says of its access token as `at_hash`; nil says nothing.
        package var tokenHash: (@Sendable (String) -> String)?
        /// A code, or a refresh token, is answered with this status.
        package var refuses: Int?
        /// Refreshes wait here.
        package var refreshGate: Gate?
        /// Those of this user alone; nil for everybody's.
        package var refreshGateSubject: String?
        /// Answers to refreshes wait here: the old token is spent by then, and the new one known to nobody else.
        package var answerGate: Gate?
        /// Requests of the token endpoint wait here, whatever their grant.
        package var tokenGate: Gate?
        package var scope = "openid"
        /// What tokens are exchanged for (RFC 8693); nil refuses.
        package var exchanged: String?

        /// Those of an honest server.
        package init() {}
    }

    /// One login of the user, from the authorization request on.
    private struct Grant {
        var parameters: [String: String]
        var subject: String
        var family: Int
        var isBound = false
    }

    private struct State {
        var habits = Habits()
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var used: [String: Int] = [:]
        var ended: Set<Int> = []
        var pushed: [String: [String: String]] = [:]
        var count = 0
        var issued: [String] = []
    }

    package let issuer: ScriptedIssuer
    private let key = SigningKey(.p256, keyID: "login-1")
    private let state = Watched(State())
    package static let revocationPath = "/revoke"
    package static let pushPath = "/par"

    /// Listens on a port of its own.
    package init() throws {
        issuer = try ScriptedIssuer(keys: SigningKey.keySet([key]))
        publish()
    }

    /// The issuer identifier.
    package var url: String { issuer.url }

    /// Behaves so from now on.
    package func change(_ body: (inout Habits) -> Void) { state.withLock { body(&$0.habits) } }

    /// Behaves as it did at first, and forgets what it was asked.
    package func reset() {
        state.withLock { $0.habits = Habits() }
        issuer.server.forget()
        publish()
    }

    /// Every token and code that was given out.
    package var issued: [String] { state.now.issued }

    /// The forms that the token endpoint was sent for this grant type.
    package func requests(for grant: String) -> [[String: String]] {
        issuer.server.requests.filter { $0.path == ScriptedIssuer.tokenPath && $0.isComplete }
            .map { WireForm.parameters($0.bodyText) }.filter { $0["grant_type"] == grant }
    }

    /// How many authorization requests were pushed.
    package var pushes: Int { issuer.fetches(Self.pushPath) }

    /// The tokens that were revoked.
    package var revoked: [String] {
        issuer.server.requests.filter { $0.path == Self.revocationPath && $0.isComplete }
            .compactMap { WireForm.parameters($0.bodyText)["token"] }
    }

    /// Plays the browser and its user at the authorization endpoint: from the URL it was sent to, to the callback's.
    ///
    /// With a key of the client's the response is signed, and encrypted to that (JARM §2.2).
    package func authorize(_ location: String, encryptingTo recipient: DecryptionJWK? = nil) throws -> String {
        guard location.hasPrefix(url + "/authorize?") else { throw WireFailure.malformed(location) }
        var parameters = WireForm.parameters(String(location.dropFirst(url.utf8.count + 11)))
        let code = state.withLock { state in
            if let pushed = parameters["request_uri"] { parameters = state.pushed[pushed] ?? [:] }
            state.count += 1
            let code = "code-\(state.count)-\(UInt64.random(in: 0...UInt64.max))"
            state.codes[code] = Grant(
                parameters: parameters, subject: state.habits.subject, family: state.count)
            state.issued.append(code)
            return code
        }
        guard let target = parameters["redirect_uri"], let sent = parameters["state"] else {
            throw WireFailure.malformed(location)
        }
        guard let recipient else { return "\(target)?code=\(code)&state=\(sent)&iss=\(WireForm.escaped(url))" }
        let claims = [
            "\"iss\":\"\(url)\"", "\"aud\":\"\(parameters["client_id"] ?? "")\"", "\"exp\":\(Int(time(nil)) + 300)",
            "\"code\":\"\(code)\"", "\"state\":\"\(sent)\"",
        ]
        let response = try CompactJWE.encrypt(
            Array(signed("JWT", claims).utf8).span, to: recipient.published, algorithm: recipient.algorithm,
            encoding: "A256GCM", contentType: "JWT")
        return "\(target)?response=\(String(decoding: response, as: UTF8.self))"
    }

    /// A logout token for one session, or with nil for all of the user's.
    package func logoutToken(session: String?, audience: String, subject: String? = "alice") -> String {
        let now = Int(time(nil))
        var claims = [
            "\"iss\":\"\(url)\"", "\"aud\":\"\(audience)\"", "\"iat\":\(now)", "\"exp\":\(now + 60)",
            "\"jti\":\"\(UInt64.random(in: 0...UInt64.max))\"",
            "\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":{}}",
        ]
        if let session { claims.append("\"sid\":\"\(session)\"") }
        if let subject { claims.append("\"sub\":\"\(subject)\"") }
        return signed("logout+jwt", claims)
    }

    /// The `sid` of the login that was begun last.
    package var lastSession: String { "sid-\(state.now.count)" }

    private func publish() {
        issuer.publish(
            metadata: """
                {"issuer":"\(url)","jwks_uri":"\(url)\(ScriptedIssuer.keysPath)",\
                "authorization_endpoint":"\(url)/authorize","token_endpoint":"\(url)\(ScriptedIssuer.tokenPath)",\
                "revocation_endpoint":"\(url)\(Self.revocationPath)",\
                "pushed_authorization_request_endpoint":"\(url)\(Self.pushPath)",\
                "response_types_supported":["code"],"code_challenge_methods_supported":["S256"],\
                "response_modes_supported":["query","form_post","query.jwt"],"authorization_signing_alg_values_supported":["ES256"],\
                "authorization_encryption_alg_values_supported":["RSA-OAEP-256"],\
                "authorization_encryption_enc_values_supported":["A256GCM"],\
                "authorization_response_iss_parameter_supported":true,"dpop_signing_alg_values_supported":["ES256"],\
                "token_endpoint_auth_methods_supported":["client_secret_basic","none"],\
                "id_token_signing_alg_values_supported":["ES256"],"backchannel_logout_supported":true,\
                "backchannel_logout_session_supported":true}
                """)
        issuer.publish(keys: issuer.keys)
        issuer.answer(
            ScriptedIssuer.tokenPath, with: WireScript(.reply { [weak self] in self?.token($0) ?? [] }))
        issuer.answer(Self.revocationPath, with: .answer(200, ""))
        issuer.answer(Self.pushPath, with: WireScript(.reply { [weak self] in self?.push($0) ?? [] }))
    }

    private func push(_ request: WireRequest) -> [UInt8] {
        let uri = "urn:pushed:\(UInt64.random(in: 0...UInt64.max))"
        state.withLock { $0.pushed[uri] = WireForm.parameters(request.bodyText) }
        return Self.document("{\"request_uri\":\"\(uri)\",\"expires_in\":60}", status: 201)
    }

    private func token(_ request: WireRequest) -> [UInt8] {
        let form = WireForm.parameters(request.bodyText)
        let habits = state.now.habits
        habits.tokenGate?.wait()
        if form["grant_type"] == "refresh_token", waitsAtGate(form["refresh_token"] ?? "", habits) {
            habits.refreshGate?.wait()
        }
        if let status = state.now.habits.refuses { return Self.document("{\"error\":\"down\"}", status: status) }
        let isBound = request.fields.contains("dpop")
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = form["code"], var grant = state.withLock({ $0.codes.removeValue(forKey: code) }),
                Self.isVerified(grant, by: form["code_verifier"])
            else {
                return Self.document("{\"error\":\"invalid_grant\"}", status: 400)
            }
            grant.isBound = isBound
            return tokens(grant)
        case "refresh_token":
            let token = form["refresh_token"] ?? ""
            let grant: Grant? = state.withLock { state in
                if let family = state.used[token] {
                    // Somebody uses it a second time: nobody has this login any more.
                    state.ended.insert(family)
                    return nil
                }
                guard let grant = state.refreshTokens.removeValue(forKey: token), !state.ended.contains(grant.family)
                else { return nil }
                state.used[token] = grant.family
                return grant
            }
            guard let grant else { return Self.document("{\"error\":\"invalid_grant\"}", status: 400) }
            let answer = tokens(grant, withIDToken: habits.refreshesIDTokens)
            habits.answerGate?.wait()
            return answer
        default:
            guard let token = habits.exchanged else {
                return Self.document("{\"error\":\"unsupported_grant_type\"}", status: 400)
            }
            return Self.document(
                """
                {"access_token":"\(token)","token_type":"Bearer","expires_in":300,\
                "issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}
                """)
        }
    }

    /// Whether a code is redeemed by whoever asked for it (RFC 7636 §4.6), where the request was not one object.
    private static func isVerified(_ grant: Grant, by verifier: String?) -> Bool {
        guard let challenge = grant.parameters["code_challenge"] else { return true }
        let bytes = Array((verifier ?? "").utf8)
        return SHA256.hash(bytes.span).base64URL == challenge
    }

    private func waitsAtGate(_ token: String, _ habits: Habits) -> Bool {
        guard let subject = habits.refreshGateSubject else { return true }
        return state.now.refreshTokens[token]?.subject == subject
    }

    /// Ends every login there is, without a word to anybody.
    package func endGrants() { state.withLock { state in state.ended.formUnion(1...max(1, state.count)) } }

    private func tokens(_ grant: Grant, withIDToken: Bool = true) -> [UInt8] {
        let access = "access-\(grant.family)-\(UInt64.random(in: 0...UInt64.max))"
        let refresh = "refresh-\(grant.family)-\(UInt64.random(in: 0...UInt64.max))"
        let habits = state.withLock { state in
            state.refreshTokens[refresh] = grant
            state.issued += [access, refresh]
            return state.habits
        }
        let now = Int(time(nil))
        var claims = [
            "\"iss\":\"\(url)\"", "\"sub\":\"\(grant.subject)\"",
            "\"aud\":\"\(grant.parameters["client_id"] ?? "")\"", "\"iat\":\(now)",
            "\"exp\":\(now + habits.idTokenSeconds)",
            "\"nonce\":\"\(habits.nonce(grant.parameters["nonce"] ?? ""))\"", "\"sid\":\"sid-\(grant.family)\"",
            "\"auth_time\":\(now - habits.authenticationAge)",
        ]
        if let hash = habits.tokenHash { claims.append("\"at_hash\":\"\(hash(access))\"") }
        if let acr = habits.acr { claims.append("\"acr\":\"\(acr)\"") }
        claims += habits.claims.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }
        let idToken = withIDToken ? ",\"id_token\":\"\(signed("JWT", claims))\"" : ""
        return Self.document(
            """
            {"access_token":"\(access)","token_type":"\(grant.isBound ? "DPoP" : "Bearer")",\
            "expires_in":\(habits.tokenSeconds),"refresh_token":"\(refresh)","scope":"\(habits.scope)"\(idToken)}
            """)
    }

    private func signed(_ type: String, _ claims: [String]) -> String {
        TokenMint.sign(
            header: "{\"alg\":\"ES256\",\"typ\":\"\(type)\",\"kid\":\"login-1\"}",
            claims: "{\(claims.joined(separator: ","))}", key: key, algorithm: .es256)
    }

    private static func document(_ body: String, status: Int = 200) -> [UInt8] {
        Array(
            """
            HTTP/1.1 \(status) Scripted\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """.utf8)
    }
}
