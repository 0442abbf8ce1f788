import HTTPMessage
import JSON
import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct SessionDocumentTests {
    @Test(.holds("SC-12")) func `A page's script is told who is logged in and until when, and of no token`()
        async throws
    {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        let answer = await SessionDocument.answer(
            world.request(.session(client: 0), value: value), world.place, world.refreshes)
        let json = try #require(answer.json)
        #expect(json["authenticated"]?.bool == true)
        #expect(json["exp"]?.integer == session.seenAt + 1800)
        #expect(json["absolute_exp"]?.integer == session.endsAt)
        #expect(json["claims"]?["sub"]?.string == "user-1")
        #expect(json["claims"]?["email"]?.string == "u@example.com")
        #expect(json["claims"]?["iss"] == nil)
        #expect(json["logout"]?.string == "/.portcullis/logout/shop")
        #expect(json["login"]?.string == "/.portcullis/login/shop")
        guard case .document(_, let bytes) = answer.content else { return }
        #expect(!String(decoding: bytes, as: UTF8.self).contains("of-this-server"))
        #expect(answer.fields.allSatisfy { !$0.0.hasPrefix("Access-Control") })
    }

    @Test(.holds("SC-12")) func `A page's script is told of thousands of groups`() async throws {
        let world = try SignedIn(store: .memory) { $0.scriptClaims = ["groups"] }
        let groups = (0..<5000).map { "\"g\($0)\"" }.joined(separator: ",")
        let (_, value) = try await world.logIn { $0.claims = Array("{\"groups\":[\(groups)]}".utf8) }
        let answer = await SessionDocument.answer(
            world.request(.session(client: 0), value: value), world.place, world.refreshes)
        guard case .document(_, let bytes) = answer.content else {
            Issue.record("no document")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"g4999\"]"))
    }

    @Test(.holds("SC-12")) func `Without a session the script learns where to log in`() async throws {
        let world = try SignedIn()
        let answer = await SessionDocument.answer(
            world.request(.session(client: 0)) {
                $0.fetchSite = nil
                $0.hasRequestedBy = true
            }, world.place, world.refreshes)
        #expect(answer.refusal == .loginRequired)
        #expect(answer.retry == "/.portcullis/login/shop")
    }

    @Test(.refuses("SC-12"), arguments: ["cross-site", "same-site", "none", nil])
    func `Another site's page is told nothing`(_ site: String?) async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        let answer = await SessionDocument.answer(
            world.request(.session(client: 0), value: value) { $0.fetchSite = site }, world.place, world.refreshes)
        #expect(answer.refusal == .crossSiteRequest)
        let post = await SessionDocument.answer(
            world.request(.session(client: 0), method: .post, value: value), world.place, world.refreshes)
        #expect(post.refusal == .methodNotAllowed)
    }

    // MARK: a session of which nobody has said whose its tokens are

    /// A session that waits for its endpoint's word, and the value of its cookie.
    private func unconfirmed() async throws -> (world: SignedIn, value: [UInt8]) {
        let world = try SignedIn(store: .memory) {
            $0.identityFrom = UserEndpointSettings(url: ScriptedServer.issuer + "/userinfo", subject: "sub")
            $0.uses.claimNames = ["email"]
            $0.authorization.isOpenID = false
        }
        world.server.habits.userInfoAnswer = ServerHabits.page(status: 503)
        let (session, value) = try await world.logIn(sid: nil)
        world.becomeDue()
        _ = await world.refreshes.refresh(session, value: value, client: 0)
        #expect(world.lookUp(value)?.isConfirmed == false)
        world.clock.pass(seconds: 20)
        return (world, value)
    }

    private func ask(_ world: SignedIn, _ value: [UInt8]) async -> LoginAnswer {
        await SessionDocument.answer(world.request(.session(client: 0), value: value), world.place, world.refreshes)
    }

    @Test(.refuses("SC-12", "OIDC-20"))
    func `A page's script is told of nobody while it is not known whose the session is, and to ask again`()
        async throws
    {
        let (world, value) = try await unconfirmed()
        let asked = world.server.requests(at: "/userinfo").count
        let answer = await ask(world, value)
        #expect(answer.refusal == .sessionRefreshUnavailable && answer.json == nil)
        #expect(answer.fields.contains { $0 == ("Retry-After", "5") })
        #expect(world.server.requests(at: "/userinfo").count == asked + 1, "as a route would have asked")
        #expect(!answer.deletes(SignedIn.cookieName))
    }

    @Test(.holds("SC-12", "OIDC-20")) func `A page's script is told who is logged in once the endpoint has said so`()
        async throws
    {
        let (world, value) = try await unconfirmed()
        world.server.habits.userInfoAnswer = nil
        let json = try #require(await ask(world, value).json)
        #expect(json["authenticated"]?.bool == true && json["claims"]?["sub"]?.string == "user-1")
        #expect(world.lookUp(value)?.isConfirmed == true)
    }

    @Test(.refuses("SC-12", "OIDC-20")) func `A page's script is sent to the login where the endpoint names another`()
        async throws
    {
        let (world, value) = try await unconfirmed()
        world.server.habits.userInfoAnswer = ServerHabits.json("{\"sub\":\"user-2\"}")
        let answer = await ask(world, value)
        #expect(answer.refusal == .loginRequired && answer.retry == "/.portcullis/login/shop")
        #expect(answer.deletes(SignedIn.cookieName) && world.lookUp(value) == nil)
    }
}
