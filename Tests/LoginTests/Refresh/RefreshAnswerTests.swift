import Crypto
import HTTPMessage
import JSON
import OAuth
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct RefreshAnswerTests {
    @Test(.holds("RF-04")) func `A refresh names no scope, and the resources of the login`() async throws {
        let world = try SignedIn { $0.authorization.resources = ["https://api.example.com/"] }
        let (session, value) = try await world.logIn()
        world.becomeDue()
        _ = await world.refreshes.refresh(session, value: value, client: 0)
        let form = try #require(world.server.tokenRequests.first)
        #expect(form["grant_type"] == "refresh_token")
        #expect(form["scope"] == nil)
        #expect(form["resource"] == "https://api.example.com/")
    }

    @Test(.refuses("RF-04")) func `Rights that a refresh adds are none of the session's, and are told of once`()
        async throws
    {
        let world = try SignedIn()
        world.server.habits.refreshMembers = ["scope": "\"openid orders admin\""]
        world.server.habits.idTokenClaims = ["auth_time": nil]
        var (session, value) = try await world.logIn()
        for _ in 0..<2 {
            world.becomeDue()
            guard case .session(let next, let newer?) = await world.refreshes.refresh(session, value: value, client: 0)
            else {
                Issue.record("no session")
                return
            }
            (session, value) = (next, newer)
            #expect(session.scopes == ["openid", "orders"])
        }
        #expect(world.alarms == [.loginScopeNotGranted])
    }

    @Test(.holds("RF-04")) func `Rights that a refresh takes away are gone`() async throws {
        let world = try SignedIn()
        world.server.habits.refreshMembers = ["scope": "\"openid\""]
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.scopes == ["openid"])
        #expect(world.alarms.isEmpty)
    }

    @Test(.holds("RF-04")) func `A session of a user with thousands of groups keeps them`() async throws {
        let world = try SignedIn(store: .memory) { $0.uses.claimNames = ["groups"] }
        world.server.habits.idTokenClaims = ["auth_time": nil]
        let groups = (0..<5000).map { "\"g\($0)\"" }.joined(separator: ",")
        let (session, value) = try await world.logIn {
            $0.claims = Array(
                "{\"iss\":\"\(ScriptedServer.issuer)\",\"sub\":\"user-1\",\"groups\":[\(groups)]}".utf8)
        }
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(String(decoding: next.claims, as: UTF8.self).hasSuffix("\"g4999\"]}"))
    }

    @Test(.holds("RF-07")) func `An ID token of the same login brings its newer claims`() async throws {
        let world = try SignedIn()
        world.server.habits.idTokenClaims = ["email": "\"new@example.com\"", "auth_time": nil]
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        let claims = try JSONValue.parse(next.claims.span)
        #expect(claims["email"]?.string == "new@example.com")
        #expect(claims["sub"]?.string == "user-1")
    }

    @Test(.holds("RF-07")) func `A refresh without an ID token leaves the claims as they were`() async throws {
        let world = try SignedIn()
        world.server.habits.refreshMembers = ["id_token": nil]
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.claims == session.claims)
    }

    @Test(
        .refuses("RF-07"),
        arguments: [
            ["sub": "\"user-2\""], ["iss": "\"https://other.example.com\""], ["aud": "\"another-client\""],
            ["auth_time": "1700000000"],
        ] as [[String: String?]])
    func `An ID token of another login ends the session, and its tokens are revoked`(
        _ claims: [String: String?]
    ) async throws {
        let world = try SignedIn()
        world.server.habits.idTokenClaims = claims
        let (session, value) = try await world.logIn {
            let member = ",\"auth_time\":\(world.clock.seconds)}"
            $0.claims = $0.claims.dropLast() + Array(member.utf8)
        }
        world.becomeDue()
        guard case .ended = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("the session lives")
            return
        }
        await world.revoked()
        #expect(world.lookUp(value) == nil)
        #expect(world.alarms == [.loginIDTokenInvalid])
        #expect(world.server.revokedTokens.count == 2)
    }

    @Test(
        .holds("RF-07"),
        arguments: [
            (nil, true), ("\"another-nonce\"", false), ("\"\"", false),
        ] as [(String?, Bool)])
    func `A refreshed ID token has the nonce of its login or none, however often`(
        _ nonce: String?, _ lives: Bool
    ) async throws {
        let world = try SignedIn()
        world.server.habits.idTokenClaims = ["auth_time": nil]
        var (session, value) = try await world.logIn {
            $0.nonceDigest = IDToken.Original.nonceDigest("the-nonce-of-the-login")
        }
        // The first has none, the second the right one; what the third has is the question.
        for claim in [nil, "\"the-nonce-of-the-login\""] as [String?] {
            world.server.habits.idTokenClaims["nonce"] = claim
            world.becomeDue()
            guard case .session(let next, let newer?) = await world.refreshes.refresh(session, value: value, client: 0)
            else {
                Issue.record("no session with nonce \(claim ?? "absent")")
                return
            }
            (session, value) = (next, newer)
        }
        world.server.habits.idTokenClaims["nonce"] = nonce
        world.becomeDue()
        if case .session = await world.refreshes.refresh(session, value: value, client: 0) {
            #expect(lives)
        } else {
            #expect(!lives)
            #expect(world.alarms == [.loginIDTokenInvalid])
        }
        #expect((world.lookUp(value) != nil) == lives)
    }

    @Test(.holds("RF-07")) func `A session knows the nonce of its login`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let started = await world.start(&browser)
        let nonce = try #require(try await world.parameters(started)["nonce"])
        _ = await world.callback(try await world.authorize(started), &browser)
        #expect(world.session(of: browser)?.nonceDigest == IDToken.Original.nonceDigest(nonce))
    }

    @Test(.refuses("RF-07")) func `An ID token that another key signed ends the session`() async throws {
        let world = try SignedIn()
        world.server.habits.idTokenKey = SigningKey(renaming: .otherP256, keyID: "p256-1")
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .ended = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("the session lives")
            return
        }
        #expect(world.alarms == [.loginIDTokenInvalid])
    }

    @Test(.holds("RF-07")) func `Without keys at hand the session goes on with what it knew`() async throws {
        let world = try SignedIn()
        world.publish(nil)
        world.server.habits.idTokenClaims = ["sub": "\"user-2\""]
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.subject == "user-1")
        #expect(next.claims == session.claims)
        #expect(world.keyReadings == 1)
    }

    @Test(.holds("RF-01")) func `A token bound to the session's key is refreshed with a proof by that key`()
        async throws
    {
        let world = try SignedIn()
        let (session, value) = try await world.logIn(proofKey: Secret(Array(repeating: 7, count: 32)))
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.proofKey?.reveal() == session.proofKey?.reveal())
        #expect(world.server.requests(at: "/token").allSatisfy { ScriptedServer.thumbprint(of: $0) != nil })
    }

    @Test(.refuses("RF-06")) func `A token that is suddenly not bound any more is not taken`() async throws {
        let world = try SignedIn()
        world.server.habits.refreshMembers = ["token_type": "\"Bearer\""]
        let (session, value) = try await world.logIn(proofKey: Secret(Array(repeating: 7, count: 32)))
        world.becomeDue()
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("taken")
            return
        }
        #expect(world.alarms == [.loginTokenTypeWrong])
    }
}
