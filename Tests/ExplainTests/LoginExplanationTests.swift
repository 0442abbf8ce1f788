import Access
import Crypto
import Explain
import Gateway
import HTTPMessage
import Issuers
import JOSE
import Login
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

@testable import GatewayTests

@Suite struct `an explanation of a login route` {
    @Test(arguments: LoginMistake.all)
    func `says what became of the session, and what an operator can do about it`(mistake: LoginMistake) async throws {
        var rig = try ExplainRig.browser()
        try await mistake.make(&rig)
        let explanation = try rig.explain()
        #expect(Self.end(of: explanation) == mistake.end, "\(explanation.text)")
        switch mistake.end {
        case .refused:
            #expect(explanation.exitStatus == 3)
            #expect(explanation.remedy?.steps.isEmpty == false)
        case .notKnown: #expect(explanation.exitStatus == 1)
        case .forwarded, .answered: #expect(explanation.exitStatus == 0)
        }
        // The lines up to the one that failed are those of the stages: none of them failed before it.
        #expect(explanation.lines.count { $0.state == .failed } == (explanation.exitStatus == 3 ? 1 : 0))
        #expect(AskGateway.exitStatus(of: explanation.text) == explanation.exitStatus)
        #expect(AskGateway.exitStatus(of: String(decoding: explanation.json, as: UTF8.self)) == explanation.exitStatus)
        try `an explanation`.compare(explanation, with: mistake.name)
    }

    @Test(arguments: LoginMistake.all)
    func `shows no cookie, no token and no value that may be secret`(mistake: LoginMistake) async throws {
        var rig = try ExplainRig.browser()
        try await mistake.make(&rig)
        let explanation = try rig.explain()
        let shown = explanation.text + String(decoding: explanation.json, as: UTF8.self)
        for secret in ["the-access-token", "the-refresh-token", "token=abc"] { #expect(!shown.contains(secret)) }
        for field in rig.fields where field.hasPrefix("Cookie:") {
            for pair in field.split(separator: "=").dropFirst(2) { #expect(!shown.contains(pair)) }
        }
    }

    @Test func `says that only the running gateway knows whether a session was ended`() async throws {
        var rig = try ExplainRig.browser()
        rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        let explanation = try rig.explain()
        #expect(explanation.text.contains("Not looked at: whether the session was ended before its time"))
        #expect(Explanation.brief(explanation.text).contains("Not looked at: whether the session was ended"))
        #expect(String(decoding: explanation.json, as: UTF8.self).contains(#""not_looked_at":"whether the session"#))
        // A request without one has nothing of the kind.
        #expect(!(try ExplainRig().explain().text.contains("Not looked at")))
    }

    @Test func `names the scopes of the login where a method is missing that these do not name`() async throws {
        var rig = try ExplainRig.browser()
        rig.settings.routes[0].methods = ["GET", "POST"]
        rig.method = "DELETE"
        let explanation = try rig.explain()
        #expect(Self.end(of: explanation) == .refused(.methodNotAllowed, status: 405), "\(explanation.text)")
        #expect(explanation.text.contains("routes[0].login.scopes"), "\(explanation.text)")
        #expect(!explanation.text.contains("token.scopes"), "\(explanation.text)")
    }

    private static func end(of explanation: Explanation) -> LoginMistake.End {
        switch explanation.verdict {
        case .forwarded: .forwarded
        case .answered: .answered
        case .refused(let refusal, _, _, _): .refused(refusal, status: explanation.status ?? 0)
        case .undecided(let check, _): .notKnown(check)
        }
    }

    @Test func `has a remedy with a step for every refusal, and the upstream's for the upstream alone`() {
        let settings = ExplainRig().settings
        for refusal in Refusal.allCases {
            let explanation = Explanation(
                RequestEvidence(), .refused(refusal, expected: "one", found: "other", row: "\(refusal.check)"),
                settings: settings, now: ExplainRig.now)
            #expect(explanation.remedy?.steps.isEmpty == false, "\(refusal)")
            let isUpstreams = explanation.remedy?.diagnosis.hasPrefix("The upstream did not") == true
            #expect(!isUpstreams || "\(refusal.word)".hasPrefix("upstream_"), "\(refusal)")
        }
    }
}

@Suite struct `a review of a login` {
    private static func metadata(_ more: String = "") throws -> ServerMetadata {
        let text = """
            {"issuer":"https://id.example.com/","jwks_uri":"https://id.example.com/jwks",
            "authorization_endpoint":"https://id.example.com/authorize","token_endpoint":"https://id.example.com/token",
            "pushed_authorization_request_endpoint":"https://id.example.com/par","response_types_supported":["code"],
            "token_endpoint_auth_methods_supported":["client_secret_basic"]\(more)}
            """
        return try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8)),
            issuer: try IssuerIdentifier("https://id.example.com/"))
    }

    @Test func `of a server that offers what is configured has what is to be registered, and no values of one login`()
        throws
    {
        let settings = try ExplainRig.browser().settings
        let metadata = try Self.metadata(",\"code_challenge_methods_supported\":[\"S256\"]")
        let review = try #require(LoginReview(of: "shop", settings, metadata: metadata))
        #expect(review.isSuitable)
        try `an explanation`.compare(text: review.text, with: "review-suitable")
        #expect(AskGateway.exitStatus(of: review.text) == 0)
    }

    @Test(.holds("MD-07")) func `of a server that lacks something says which row, and what to change`() throws {
        var settings = try ExplainRig.browser().settings
        settings.logins[0].authorization.responseMode = .queryJWT
        settings.logins[0].logout.backchannel = true
        let metadata = try Self.metadata(
            ",\"response_modes_supported\":[\"query\"],\"backchannel_logout_supported\":false")
        let review = try #require(LoginReview(of: "shop", settings, metadata: metadata))
        #expect(!review.isSuitable)
        #expect(review.lines.flatMap(\.problems).map(\.check) == ["CF-05", "MD-07", "MD-07"])
        #expect(review.lines.allSatisfy { $0.problems.isEmpty || !$0.remedies.isEmpty })
        try `an explanation`.compare(text: review.text, with: "review-unsuitable")
        #expect(AskGateway.exitStatus(of: review.text) == 3)
        #expect(AskGateway.exitStatus(of: String(decoding: review.json, as: UTF8.self)) == 3)
    }

    @Test(arguments: ["ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"])
    func `names a key's algorithm of encryption as its registry does`(algorithm: String) throws {
        var settings = try ExplainRig.browser().settings
        settings.logins[0].keys.decryption = [
            try DecryptionJWK(pem: Secret(Array(SigningKey.otherP256.pem().utf8)), algorithm: algorithm)
        ]
        settings.logins[0].idToken.mustBeEncrypted = true
        let metadata = try Self.metadata(
            ",\"code_challenge_methods_supported\":[\"S256\"],\"id_token_encryption_alg_values_supported\":[\"RSA-OAEP\"]"
        )
        let review = try #require(LoginReview(of: "shop", settings, metadata: metadata))
        let key = try #require(review.keys.first { $0.contains("  enc  ") })
        #expect(key.hasSuffix("  enc  " + algorithm), "\(review.keys)")
        let problem = try #require(review.lines.flatMap(\.problems).first)
        #expect(problem.configured == "id_token.encrypted is true, by \(algorithm)")
        #expect(problem.offered == "id_token_encryption_alg_values_supported is RSA-OAEP")
    }

    @Test func `says what the server must be told of signatures, and of keys where there are any`() throws {
        func registered(_ settings: GatewaySettings) -> [String: String] {
            let values = LoginReview.registration(of: settings.logins[0], settings)
            return Dictionary(values.map { ($0.name, $0.value) }, uniquingKeysWith: { one, _ in one })
        }
        var settings = try ExplainRig.browser().settings
        let plain = registered(settings)
        #expect(plain["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(plain["id_token_signed_response_alg"] == "RS256")
        // Where no key is published, the address of keys is answered 404.
        #expect(plain["jwks_uri"] == nil)
        #expect(plain["request_object_signing_alg"] == nil)
        let key = try SigningKey(.p256).signer(.es256)
        settings.clients[0].credentials = try ClientCredentials(clientID: "shop-web", method: .privateKeyJWT(key))
        settings.logins[0].keys.requestObject = key
        settings.logins[0].authorization.responseMode = .queryJWT
        let signed = registered(settings)
        #expect(signed["jwks_uri"] == "https://shop.example.com/.portcullis/jwks.json")
        #expect(signed["token_endpoint_auth_method"] == "private_key_jwt")
        #expect(signed["token_endpoint_auth_signing_alg"] == "ES256")
        #expect(signed["request_object_signing_alg"] == "ES256")
        #expect(signed["authorization_signed_response_alg"] == "RS256")
    }

    @Test func `of a client that no route logs in with is none`() throws {
        let review = LoginReview(of: "other", try ExplainRig.browser().settings, metadata: try Self.metadata())
        #expect(review == nil)
    }
}
