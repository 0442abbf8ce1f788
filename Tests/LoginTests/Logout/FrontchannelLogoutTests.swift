import Refusals
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct FrontchannelLogoutTests {
    private let right = "iss=https%3A%2F%2Fid.example.com&sid=sid-1"

    @Test(.holds("LO-11"), .refuses("LO-11"))
    func `A frame that names this browser's session ends it, and only the server can frame it`()
        async throws
    {
        let world = try SignedIn { $0.logout.frontchannel = true }
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(
            world.request(.frontchannelLogout(client: 0), query: right, value: value) { $0.fetchSite = "cross-site" })
        guard case .page(.frontchannelDone(let ancestors)) = answer.content else {
            Issue.record("another page")
            return
        }
        #expect(ancestors == "https://id.example.com")
        #expect(answer.deletes(SignedIn.cookieName))
        #expect(world.lookUp(value) == nil)
    }

    @Test(
        .refuses("LO-11"),
        arguments: [
            "", "iss=https%3A%2F%2Fid.example.com", "sid=sid-1", "iss=https%3A%2F%2Fid.example.com&sid=sid-2",
            "iss=https%3A%2F%2Fother.example.com&sid=sid-1", "iss=https%3A%2F%2Fid.example.com&sid=sid-1&sid=sid-1",
        ])
    func `Any other query ends nothing`(_ query: String) async throws {
        let world = try SignedIn { $0.logout.frontchannel = true }
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(
            world.request(.frontchannelLogout(client: 0), query: query, value: value))
        #expect(answer.refusal == nil)
        #expect(answer.cookies.isEmpty)
        #expect(world.lookUp(value) != nil)
    }

    @Test(.refuses("LO-11")) func `A client without front-channel logout has no such endpoint`() async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(
            world.request(.frontchannelLogout(client: 0), query: right, value: value))
        #expect(answer.refusal == .requestObjectUnknown)
        #expect(world.lookUp(value) != nil)
    }
}
