import Bytes
import HTTPMessage
import JOSE
import JSON
import Synchronization
import TestSupport

/// What a browser brings back from the server.
struct ScriptedResponse: Sendable {
    /// Parameters in the encoding of forms.
    var parameters: [UInt8]
    /// They come in the body of a POST.
    var isForm: Bool

    /// The parameters, decoded.
    var pairs: [(String, String)] { FormText.decode(parameters) }
}

extension ScriptedServer {
    /// What the server answers to a browser that was sent to `location`, when its user logs in at once.
    ///
    /// - Parameter object: fetches a hosted request object.
    func authorize(
        _ location: String, object: (String) async -> [UInt8]? = { _ in nil }
    ) async throws -> ScriptedResponse {
        guard location.hasPrefix(Self.issuer + "/authorize?") else { throw Complaint("sent to another place") }
        let parameters = try await parameters(of: FormText.query(of: location), object: object)
        for name in ["redirect_uri", "state", "nonce", "code_challenge"] where parameters[name] == nil {
            throw Complaint("no \(name)")
        }
        guard parameters["response_type"] == "code" else { throw Complaint("another response type") }
        guard parameters["code_challenge_method"] == "S256" else { throw Complaint("no S256") }
        return try respond(to: parameters)
    }

    /// Whatever its form, the parameters of the authorization request.
    func parameters(
        of query: [(String, String)], object: (String) async -> [UInt8]? = { _ in nil }
    ) async throws -> [(String, String)] {
        guard query["client_id"] == clientID else { throw Complaint("not our client") }
        if let request = query["request"] { return try claims(of: Array(request.utf8)) }
        guard let uri = query["request_uri"] else { return query }
        if let pushed = state.withLock({ $0.pushed.removeValue(forKey: uri) }) { return pushed }
        guard let bytes = await object(uri) else { throw Complaint("no request object at the request_uri") }
        return try claims(of: bytes)
    }

    /// The claims of a request object as parameters; its signature is the pure parts' own tests' to check.
    func claims(of object: [UInt8]) throws -> [(String, String)] {
        let jwt = try UncheckedJWT.parse(object.span, maximumBytes: 1 << 20)
        guard jwt.claims["iss"]?.string == clientID, jwt.claims["aud"]?.string == Self.issuer else {
            throw Complaint("a request object for somebody else")
        }
        return jwt.claims.members.map { member in
            var writer = JSONWriter()
            writer.value(member.value)
            return (member.name, member.value.string ?? writer.text)
        }
    }

    private func respond(to parameters: [(String, String)]) throws -> ScriptedResponse {
        let habits = habits
        var pairs: [(String, String)] = []
        if let error = habits.authorizationError {
            pairs.append(("error", error))
        } else {
            let code = state.withLock { state in
                let code = state.secret("code")
                state.codes[code] = Grant(parameters: parameters, thumbprint: parameters["dpop_jkt"])
                return code
            }
            pairs.append(("code", code))
        }
        pairs.append(("state", parameters["state"] ?? ""))
        let mode = parameters["response_mode"] ?? "query"
        if mode.hasSuffix("jwt") {
            let text = try signedResponse(pairs, habits)
            pairs = [("response", text)]
        } else {
            pairs.append(("iss", Self.issuer))
        }
        for (name, value) in habits.response.sorted(by: { $0.key < $1.key }) {
            pairs.removeAll { $0.0 == name }
            if let value { pairs.append((name, value)) }
        }
        return ScriptedResponse(parameters: FormText.encode(pairs), isForm: mode.hasPrefix("form_post"))
    }

    /// JARM §2.1.
    private func signedResponse(_ pairs: [(String, String)], _ habits: ServerHabits) throws -> String {
        let key = habits.responseKey ?? self.key
        let claims =
            [
                ("iss", Self.quoted(Self.issuer)), ("aud", Self.quoted(clientID)), ("exp", "\(clock.seconds + 300)"),
            ] + pairs.map { ($0.0, Self.quoted($0.1)) }
        let signed = TokenMint.sign(
            header: Self.object(
                [("alg", "\"\(key.algorithm.name)\""), ("kid", "\"\(key.keyID ?? "")\"")], [:]),
            claims: Self.object(claims, habits.responseClaims), key: key, algorithm: key.algorithm)
        guard let recipient = habits.responseRecipient else { return signed }
        let sealed = try CompactJWE.encrypt(
            Array(signed.utf8).span, to: recipient.published, algorithm: recipient.algorithm, encoding: "A256GCM",
            contentType: "JWT")
        return String(decoding: sealed, as: UTF8.self)
    }
}

// MARK: pushed requests

extension ScriptedServer {
    func push(_ request: FetchRequest) throws(FetchRefusal) -> FetchResponse {
        if let answer = habits.pushAnswer { return try answer.get() }
        let form = FormText.decode(request.body ?? [])
        guard form["request_uri"] == nil else { return Self.error("invalid_request") }
        guard authenticates(request, form) else { return Self.error("invalid_client", status: 401) }
        var parameters = form
        if let object = form["request"] {
            guard let claims = try? claims(of: Array(object.utf8)) else {
                return Self.error("invalid_request_object")
            }
            parameters = claims
        }
        if let thumbprint = Self.thumbprint(of: request) {
            // RFC 9449 §10.1: both, where there are both, must be the same.
            if let other = parameters["dpop_jkt"], other != thumbprint { return Self.error("invalid_dpop_proof") }
            if parameters["dpop_jkt"] == nil { parameters.append(("dpop_jkt", thumbprint)) }
        }
        let (uri, changes) = state.withLock { state in
            let uri = "urn:ietf:params:oauth:request_uri:" + state.secret("pushed")
            state.pushed[uri] = parameters
            return (uri, state.habits.pushMembers)
        }
        return Self.json(
            Self.object([("request_uri", Self.quoted(uri)), ("expires_in", "60")], changes), status: 201)
    }

    /// Whether the request has exactly one of the ways to authenticate a client, or none of a public one.
    func authenticates(_ request: FetchRequest, _ form: [(String, String)]) -> Bool {
        let field = request.headers.first { $0.0 == "Authorization" }?.1
        let ways = [
            field?.hasPrefix("Basic ") ?? false, form["client_secret"] != nil, form["client_assertion"] != nil,
            request.clientCertificateFile != nil,
        ]
        if habits.clientIsPublic { return !ways.contains(true) && form["client_id"] == "shop-web" }
        return ways.count { $0 } == 1
    }

    static func error(_ code: String, status: Int = 400) -> FetchResponse {
        json("{\"error\":\"\(code)\",\"error_description\":\"as the test wants it\"}", status: status)
    }

    static func json(_ text: String, status: Int = 200) -> FetchResponse {
        FetchResponse(status: status, contentType: "application/json", body: Array(text.utf8))
    }
}
