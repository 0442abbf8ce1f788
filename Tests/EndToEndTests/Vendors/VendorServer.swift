import Foundation
import Testing
import TestSupport

/// An authorization server that answers what a vendor's documents say, at paths of its own metadata on 127.0.0.1.
///
/// It is as honest as the vendor's: a code is redeemed once, by the client that it was for, with the verifier of its
/// challenge and the same `redirect_uri`; refresh tokens are good once. Hosts of the vendor become this one.
final class VendorServer: Sendable {
    /// What a code or a refresh token stands for.
    private struct Grant: Sendable {
        var parameters: [String: String]
        var signedInAt: Int64
    }

    private struct State: Sendable {
        var pushed: [String: [String: String]] = [:]
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        /// What is said about access tokens that were given out, as JSON.
        var answers: [String: String] = [:]
        var count = 0
        /// Access tokens of logins and refreshes.
        var given: [String] = []
        /// A text of ID tokens' claims, and what is in its place from now on.
        var changed: (String, String)?
    }

    let vendor: Vendor
    let server: RecordingUpstream
    /// The issuer identifier here.
    let issuer: String
    /// Endpoints and the rest of the metadata, with addresses of here.
    let metadata: [String: String]
    private let document: String
    private let secret: String
    private let state = Watched(State())

    /// Seconds that access tokens are good for; those that are never renewed are of no use at once.
    private var life: Int { vendor.givesRefreshToken ? 5 : 0 }

    /// Listens over TLS; the client's secret is known by heart.
    init(_ vendor: Vendor, identity: TestCertificate, secret: String) throws {
        self.vendor = vendor
        self.secret = secret
        server = try RecordingUpstream(identity: identity, fallback: .answer(404, "no such page"))
        issuer = server.url + vendor.path
        let members = Self.here(vendor.metadata, server.url)
        document = "{\"issuer\":\"\(issuer)\",\(members)}"
        metadata = try object(document).compactMapValues { $0 as? String }
        publish()
    }

    /// A text of the vendor's with this origin in place of every other.
    private static func here(_ text: String, _ url: String) -> String {
        text.replacing(#/https:\/\/[a-z0-9.-]+/#, with: url)
    }

    /// The path of an endpoint.
    private func path(_ member: String) -> String? {
        metadata[member].map { String($0.dropFirst(server.url.utf8.count)) }
    }

    private func publish() {
        server.answer(vendor.metadataPath, with: ScriptedIssuer.json(document))
        if let keys = path("jwks_uri") {
            server.answer(keys, with: ScriptedIssuer.json(SigningKey.keySet([Vendor.key])))
        }
        let answers: [(String, @Sendable (VendorServer, WireRequest) -> [UInt8])] = [
            ("token_endpoint", { $0.token($1) }), ("pushed_authorization_request_endpoint", { $0.push($1) }),
            ("introspection_endpoint", { $0.introspect($1) }), ("userinfo_endpoint", { $0.tellOfUser($1) }),
            ("revocation_endpoint", { $0.isClient($1) ? Self.answer("") : Self.refusal("invalid_client", 401) }),
        ]
        for (member, answer) in answers {
            guard let path = path(member) else { continue }
            server.answer(
                path, with: WireScript(.reply { [weak self] request in self.map { answer($0, request) } ?? [] }))
        }
    }

    /// The forms that an endpoint was sent.
    func forms(_ member: String) -> [[String: String]] {
        server.requests.filter { $0.path == path(member) && $0.isComplete }.map { WireForm.parameters($0.bodyText) }
    }

    /// The access tokens that logins and refreshes got.
    var given: [String] { state.now.given }

    /// Plays the browser and its user at the authorization endpoint; answers the callback's URL.
    func authorize(_ location: String) throws -> (parameters: [String: String], callback: String) {
        let endpoint = try #require(metadata["authorization_endpoint"])
        try #require(location.hasPrefix(endpoint + "?"), "\(location)")
        let sent = WireForm.parameters(String(location.dropFirst(endpoint.utf8.count + 1)))
        let (parameters, code) = state.withLock { state in
            let parameters = sent["request_uri"].map { state.pushed.removeValue(forKey: $0) ?? [:] } ?? sent
            state.count += 1
            let code = "code-\(state.count)-\(UInt64.random(in: 0...UInt64.max))"
            state.codes[code] = Grant(parameters: parameters, signedInAt: Self.now - 1)
            return (parameters, code)
        }
        #expect(parameters["client_id"] == vendor.clientID && sent["client_id"] == vendor.clientID)
        let rest = vendor.responseParameters.replacingOccurrences("$ISSUER", with: WireForm.escaped(issuer))
        let target = try #require(parameters["redirect_uri"]), returned = try #require(parameters["state"])
        return (parameters, "\(target)?code=\(code)&state=\(returned)\(rest)")
    }

    /// An access token that the server gave to somebody, which it says active of where it is asked.
    func accessToken(audience: String? = nil, changed: (String, String)? = nil) -> String {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let now = Self.now
        let token = vendor.accessToken(issuer: issuer, now: now, number: number, audience: audience, changed: changed)
        guard let shape = vendor.accessToken, let members = shape.introspection else { return token }
        let answer = """
            {"iss":"\(issuer)","aud":\(audience ?? shape.audience),"iat":\(now),"exp":\(now + 300),\
            \(vendor.filled(members, now, now, hash: ""))}
            """
        state.withLock { $0.answers[token] = answer }
        return token
    }

    /// An ID token of the client's, of a login or a refresh.
    func idToken(nonce: String?) -> String {
        vendor.idToken(issuer: issuer, now: Self.now, nonce: nonce, accessToken: "access")
    }

    /// ID tokens have another text in place of this one from now on.
    func changeIDTokens(_ text: String, to other: String) { state.withLock { $0.changed = (text, other) } }

    /// What the server sends where a user's session there has ended, if it does.
    func logoutToken() throws -> String {
        let claims = vendor.filled(try #require(vendor.logoutClaims), Self.now, Self.now, hash: "")
        return Vendor.sign(
            "\"typ\":\"logout+jwt\",", "{\"iss\":\"\(issuer)\",\"iat\":\(Self.now),\"exp\":\(Self.now + 120),\(claims)}"
        )
    }

    private static var now: Int64 { Int64(time(nil)) }

    // MARK: endpoints

    /// Whether the client proves who it is, by the method of the example.
    private func isClient(_ request: WireRequest) -> Bool {
        let form = WireForm.parameters(request.bodyText)
        let basic = "Basic " + Data("\(vendor.clientID):\(secret)".utf8).base64EncodedString()
        let isBasic = request.fields.only("authorization") == basic && form["client_secret"] == nil
        let isPost =
            !request.fields.contains("authorization") && form["client_id"] == vendor.clientID
            && form["client_secret"] == secret
        return isBasic || isPost
    }

    private func push(_ request: WireRequest) -> [UInt8] {
        guard isClient(request) else { return Self.refusal("invalid_client", 401) }
        let uri = "urn:ietf:params:oauth:request_uri:\(UInt64.random(in: 0...UInt64.max))"
        var parameters = WireForm.parameters(request.bodyText)
        if let object = parameters["request"] {
            guard let signed = try? SeenToken(object), signed.text("aud") == issuer else {
                return Self.refusal("invalid_request_object", 400)
            }
            parameters = signed.claims.compactMapValues { $0 as? String }
        }
        state.withLock { $0.pushed[uri] = parameters }
        return Self.answer("{\"request_uri\":\"\(uri)\",\"expires_in\":60}", status: 201)
    }

    private func introspect(_ request: WireRequest) -> [UInt8] {
        guard isClient(request) else { return Self.answer("{\"active\":false}") }
        let token = WireForm.parameters(request.bodyText)["token"] ?? ""
        return Self.answer(state.now.answers[token] ?? "{\"active\":false}")
    }

    private func tellOfUser(_ request: WireRequest) -> [UInt8] {
        guard let userInfo = vendor.userInfo, request.fields.only("authorization")?.hasPrefix("Bearer ") == true
        else { return Self.refusal("invalid_token", 401) }
        return Self.answer(userInfo)
    }

    private func token(_ request: WireRequest) -> [UInt8] {
        guard isClient(request) else { return Self.refusal("invalid_client", 401) }
        let form = WireForm.parameters(request.bodyText)
        let code = form["code"] ?? "", refreshToken = form["refresh_token"] ?? ""
        switch form["grant_type"] {
        case "authorization_code":
            guard let grant = state.withLock({ $0.codes.removeValue(forKey: code) }),
                grant.parameters["redirect_uri"] == form["redirect_uri"],
                grant.parameters["code_challenge"] == digest(form["code_verifier"] ?? "")
            else { return Self.refusal("invalid_grant", 400) }
            return tokens(grant, nonce: grant.parameters["nonce"])
        case "refresh_token":
            guard let grant = state.withLock({ $0.refreshTokens.removeValue(forKey: refreshToken) })
            else { return Self.refusal("invalid_grant", 400) }
            return tokens(grant, nonce: nil)
        default: return Self.refusal("unsupported_grant_type", 400)
        }
    }

    private func tokens(_ grant: Grant, nonce: String?) -> [UInt8] {
        let access = accessToken()
        state.withLock { $0.given.append(access) }
        let identity = vendor.idToken(
            issuer: issuer, now: Self.now, signedInAt: grant.signedInAt, nonce: nonce, accessToken: access,
            changed: state.now.changed)
        var members = ["\"access_token\":\"\(access)\"", "\"token_type\":\"Bearer\"", "\"expires_in\":\(life)"]
        members += ["\"id_token\":\"\(identity)\""] + (vendor.tokenMembers.map { [$0] } ?? [])
        if vendor.givesRefreshToken {
            let refresh = "refresh-\(UInt64.random(in: 1 << 60...UInt64.max))"
            state.withLock { $0.refreshTokens[refresh] = grant }
            members.append("\"refresh_token\":\"\(refresh)\"")
        }
        return Self.answer("{\(members.joined(separator: ","))}")
    }

    private static func refusal(_ code: String, _ status: Int) -> [UInt8] {
        answer("{\"error\":\"\(code)\"}", status: status)
    }

    private static func answer(_ body: String, status: Int = 200) -> [UInt8] {
        Array(
            """
            HTTP/1.1 \(status) Scripted\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """.utf8)
    }
}
