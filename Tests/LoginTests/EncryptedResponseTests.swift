import Crypto
import HTTPMessage
import JOSE
import Login
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

/// Rows CF-03, CF-28, OPS-04 and OPS-05: a response that takes a private key to read.
@Suite struct `an encrypted response` {
    private func world() throws -> LoginWorld {
        let key = try DecryptionJWK(PrivateKey.generate(.p384), algorithm: "ECDH-ES+A256KW")
        let world = try LoginWorld {
            $0.authorization.responseMode = .queryJWT
            $0.keys.decryption = [key]
        }
        world.server.habits.responseRecipient = key
        return world
    }

    @Test(.holds("CF-28", "OPS-04")) func `is decrypted beside the executor, once for a login`() async throws {
        let world = try world()
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.slowWorks == [.code])
        #expect(world.session(of: browser) != nil)
    }

    @Test(.refuses("CF-03", "OPS-05")) func `of somebody who began no login costs no decryption`() async throws {
        let world = try world()
        var browser = Browser()
        let response = try await world.authorize(await world.start(&browser))
        var planted = Browser()
        for number in 10_000_000..<10_000_020 { planted.plant("__Host-portcullis-login-\(number)", "made-up") }
        // Another's cookie under another name, as whoever saw one could send it.
        var renamed = Browser()
        renamed.plant("__Host-portcullis-login-abcdefgh", browser.transactions[0].value)
        for var stranger in [Browser(), planted, renamed] {
            let answer = await world.callback(response, &stranger)
            #expect(answer.refusal == .loginTransactionUnknown && answer.check == "CF-03")
        }
        #expect(world.slowWorks.isEmpty)
        world.clock.pass(seconds: 601)
        #expect(await world.callback(response, &browser).refusal == .loginTransactionExpired)
        #expect(world.slowWorks.isEmpty)
        #expect(world.server.tokenRequests.isEmpty)
    }

    @Test(.refuses("CF-03")) func `of somebody with a login under way is decrypted, and is no other login's`()
        async throws
    {
        let world = try world()
        var browser = Browser(), other = Browser()
        let response = try await world.authorize(await world.start(&browser))
        _ = await world.start(&other)
        #expect(await world.callback(response, &other).refusal == .loginTransactionUnknown)
        #expect(world.slowWorks == [.code])
        #expect(await world.callback(response, &browser).location == "/orders")
    }

    @Test(.holds("CF-25")) func `that comes once more leads its user to where it led, and a stranger nowhere`()
        async throws
    {
        let world = try world()
        var browser = Browser(), stranger = Browser()
        let response = try await world.authorize(await world.start(&browser))
        #expect(await world.callback(response, &browser).location == "/orders")
        #expect(browser.transactions.isEmpty)
        #expect(await world.callback(response, &browser).location == "/orders")
        #expect(await world.callback(response, &stranger).refusal == .loginTransactionUnknown)
        #expect(world.slowWorks == [.code, .code])
    }

    @Test(.refuses("CF-20")) func `that is none is refused as every other`() async throws {
        let world = try world()
        var browser = Browser()
        _ = await world.start(&browser)
        for (text, refusal) in [
            ("response=a.b.c.d.e", Refusal.loginResponseNotSigned), ("response=a.b.c", .loginResponseNotSigned),
            ("response=", .loginResponseNotSigned), ("", .loginResponseNotSigned),
        ] {
            let answer = await world.callback(
                ScriptedResponse(parameters: Array(text.utf8), isForm: false), &browser)
            #expect(answer.refusal == refusal, "\(text)")
        }
    }
}
