import Crypto
import HTTPMessage
import Issuers
import JOSE
import JSON
import Login
import OAuth
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@Suite struct `redeeming a code` {
    @Test(.holds("CA-16")) func `sends a code once, whatever becomes of the request`() async throws {
        for refusal in [
            FetchRefusal.unanswered, .timedOut, .connectFailed("no route"), .tlsFailed("no"), .tooLarge, .redirected,
        ] {
            let world = try LoginWorld()
            world.server.habits.tokenAnswer = .failure(refusal)
            var browser = Browser()
            let answer = try await world.login(&browser)
            #expect(answer.refusal == .loginTokenUnavailable)
            #expect(answer.retry != nil)
            #expect(world.server.tokenRequests.count == 1)
            #expect(world.session(of: browser) == nil)
        }
    }

    @Test(.holds("CA-16"), .refuses("CA-16")) func `sends a code over a connection that no server is about to close`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        _ = try await world.login(&browser)
        #expect(world.server.requests(at: "/token").map(\.connection) == [.fresh])
    }

    @Test(.refuses("CA-16")) func `sends no code again when the browser comes back with it`() async throws {
        let world = try LoginWorld()
        world.server.habits.tokenAnswer = .failure(.unanswered)
        var browser = Browser()
        let response = try await world.authorize(await world.start(&browser))
        var copy = browser
        _ = await world.callback(response, &browser)
        world.server.habits.tokenAnswer = nil
        #expect(await world.callback(response, &browser).refusal == .loginTransactionUnknown)
        #expect(await world.callback(response, &copy).refusal == .loginTransactionUsed)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(
        .holds("CA-15"),
        arguments: [
            (ServerHabits.json("{\"error\":\"invalid_client\"}", status: 401), Refusal.loginClientRefused, true),
            (ServerHabits.json("{\"error\":\"unauthorized_client\"}", status: 400), .loginClientRefused, true),
            (ServerHabits.json("{\"error\":\"invalid_grant\"}", status: 400), .loginCodeRefused, false),
            (ServerHabits.json("{\"error\":\"temporarily_unavailable\"}", status: 400), .loginTokenUnavailable, false),
            (ServerHabits.json("{\"error\":\"invalid_target\"}", status: 400), .loginServerUnsuitable, true),
            (ServerHabits.json("[]"), .loginTokenAnswerInvalid, true),
            (ServerHabits.page(status: 500), .loginTokenUnavailable, false),
            (ServerHabits.page(status: 503), .loginTokenUnavailable, false),
            (ServerHabits.page(status: 200), .loginTokenAnswerInvalid, true),
            (
                .success(
                    FetchResponse(
                        status: 200, contentType: "application/json", body: [UInt8](repeating: 0x20, count: 5 << 20))),
                .loginTokenAnswerInvalid, true
            ),
        ] as [(ServerHabits.Answer, Refusal, Bool)])
    func `tells by what the server answers whether anybody has to act`(
        answered: ServerHabits.Answer, refusal: Refusal, isAlarm: Bool
    ) async throws {
        let world = try LoginWorld()
        world.server.habits.tokenAnswer = answered
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == refusal)
        #expect(world.alarms == (isAlarm ? [refusal] : []))
        #expect(world.server.tokenRequests.count == 1)
        #expect(world.session(of: browser) == nil)
        #expect(browser.transactions.isEmpty)
    }

    @Test(
        .refuses("CF-31", "DPOP-42"),
        arguments: [
            ["access_token": nil], ["token_type": "\"mac\""], ["expires_in": "\"3600\""], ["token_type": nil],
        ] as [[String: String?]])
    func `takes no answer that is no token response`(members: [String: String?]) async throws {
        let world = try LoginWorld()
        world.server.habits.tokenMembers = members
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect([.loginTokenAnswerInvalid, .loginTokenTypeWrong].contains(answer.refusal))
        #expect(world.session(of: browser) == nil)
    }

    @Test(
        .holds("CF-31", "DPOP-42"),
        arguments: [
            (["token_type": "\"mac\""], ["token_type Bearer", "token_type \\\"mac"]),
            (
                ["expires_in": "\"3600\""],
                ["expires_in of another type, length or form than its specification gives it"]
            ), (["access_token": nil], ["a token response (RFC 6749 section 5.1)", "no access_token"]),
        ] as [([String: String?], [String])])
    func `tells the operator what was wanted and what came`(
        members: [String: String?], words: [String]
    ) async throws {
        let world = try LoginWorld()
        world.server.habits.tokenMembers = members
        var browser = Browser()
        _ = try await world.login(&browser)
        for word in words { #expect(world.told.contains(word), "\(world.told)") }
    }

    @Test(.holds("CF-31")) func `takes digits in a string where the operator said so`() async throws {
        let world = try LoginWorld { $0.lenientExpiresIn = true }
        world.server.habits.tokenMembers = ["expires_in": "\"3600\""]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
    }

    @Test(.refuses("DPOP-42")) func `refuses tokens that are not bound where a proof was sent`() async throws {
        let world = try LoginWorld { $0.dpop = .required }
        world.server.habits.tokenMembers = ["token_type": "\"Bearer\""]
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginTokenTypeWrong)
        #expect(world.alarms == [.loginTokenTypeWrong])
        #expect(world.session(of: browser) == nil)
    }

    @Test(.holds("DPOP-42")) func `takes the kind of token in any case of its letters`() async throws {
        let world = try LoginWorld { $0.dpop = .required }
        world.server.habits.tokenMembers = ["token_type": "\"dpop\""]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
    }

    @Test(.holds("DPOP-41")) func `redeems once more with the nonce that the server asks for`() async throws {
        let world = try LoginWorld { $0.dpop = .required }
        world.server.habits.nonceDemand = .once
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        let proofs = world.server.requests(at: "/token").compactMap(ScriptedServer.proof)
        #expect(proofs.map { $0.claims["nonce"]?.string } == [nil, "nonce-of-the-server"])
        #expect(world.server.redeemedTwice.isEmpty)
    }

    @Test(.holds("DPOP-41")) func `gives up on a server that asks for nonces endlessly`() async throws {
        let world = try LoginWorld { $0.dpop = .required }
        world.server.habits.nonceDemand = .endlessly
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect(answer.refusal == .loginNonceDemanded)
        #expect(world.server.tokenRequests.count == 2)
        #expect(world.session(of: browser) == nil)
    }

    @Test(.holds("DPOP-41", "DPOP-45")) func `keeps the nonces of the token endpoint from the userinfo endpoint`()
        async throws
    {
        let world = try LoginWorld {
            $0.dpop = .required
            $0.userInfo = .required
        }
        world.server.habits.nonceDemand = .once
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        let proofs = world.server.requests(at: "/userinfo").compactMap(ScriptedServer.proof)
        #expect(proofs.first?.claims["nonce"] == nil)
        #expect(proofs.allSatisfy { $0.claims["ath"] != nil })
        #expect(Set(proofs.compactMap { $0.claims["jti"]?.string }).count == proofs.count)
    }

    @Test(.refuses("DPOP-44")) func `ends with a code that is bound to another key`() async throws {
        let world = try LoginWorld { $0.dpop = .required }
        var browser = Browser()
        let response = try await world.authorize(await world.start(&browser))
        world.server.bindCodes(to: "another-thumbprint")
        #expect(await world.callback(response, &browser).refusal == .loginCodeRefused)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.holds("DPOP-41"), .refuses("DPOP-41"))
    func `optional binding is asked for where the server says that it can, and not elsewhere`()
        async throws
    {
        let world = try LoginWorld { $0.dpop = .optional }
        var browser = Browser()
        _ = try await world.login(&browser)
        #expect(world.session(of: browser)?.proofKey != nil)
        world.server.habits.metadata = ["dpop_signing_alg_values_supported": nil]
        var other = Browser()
        _ = try await world.login(&other)
        #expect(world.session(of: other)?.proofKey == nil)
    }

    // MARK: who it is

    @Test(
        .refuses("OIDC-08", "OIDC-02"),
        arguments: [
            (["iss": "\"https://id.example.com/\""], "OIDC-02"), (["aud": "\"other\""], "OIDC-03"),
            (["aud": "[\"shop-web\",\"other\"]"], "OIDC-03"), (["azp": "\"other\""], "OIDC-04"),
            (["exp": "1"], "OIDC-07"), (["iat": "1"], "OIDC-07"), (["sub": "\"\""], "OIDC-07"),
            (["nonce": "\"another\""], "OIDC-08"), (["nonce": nil], "OIDC-08"), (["at_hash": "\"AAAA\""], "OIDC-10"),
        ] as [([String: String?], String)])
    func `ends the login for an ID token that is not good`(
        claims: [String: String?], check: String
    ) async throws {
        let world = try LoginWorld()
        world.server.habits.idTokenClaims = claims
        var browser = Browser()
        let answer = try await world.login(&browser)
        // Who the token is by and for is the same in every token of this server: the operator has to look.
        let isConfiguration = ["OIDC-02", "OIDC-03", "OIDC-04"].contains(check)
        #expect(answer.refusal == (isConfiguration ? .loginIDTokenUnsuitable : .loginIDTokenInvalid))
        #expect(world.alarms == (isConfiguration ? [.loginIDTokenUnsuitable] : []))
        #expect(answer.check == check)
        #expect(world.session(of: browser) == nil)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.refuses("OIDC-05")) func `takes no ID token of another key or algorithm`() async throws {
        for (change, isConfiguration) in [
            ({ $0.idTokenKey = .rsa }, true), ({ $0.idTokenHeader = ["alg": "\"none\""] }, true),
            ({ $0.idTokenHeader = ["alg": "\"HS256\""] }, true),
            ({ $0.idTokenKey = SigningKey(renaming: .otherP256, keyID: "p256-1") }, false),
            ({ $0.idToken = "a.b.c" }, false),
        ] as [((inout ServerHabits) -> Void, Bool)] {
            let world = try LoginWorld()
            change(&world.server.habits)
            var browser = Browser()
            let refusal = try await world.login(&browser).refusal
            #expect(refusal == (isConfiguration ? .loginIDTokenUnsuitable : .loginIDTokenInvalid))
            #expect(world.alarms == (isConfiguration ? [.loginIDTokenUnsuitable] : []))
            #expect(world.session(of: browser) == nil)
        }
    }

    @Test(.refuses("OIDC-01")) func `ends the login when there is no ID token`() async throws {
        let world = try LoginWorld()
        world.server.habits.tokenMembers = ["id_token": nil]
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginIDTokenMissing)
        #expect(world.alarms == [.loginIDTokenMissing])
        #expect(world.session(of: browser) == nil)
    }

    @Test(.refuses("OIDC-08", "CF-30")) func `refuses a code of another login that was put in its place`() async throws
    {
        let world = try LoginWorld()
        var victim = Browser(), thief = Browser()
        let stolen = try await world.authorize(await world.start(&victim)).pairs["code"]
        let started = await world.start(&thief)
        world.server.habits.response = ["code": stolen]
        #expect(await world.callback(try await world.authorize(started), &thief).refusal == .loginCodeRefused)
        #expect(world.session(of: thief) == nil)
    }

    @Test(.holds("OIDC-17")) func `reads the server's keys again for a key that it does not know`() async throws {
        let world = try LoginWorld()
        world.know([.otherP256], afterRefresh: [.p256])
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.refreshes == 1)
    }

    @Test(.holds("OIDC-17", "JOSE-17")) func `reads them again where the server has replaced a key under its name`()
        async throws
    {
        let world = try LoginWorld()
        world.know([SigningKey(renaming: .otherP256, keyID: SigningKey.p256.keyID)], afterRefresh: [.p256])
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.refreshes == 1)
        // Of two in a row none is lost.
        world.know([SigningKey(renaming: .otherP256, keyID: SigningKey.p256.keyID)], afterRefresh: [.p256])
        var other = Browser()
        #expect(try await world.login(&other).location == "/orders")
        #expect(world.askers == [.answer, .answer])
    }

    @Test(.holds("OIDC-17")) func `reads them once for each login and no more`() async throws {
        let world = try LoginWorld()
        world.know([.otherP256])
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginIDTokenInvalid)
        #expect(world.refreshes == 1)
        world.know([])
        var other = Browser()
        #expect(try await world.login(&other).refusal == .loginKeysUnavailable)
        #expect(world.refreshes == 2)
    }

    // MARK: what was granted

    @Test(.refuses("CF-32")) func `makes no session with fewer rights than every route needs`() async throws {
        let world = try LoginWorld {
            $0.authorization.scopes = ["openid", "orders"]
            $0.uses.neededScopes = ["openid", "orders"]
        }
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        world.server.habits.tokenMembers = ["scope": "\"openid\""]
        var other = Browser()
        let answer = try await world.login(&other)
        #expect(answer.refusal == .loginScopeNotGranted)
        #expect(world.session(of: other) == nil)
    }

    @Test(.refuses("CF-33")) func `decides nothing by what an access token looks like`() async throws {
        let world = try LoginWorld { $0.uses.claimNames = ["role"] }
        let token = TokenMint().accessToken(claims: ["role": "\"admin\"", "sub": "\"somebody-else\""])
        world.server.habits.tokenMembers = ["access_token": "\"\(token)\""]
        world.server.habits.idTokenClaims = ["at_hash": nil]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        let session = try #require(world.session(of: browser))
        #expect(session.subject == "user-1")
        #expect(!String(decoding: session.claims, as: UTF8.self).contains("admin"))
    }

    @Test(.holds("OIDC-12")) func `asks the server for claims with the token, and believes them of the same user only`()
        async throws
    {
        for dpop in [LoginSettings.ProofOfPossession.off, .required] {
            let world = try LoginWorld {
                $0.userInfo = .required
                $0.uses.claimNames = ["email"]
                $0.dpop = dpop
            }
            var browser = Browser()
            #expect(try await world.login(&browser).location == "/orders")
            let session = try #require(world.session(of: browser))
            #expect(String(decoding: session.claims, as: UTF8.self).contains("user@example.com"))
            world.server.habits.userInfoMembers = ["sub": "\"user-2\""]
            var other = Browser()
            #expect(try await world.login(&other).refusal == .loginUserInfoInvalid)
            #expect(world.session(of: other) == nil)
        }
    }

    @Test(.holds("OIDC-12")) func `logs a user with two thousand groups in`() async throws {
        let world = try LoginWorld { $0.userInfo = .required }
        let groups = (0..<2000).map { "\"00000000-0000-4000-8000-\(String(100_000_000_000 + $0))\"" }
        world.server.habits.userInfoMembers = ["groups": "[" + groups.joined(separator: ",") + "]"]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.server.requests(at: "/userinfo").map(\.maximumBytes) == [262_144])
    }

    @Test(.holds("OIDC-12")) func `leaves the claims of a bad answer out where they are optional, and says so`()
        async throws
    {
        let world = try LoginWorld {
            $0.userInfo = .optional
            $0.uses.claimNames = ["email"]
        }
        world.server.habits.userInfoMembers = ["sub": "\"user-2\""]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        let session = try #require(world.session(of: browser))
        #expect(!String(decoding: session.claims, as: UTF8.self).contains("user@example.com"))
        #expect(world.alarms == [.loginUserInfoInvalid])
    }

    // MARK: the session

    @Test(.holds("SC-05", "CF-34"), .refuses("SC-05", "CF-34"))
    func `gives a new session that nothing in the browser decides about, and ends the one before`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        _ = try await world.login(&browser)
        let first = try #require(world.session(of: browser))
        let before = browser
        world.clock.pass(seconds: 60)
        _ = try await world.login(&browser)
        let second = try #require(world.session(of: browser))
        #expect(first.id != second.id)
        #expect(second.id.count == 16)
        #expect(world.session(of: before) == nil)
    }

    @Test(.holds("LO-09", "RV-01"))
    func `ends the streams and revokes the tokens of a session that gives way to the new one`()
        async throws
    {
        let world = try LoginWorld { settings in
            settings.session.store = .memory
            settings.session.limit = 2
        }
        var first = Browser(), second = Browser(), bobs = Browser()
        _ = try await world.login(&first)
        world.clock.pass(seconds: 60)
        _ = try await world.login(&second)
        let gone = try #require(world.session(of: first))
        #expect(world.sessionsEnded == 0)
        world.server.habits.subject = "bob"
        _ = try await world.login(&bobs)
        #expect(world.session(of: first) == nil && world.session(of: second) != nil && world.session(of: bobs) != nil)
        #expect(world.sessionsEnded == 1)
        let tokens = [gone.refreshToken, gone.accessToken].compactMap {
            $0.map { String(decoding: $0.reveal(), as: UTF8.self) }
        }
        #expect(!tokens.isEmpty)
        await SignedIn.until { world.server.revokedTokens.count >= tokens.count }
        #expect(world.server.revokedTokens == tokens)
    }

    @Test(.holds("LO-10", "CF-34")) func `tells the operator when the session before could not be ended, and goes on`()
        async throws
    {
        let world = try LoginWorld { $0.session.limit = 1 }
        var other = Browser(), browser = Browser()
        world.server.habits.subject = "somebody-else"
        _ = try await world.login(&other)
        _ = try await world.service.stores[0].end(
            .session(try #require(world.session(of: other))), now: world.clock.seconds)
        world.server.habits.subject = "user-1"
        _ = try await world.login(&browser)
        #expect(world.alarms.isEmpty)
        world.clock.pass(seconds: 60)
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.session(of: browser) != nil)
        #expect(world.alarms == [.sessionStoreUnavailable])
        // For every browser that comes it is the same: once a minute is enough.
        world.clock.pass(seconds: 10)
        _ = try await world.login(&browser)
        #expect(world.alarms == [.sessionStoreUnavailable])
    }

    @Test(.refuses("SC-05")) func `adopts no session cookie that was planted`() async throws {
        let world = try LoginWorld()
        var attacker = Browser(), victim = Browser()
        world.server.habits.subject = "attacker"
        _ = try await world.login(&attacker)
        let planted = try #require(attacker.value(of: LoginWorld.sessionCookie))
        victim.plant(LoginWorld.sessionCookie, planted)
        world.server.habits.subject = "victim"
        _ = try await world.login(&victim)
        #expect(world.session(of: victim)?.subject == "victim")
        #expect(victim.value(of: LoginWorld.sessionCookie) != planted)
        // Whoever planted it shares nothing with the victim, and has lost it.
        #expect(world.session(of: attacker) == nil)
    }

    @Test func `leaves the session of another tab that logged in meanwhile`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let one = try await world.authorize(await world.start(&browser, returnTo: "/one"))
        let two = try await world.authorize(await world.start(&browser, returnTo: "/two"))
        #expect(await world.callback(one, &browser).location == "/one")
        let before = browser
        #expect(await world.callback(two, &browser).location == "/two")
        #expect(world.session(of: before) != nil)
        #expect(world.session(of: browser) != nil)
    }

    @Test(.refuses("SC-07"))
    func `keeps a session without its ID token where that is too large, and says what else is`()
        async throws
    {
        let world = try LoginWorld { $0.uses.claimNames = ["picture"] }
        world.server.habits.idTokenClaims = ["other": "\"\(Self.noise(12_000))\""]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.session(of: browser)?.idToken == nil)
        world.server.habits.idTokenClaims = ["picture": "\"\(Self.noise(24_000))\""]
        var other = Browser()
        let answer = try await world.login(&other)
        #expect(answer.refusal == .loginSessionTooLarge)
        #expect(world.session(of: other) == nil)
    }

    /// Text that nothing makes shorter.
    private static func noise(_ count: Int) -> String {
        RandomBytes.fill(count).map { String(UnicodeScalar(UInt8(ascii: "a") + $0 % 26)) }.joined()
    }
}
