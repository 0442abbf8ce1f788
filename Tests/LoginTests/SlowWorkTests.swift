import Crypto
import HTTPMessage
import JOSE
import Login
import OAuth
import TestSupport
import TestTraits
import Testing

/// Row OPS-05: on whose behalf keys are used that take long.
@Suite struct `a key that takes long` {
    private static let peer = "2001:db8:0:1::5", network = "2001:db8:0:1"

    private func key() throws -> SigningJWK {
        try SigningJWK(pem: Secret(Array(SigningKey.rsa.pem().utf8)), algorithm: .ps256)
    }

    private func start(_ world: LoginWorld) async {
        _ = await world.service.answer(
            LoginRequest(
                endpoint: .start(client: 0), query: Array("return_to=%2Forders&shown=1".utf8),
                publicURL: LoginWorld.publicURL, peer: Self.peer))
    }

    @Test(.holds("OPS-05")) func `signs a request object on behalf of the network that begins the login`() async throws
    {
        let key = try key()
        let world = try LoginWorld(form: .signed) { $0.requestObjectKey = key }
        await start(world)
        #expect(world.slowWorks == [.loginStart])
        #expect(world.slowClients == [Self.network])
    }

    @Test(.holds("OPS-05"))
    func `signs the assertion of a pushed request on behalf of the network that begins the login`()
        async throws
    {
        let world = try LoginWorld(form: .pushed, method: .privateKeyJWT(key()))
        world.server.habits.metadata = [
            "token_endpoint_auth_methods_supported": "[\"private_key_jwt\"]",
            "token_endpoint_auth_signing_alg_values_supported": "[\"PS256\"]",
        ]
        await start(world)
        #expect(world.slowWorks == [.loginStart])
        #expect(world.slowClients == [Self.network])
    }

    @Test(.holds("OPS-05")) func `decrypts a response on behalf of the network that brings it`() async throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p384), algorithm: "ECDH-ES+A256KW")
        let world = try LoginWorld {
            $0.authorization.responseMode = .queryJWT
            $0.decryptionKeys = [key]
        }
        world.server.habits.responseRecipient = key
        var browser = Browser()
        var arriving = world.request(try await world.authorize(await world.start(&browser)), browser)
        arriving.peer = Self.peer
        #expect(await world.service.answer(arriving).location == "/orders")
        #expect(world.slowWorks == [.code])
        #expect(world.slowClients == [Self.network])
    }
}
