import Crypto
import HTTPMessage
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

@testable import Login

/// What a server says of itself is told before anybody signs in, and nobody is sent to sign in for nothing.
@Suite(.timeLimit(.minutes(10))) struct `what discovery can tell` {
    private let certificate = ClientCredentials.Method.tls(certificateFile: "/c.pem", keyFile: "/k.pem")

    private func alias(_ host: String) -> [String: String?] {
        ["mtls_endpoint_aliases": "{\"token_endpoint\":\"https://\(host)/token\"}"]
    }

    @Test(.refuses("MD-08"), arguments: [AuthorizationRequestSettings.Form.plain, .signed])
    func `an alias that nothing is sent to ends a login where it begins`(
        form: AuthorizationRequestSettings.Form
    ) async throws {
        let world = try LoginWorld(form: form, method: certificate)
        world.server.habits.metadata = alias("mtls.example.net:8444")
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginServerUnsuitable)
        #expect(answer.check == "MD-08")
        #expect(world.told.contains("https://mtls.example.net:8444/token"))
        #expect(browser.transactions.isEmpty)
    }

    @Test(.holds("MD-08")) func `an alias at another port of the server's own host is asked`() async throws {
        let world = try LoginWorld(method: certificate)
        world.server.habits.metadata = alias("id.example.com:8444")
        var browser = Browser()
        let response = try await world.authorize(await world.start(&browser))
        // The scripted server has no such place: what counts is where it was asked.
        _ = await world.callback(response, &browser)
        #expect(world.server.requests.map(\.url) == ["https://id.example.com:8444/token"])
    }

    @Test(.holds("MD-07")) func `the operator hears of it when the metadata is read, once for each state of affairs`()
        throws
    {
        let world = try LoginWorld(method: certificate)
        world.service.metadataRead(issuer: 0)
        #expect(world.alarms.isEmpty)
        world.server.habits.metadata = alias("mtls.example.net:8444").merging([
            "id_token_signing_alg_values_supported": "[\"RS256\"]", "code_challenge_methods_supported": nil,
        ]) { $1 }
        for _ in 0..<3 { world.service.metadataRead(issuer: 0) }
        #expect(world.alarms == [.loginServerUnsuitable, .loginServerUnsuitable, .loginServerUnsuitable])
        for row in ["MD-08", "OIDC-05", "CF-05"] { #expect(world.told.contains(row)) }
        world.service.metadataRead(issuer: 1)
        world.server.habits.metadata = [:]
        world.service.metadataRead(issuer: 0)
        #expect(world.alarms.count == 3)
        world.server.habits.metadata = ["id_token_signing_alg_values_supported": "[\"RS256\"]"]
        world.service.metadataRead(issuer: 0)
        #expect(world.alarms.count == 4)
    }

    @Test(.holds("CF-28")) func `responses may be signed by another algorithm than ID tokens`() async throws {
        let world = try LoginWorld {
            $0.authorization.responseMode = .jwt
            $0.response = LoginDemands.Made(signature: .algorithms([.rs256]))
        }
        world.know([.p256, .rsa])
        world.server.habits.responseKey = .rsa
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        // And that widens nothing: an ID token by that algorithm is none.
        world.server.habits.idTokenKey = .rsa
        var other = Browser()
        #expect(try await world.login(&other).refusal == .loginIDTokenUnsuitable)
        world.server.habits.responseKey = nil
        var third = Browser()
        let answer = try await world.login(&third)
        #expect(answer.refusal == .loginResponseNotSigned)
        #expect(answer.seen.contains("alg RS256 (response.algorithm)"))
        #expect(answer.seen.contains("ES256"))
    }

    @Test(.refuses("CF-28")) func `a response in plain is none where an encrypted one was agreed on`() async throws {
        let key = try DecryptionJWK(pem: Secret(Array(SigningKey.otherP256.pem().utf8)), algorithm: "ECDH-ES+A256KW")
        let world = try LoginWorld {
            $0.authorization.responseMode = .queryJWT
            $0.keys.decryption = [key]
            $0.response.mustBeEncrypted = true
        }
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginResponseNotSigned)
        #expect(world.server.tokenRequests.isEmpty)
    }
}
