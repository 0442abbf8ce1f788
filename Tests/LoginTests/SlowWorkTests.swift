import Crypto
import HTTPMessage
import Issuers
import JOSE
import Login
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

/// Row OPS-05: on whose behalf keys are used that take long.
@Suite struct `a key that takes long` {
    private static let peer = "2001:db8:0:1::5", network = "2001:db8:0:1"

    private func key() throws -> SigningJWK {
        try SigningJWK(pem: Secret(Array(SigningKey.rsa.pem().utf8)), algorithm: .ps256)
    }

    @discardableResult
    private func start(_ world: LoginWorld) async -> LoginAnswer {
        await world.service.answer(
            LoginRequest(
                endpoint: .start(client: 0), query: Array("return_to=%2Forders&shown=1".utf8),
                publicURL: LoginWorld.publicURL, peer: Self.peer))
    }

    @Test(.holds("OPS-05")) func `signs a request object on behalf of the network that begins the login`() async throws
    {
        let key = try key()
        let world = try LoginWorld(form: .signed) { $0.keys.requestObject = key }
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

    /// What a client is told that has its part of what waits, and what all are for whom there is no room.
    private static let refusals: [(SlowWork.Refusal, Refusal, String)] = [
        (.tooManyOfClient, .clientLoginsTooMany, "1"), (.crowded, .loginsTooMany, "2"),
    ]

    @Test(.refuses("OPS-05"), arguments: refusals)
    func `tells a client that it is too much of its own, and nobody else`(
        refusal: SlowWork.Refusal, told: Refusal, seconds: String
    ) async throws {
        let (signer, reader) = (try key(), try DecryptionJWK(PrivateKey.generate(.p384), algorithm: "ECDH-ES+A256KW"))
        let signed = try LoginWorld(form: .signed) { $0.keys.requestObject = signer }
        let pushed = try LoginWorld(form: .pushed, method: .privateKeyJWT(key()))
        pushed.server.habits.metadata = [
            "token_endpoint_auth_methods_supported": "[\"private_key_jwt\"]",
            "token_endpoint_auth_signing_alg_values_supported": "[\"PS256\"]",
        ]
        let encrypted = try LoginWorld {
            $0.authorization.responseMode = .queryJWT
            $0.keys.decryption = [reader]
        }
        encrypted.server.habits.responseRecipient = reader
        var browser = Browser()
        let arriving = encrypted.request(try await encrypted.authorize(await encrypted.start(&browser)), browser)
        for world in [signed, pushed, encrypted] { world.refuseSlowWork(refusal) }
        for answer in [await start(signed), await start(pushed), await encrypted.service.answer(arriving)] {
            #expect(answer.refusal == told && answer.check == "OPS-05")
            #expect(answer.fields.first { $0.0 == "Retry-After" }?.1 == seconds)
        }
        #expect(pushed.server.pushes.isEmpty && encrypted.server.tokenRequests.isEmpty)
        #expect(signed.alarms.isEmpty && pushed.alarms.isEmpty && encrypted.alarms.isEmpty)
    }

    @Test(.holds("OPS-05")) func `decrypts a response on behalf of the network that brings it`() async throws {
        let key = try DecryptionJWK(PrivateKey.generate(.p384), algorithm: "ECDH-ES+A256KW")
        let world = try LoginWorld {
            $0.authorization.responseMode = .queryJWT
            $0.keys.decryption = [key]
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
