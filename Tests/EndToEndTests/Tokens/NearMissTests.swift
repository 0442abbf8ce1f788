import Bytes
import Crypto
import TestSupport
import TestTraits
import Testing

/// Where a secret, or the digest of one, is another one although all but one of its characters are right.
enum DifferingPlace: CaseIterable, Sendable {
    case first, middle, last

    /// The text with another letter there, in which base64url may end too.
    func change(_ text: String) -> String {
        var letters = Array(text)
        guard !letters.isEmpty else { return text }
        let index =
            switch self {
            case .first: 0
            case .middle: letters.count / 2
            case .last: letters.count - 1
            }
        letters[index] = letters[index] == "A" ? "E" : "A"
        return String(letters)
    }
}

/// Row JOSE-30 where the running gateway compares what browsers and servers bring to a login.
@Suite(.serialized, .byEachProtocol) struct `what nearly is the secret of a login` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web }",
                    "{ path: /kept/, upstream: $UPSTREAM, login: kept }",
                ], others: ["kept"], keysOfLast: ["session: { store: memory }"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A browser that is sent back from the server, and where to.
    private func returning() throws -> (browser: CookieJar, target: String) {
        var browser = CookieJar()
        let started = try stage.exchange("GET", "/.portcullis/login/web?return_to=/app/a")
        browser.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location"), "\(started.headText)"))
        return (browser, String(back.dropFirst("https://gateway.test".utf8.count)))
    }

    private func expectRefused(
        _ answer: WireResponse, check: String, cause: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        expectPage(answer, status: 400, at: location)
        let id = answer.fields.only("x-request-id")
        let line = try #require(
            stage.gateway.operatorLine { $0["request_id"] == id && $0["event"] == "refused" }, sourceLocation: location)
        #expect(line["check"] == check && line["cause"] == cause, "\(line.raw)", sourceLocation: location)
        #expect(
            !answer.fields["set-cookie"].contains {
                $0.hasPrefix(SessionStage.cookie + "=") && !$0.contains("Max-Age=0")
            }, "\(answer.headText)", sourceLocation: location)
    }

    @Test(.refuses("JOSE-30"), arguments: DifferingPlace.allCases)
    func `another state is no state, and the right one is still good`(_ place: DifferingPlace) throws {
        let (browser, target) = try returning()
        let state = try #require(target.split(separator: "&").first { $0.hasPrefix("state=") }).dropFirst(6)
        let near = target.replacingOccurrences("state=\(state)", with: "state=" + place.change(String(state)))
        #expect(near != target)
        let refused = try stage.exchange("GET", near, browser: browser)
        try expectRefused(refused, check: "CF-03", cause: "login_transaction_unknown")
        #expect(stage.server.requests(for: "authorization_code").isEmpty)
        #expect(try stage.exchange("GET", target, browser: browser).status == 303)
    }

    @Test(.refuses("JOSE-30"), arguments: DifferingPlace.allCases)
    func `another nonce in the ID token ends the login, and the right one does not`(
        _ place: DifferingPlace
    ) throws {
        stage.server.change { $0.nonce = { place.change($0) } }
        let (browser, target) = try returning()
        try expectRefused(
            stage.exchange("GET", target, browser: browser), check: "OIDC-08", cause: "login_id_token_invalid")
        stage.server.reset()
        _ = try stage.login()
    }

    @Test(.refuses("JOSE-30"), arguments: DifferingPlace.allCases)
    func `another at_hash in the ID token ends the login, and the right one does not`(
        _ place: DifferingPlace
    ) throws {
        stage.server.change { $0.tokenHash = { place.change(hash($0)) } }
        let (browser, target) = try returning()
        try expectRefused(
            stage.exchange("GET", target, browser: browser), check: "OIDC-10", cause: "login_id_token_invalid")
        stage.server.change { $0.tokenHash = { hash($0) } }
        _ = try stage.login()
    }

    @Test(.refuses("JOSE-30"), arguments: ["web": "/app/a", "kept": "/kept/a"], DifferingPlace.allCases)
    func `another name of a session is nobody's, sealed or kept here`(
        _ login: (key: String, value: String), _ place: DifferingPlace
    ) throws {
        var browser = CookieJar()
        let cookie = "__Host-portcullis-" + login.key
        #expect(try stage.callback("/.portcullis/login/\(login.key)?return_to=\(login.value)", &browser).status == 303)
        let value = try #require(browser[cookie])
        var near = browser
        near[cookie] = place.change(value)
        expectLoginNeeded(
            try stage.exchange("GET", login.value, browser: near),
            login: "https://gateway.test/.portcullis/login/\(login.key)")
        #expect(stage.upstream.requests.isEmpty)
        #expect(try stage.exchange("GET", login.value, browser: browser).status == 200)
    }
}

/// The left half of an access token's digest, as `at_hash` has it.
@Sendable private func hash(_ token: String) -> String {
    let bytes = Array(token.utf8)
    let half = Array(SHA256.hash(bytes.span).bytes.prefix(16))
    return Base64URL.encode(half.span)
}

/// Row JOSE-30 where the running gateway compares digests of tokens, keys and certificates.
@Suite(.serialized, .byEachProtocol) struct `what nearly is the digest that a token or a proof names` {
    private static let bound = Shared {
        var plan = StagePlan()
        plan.routes.append(
            """
            { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
            audience: "\(TokenForge.audience)" } }
            """)
        return try Stage(plan)
    }
    private static let certified = Shared { try CertificateStage() }

    @Test(.holds("JOSE-30"), .refuses("JOSE-30"), arguments: DifferingPlace.allCases)
    func `another ath in a proof is another token's`(_ place: DifferingPlace) throws {
        let stage = try Self.bound.get()
        stage.reset()
        var call = ProofCall()
        let token = stage.tokens.token(["cnf": call.client.confirmation])
        call.claims = ["ath": quoted(place.change(digest(token)))]
        try expectInvalidProof(
            stage.exchange("GET", "/bound/a", fields: call.fields(token: token)), stage, check: "DPOP-18")
        try stage.expectNothingForwarded()
        call.claims = ["ath": quoted(digest(token))]
        #expect(try stage.exchange("GET", "/bound/a", fields: call.fields(token: token)).status == 200)
    }

    @Test(.holds("JOSE-30"), .refuses("JOSE-30"), arguments: DifferingPlace.allCases)
    func `another jkt in a token is another key's`(_ place: DifferingPlace) throws {
        let stage = try Self.bound.get()
        stage.reset()
        var call = ProofCall()
        let near = place.change(call.client.thumbprint)
        call.token = ["cnf": "{\"jkt\":\"\(near)\"}"]
        try expectInvalidToken(call.send(stage), stage, scheme: "DPoP", check: "DPOP-19")
        try stage.expectNothingForwarded()
        #expect(try ProofCall().send(stage).status == 200)
    }

    @Test(.holds("JOSE-30"), .refuses("JOSE-30"), arguments: DifferingPlace.allCases)
    func `another digest of a certificate in a token is another client's`(_ place: DifferingPlace) throws {
        let stage = try Self.certified.get()
        stage.upstream.forget()
        let connection = try stage.connect(.optional, stage.client)
        let near = place.change(stage.client.thumbprint)
        let token = stage.tokens.token(["cnf": "{\"x5t#S256\":\"\(near)\"}"])
        try stage.expectRefused(stage.ask(connection, token), check: "MTLS-01")
        try stage.expectNothingForwarded()
        #expect(try stage.ask(connection, stage.token(stage.client)).status == 200)
    }
}
