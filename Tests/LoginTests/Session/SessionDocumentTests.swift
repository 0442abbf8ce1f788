import JSON
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
        let answer = await SessionDocument.answer(world.request(.session(client: 0), value: value), world.place)
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
        let answer = await SessionDocument.answer(world.request(.session(client: 0), value: value), world.place)
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
            }, world.place)
        #expect(answer.refusal == .loginRequired)
        #expect(answer.retry == "/.portcullis/login/shop")
    }

    @Test(.refuses("SC-12"), arguments: ["cross-site", "same-site", "none", nil])
    func `Another site's page is told nothing`(_ site: String?) async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        let answer = await SessionDocument.answer(
            world.request(.session(client: 0), value: value) { $0.fetchSite = site }, world.place)
        #expect(answer.refusal == .crossSiteRequest)
        let post = await SessionDocument.answer(
            world.request(.session(client: 0), method: .post, value: value), world.place)
        #expect(post.refusal == .methodNotAllowed)
    }
}
