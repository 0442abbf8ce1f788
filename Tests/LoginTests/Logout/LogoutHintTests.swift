import Bytes
import Crypto
import JOSE
import JSON
import OAuth
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

/// Servers take for `id_token_hint` what they signed; one that is encrypted to us they cannot read.
@Suite(.timeLimit(.minutes(10))) struct `the hint of a logout at the server` {
    private func decryptionKey(_ key: SigningKey = .otherP256) throws -> DecryptionJWK {
        try DecryptionJWK(pem: Secret(Array(key.pem().utf8)), algorithm: "ECDH-ES+A256KW")
    }

    /// What a server makes of it: the claims of a token that it signed, nil for anything else.
    private func subject(of hint: String?) throws -> String? {
        let bytes = Array((hint ?? "").utf8)
        guard let jwt = try? UncheckedJWT.parse(bytes.span, maximumBytes: 64 * 1024) else { return nil }
        let published = Array(SigningKey.keySet([.p256]).utf8)
        let keys = VerificationKeys(try KeySet.parse(published.span))
        guard (try? keys.verify(jwt.jws, algorithms: [.es256])) != nil else { return nil }
        return jwt.claims["sub"]?.string
    }

    @Test(.holds("LO-02"), arguments: [SessionSettings.Store.cookie, .memory])
    func `is the signed token that was inside an encrypted ID token`(store: SessionSettings.Store) async throws {
        let key = try decryptionKey()
        let world = try LoginWorld {
            $0.idToken.mustBeEncrypted = true
            $0.keys.decryption = [key]
            $0.session.store = store
        }
        world.server.habits.idTokenRecipient = key
        var browser = Browser()
        _ = try await world.login(&browser)
        var request = LoginRequest(
            endpoint: .logout(client: 0), method: .post, cookies: browser.cookies(), publicURL: LoginWorld.publicURL)
        request.fetchSite = "same-origin"
        let answer = await world.service.answer(request)
        let location = try #require(answer.location)
        #expect(try subject(of: FormText.query(of: location)["id_token_hint"]) == "user-1")
    }

    @Test(.holds("LO-02")) func `is still that after a refresh`() async throws {
        let key = try decryptionKey()
        let world = try SignedIn { $0.keys.decryption = [key] }
        world.server.habits.idTokenRecipient = key
        world.server.habits.idTokenClaims = ["auth_time": nil]
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        let kept = try #require(next.idToken)
        #expect(try subject(of: String(decoding: kept.reveal(), as: UTF8.self)) == "user-1")
    }

    @Test(.holds("LO-02")) func `is decrypted for a session that kept it as it came, and left out without the key`()
        async throws
    {
        let key = try decryptionKey()
        let signed = TokenMint.sign(
            header: "{\"alg\":\"ES256\",\"kid\":\"p256-1\"}", claims: "{\"sub\":\"user-1\"}", key: .p256,
            algorithm: .es256)
        let sealed = try CompactJWE.encrypt(
            signed.utf8Span.span, to: key.published, algorithm: key.algorithm, encoding: "A256GCM", contentType: "JWT")
        for (keys, expected) in [([key], "user-1"), ([], nil)] as [([DecryptionJWK], String?)] {
            let world = try SignedIn { $0.keys.decryption = keys }
            let (_, value) = try await world.logIn { $0.idToken = Secret(sealed) }
            let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
            let query = FormText.query(of: try #require(answer.location))
            #expect(try subject(of: query["id_token_hint"]) == expected)
            #expect((query["id_token_hint"] == nil) == (expected == nil))
            #expect(query["client_id"] == "shop-web")
        }
    }
}
