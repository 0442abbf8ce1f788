import JOSE
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct BackchannelLogoutTests {
    private func world(_ change: (inout LoginSettings) -> Void = { _ in }) throws -> SignedIn {
        try SignedIn(store: .memory) {
            $0.logout.backchannel = true
            change(&$0)
        }
    }

    private func token(
        _ world: SignedIn, header: [String: String?] = [:], claims: [String: String?] = [:], key: SigningKey = .p256
    ) -> String {
        LogoutTokens.token(world, header: header, claims: claims, key: key)
    }

    private func post(
        _ world: SignedIn, _ body: String, change: (inout LoginRequest) -> Void = { _ in }
    ) async -> LoginAnswer {
        await LogoutTokens.post(world, body, change: change)
    }

    @Test(.holds("LO-05", "LO-06", "LO-09"), .refuses("LO-05", "LO-06", "LO-09"))
    func `A logout token ends the session that it names, and no other`() async throws {
        let world = try world()
        let (_, one) = try await world.logIn()
        let (_, other) = try await world.logIn(sid: "sid-2", refreshToken: "refresh-of-the-other")
        let answer = await post(world, "unknown=x&logout_token=\(token(world))")
        guard case .done = answer.content else {
            Issue.record("\(String(describing: answer.check))")
            return
        }
        await world.revoked()
        #expect(world.lookUp(one) == nil)
        #expect(world.lookUp(other) != nil)
        #expect(world.endings == 1)
        #expect(world.server.revokedTokens.contains("refresh-0-of-this-server"))
        #expect(!world.server.revokedTokens.contains("refresh-of-the-other"))
    }

    @Test(.holds("LO-09", "LO-10")) func `Without sid all of the user's sessions end, in sealed cookies too`()
        async throws
    {
        let world = try SignedIn { $0.logout.backchannel = true }
        let (_, one) = try await world.logIn()
        let (_, two) = try await world.logIn(sid: "sid-2")
        let (_, another) = try await world.logIn(subject: "user-2", sid: "sid-3")
        let answer = await post(world, "logout_token=\(token(world, claims: ["sid": nil]))")
        guard case .done = answer.content else {
            Issue.record("\(String(describing: answer.check))")
            return
        }
        #expect(world.lookUp(one) == nil)
        #expect(world.lookUp(two) == nil)
        #expect(world.lookUp(another) != nil)
    }

    @Test(.holds("LO-09")) func `A session with offline access keeps its refresh token at the server`() async throws {
        let world = try world()
        _ = try await world.logIn { $0.scopes.append("offline_access") }
        _ = await post(world, "logout_token=\(token(world))")
        await world.revoked()
        #expect(world.server.revokedTokens == ["access-0-of-this-server"])
    }

    @Test(.holds("LO-09")) func `Success without any session`() async throws {
        let world = try world()
        let answer = await post(world, "logout_token=\(token(world))")
        guard case .done = answer.content else {
            Issue.record("refused")
            return
        }
    }

    @Test(.refuses("LO-05")) func `What is no POST of a form with one logout token is refused`() async throws {
        let world = try world()
        let get = await world.logouts.answer(world.request(.backchannelLogout(client: 0)))
        #expect(get.refusal == .methodNotAllowed)
        #expect(get.fields.contains { $0 == ("Allow", "POST") })
        let json = await post(world, "{\"logout_token\":\"\(token(world))\"}") { $0.contentType = "application/json" }
        #expect(json.refusal == .logoutTokenInvalid)
        #expect(json.check == "LO-05")
        for body in ["", "logout_token=", "logout_token=a&logout_token=b"] {
            #expect(await post(world, body).refusal == .logoutTokenInvalid)
        }
    }

    @Test(
        .refuses("LO-06"),
        arguments: [
            ["iss": "\"https://other.example.com\""], ["aud": "\"another-client\""], ["iat": nil], ["exp": nil],
            ["exp": "1"], ["iat": "1"], ["iat": "1900000000"], ["jti": nil], ["events": nil],
            ["events": "{\"http://schemas.openid.net/event/backchannel-logout\":\"x\"}"], ["nonce": "\"n\""],
            ["sub": nil, "sid": nil],
        ] as [[String: String?]])
    func `A token with a claim that is missing or wrong ends nothing`(_ claims: [String: String?]) async throws {
        let world = try world()
        let (_, value) = try await world.logIn()
        #expect(await post(world, "logout_token=\(token(world, claims: claims))").refusal == .logoutTokenInvalid)
        #expect(world.lookUp(value) != nil)
    }

    @Test(.refuses("LO-06", "LO-07")) func `A token of another type, or signed by another key, ends nothing`()
        async throws
    {
        let world = try world()
        let (_, value) = try await world.logIn()
        for bad in [
            token(world, header: ["typ": "\"at+jwt\""]),
            token(world, key: SigningKey(renaming: .otherP256, keyID: "p256-1")),
            token(world, header: ["alg": "\"none\""]),
        ] {
            #expect(await post(world, "logout_token=\(bad)").refusal == .logoutTokenInvalid)
        }
        #expect(world.lookUp(value) != nil)
        guard case .done = await post(world, "logout_token=\(token(world, header: ["typ": "\"JWT\""]))").content else {
            Issue.record("JWT refused")
            return
        }
        #expect(world.lookUp(value) == nil)
    }

    @Test(.holds("LO-07")) func `A server that writes no exp is taken where the configuration says so`() async throws {
        let world = try world { $0.logout.acceptsWithoutExpiry = true }
        let old = token(world, header: ["typ": "\"JWT\""], claims: ["exp": nil])
        guard case .done = await post(world, "logout_token=\(old)").content else {
            Issue.record("refused")
            return
        }
    }

    @Test(.refuses("LO-08")) func `The same token a second time is refused`() async throws {
        let world = try world()
        let once = token(world)
        guard case .done = await post(world, "logout_token=\(once)").content else {
            Issue.record("refused")
            return
        }
        let again = await post(world, "logout_token=\(once)")
        #expect(again.refusal == .logoutTokenUsed)
        #expect(again.check == "LO-08")
    }

    @Test(.refuses("LO-12")) func `A token of another issuer causes no request at all`() async throws {
        let world = try world()
        let foreign = token(world, header: ["kid": "\"unknown\""], claims: ["iss": "\"http://10.0.0.1\""])
        #expect(await post(world, "logout_token=\(foreign)").refusal == .logoutTokenInvalid)
        #expect(world.keyReadings == 0)
        // Our own issuer's new key is looked for.
        let rotated = token(world, header: ["kid": "\"unknown\""])
        #expect(await post(world, "logout_token=\(rotated)").refusal == .logoutTokenInvalid)
        #expect(world.keyReadings == 1)
    }

    private func isDone(_ answer: LoginAnswer) -> Bool { if case .done = answer.content { true } else { false } }

    @Test(.holds("LO-12")) func `A good token counts however many bad ones came from the same address`() async throws {
        let world = try world()
        let (_, value) = try await world.logIn()
        let forged = token(world, key: SigningKey(renaming: .otherP256, keyID: "p256-1"))
        let bad = [
            "", "logout_token=", "logout_token=x", "logout_token=a.b.c.d.e", "logout_token=\(forged)",
            "logout_token=\(token(world, claims: ["exp": "1"]))",
            "logout_token=\(token(world, claims: ["iss": "\"https://other.example.com\""]))",
            "logout_token=\(token(world, header: ["kid": "\"unknown\""]))",
        ]
        for _ in 0..<20 {
            for body in bad { #expect(await post(world, body).refusal == .logoutTokenInvalid) }
        }
        #expect(isDone(await post(world, "logout_token=\(token(world))")))
        #expect(world.lookUp(value) == nil)
    }

    @Test(.refuses("LO-05")) func `A client without back-channel logout has no such endpoint`() async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        #expect(await post(world, "logout_token=\(token(world))").refusal == .requestObjectUnknown)
        #expect(world.lookUp(value) != nil)
    }
}
