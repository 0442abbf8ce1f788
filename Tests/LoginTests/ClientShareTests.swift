import Crypto
import HTTPMessage
import OAuth
import Refusals
import TestTraits
import Testing

@testable import Login

/// Row OPS-05: whose share of the server's connections, and of our memory, a login takes.
@Suite struct `the client of a login` {
    private func login(_ change: (inout LoginRequest) -> Void) async throws -> LoginWorld {
        let world = try LoginWorld(form: .pushed)
        var browser = Browser()
        var start = LoginRequest(
            endpoint: .start(client: 0), query: Array("return_to=%2Forders&shown=1".utf8),
            publicURL: LoginWorld.publicURL, peer: "2001:db8:1:2::5")
        change(&start)
        let started = await world.service.answer(start)
        browser.keep(started.cookies)
        var callback = world.request(try await world.authorize(started), browser)
        callback.peer = start.peer
        callback.isPeerMany = start.isPeerMany
        #expect(await world.service.answer(callback).location == "/orders")
        return world
    }

    @Test(.holds("OPS-05")) func `is a network, for its pushed request and for its code`() async throws {
        let server = try await login { _ in }.server
        let client: [String?] = ["2001:db8:1:2"]
        #expect(server.requests(at: "/par").map(\.client) == client)
        #expect(server.requests(at: "/token").map(\.client) == client)
    }

    @Test(.refuses("OPS-05")) func `is nobody where an address is many clients', and those are not bounded together`()
        async throws
    {
        let server = try await login { $0.isPeerMany = true }.server
        #expect(server.requests(at: "/par").map(\.client) == [nil])
        #expect(server.requests(at: "/token").map(\.client) == [nil])
    }

    @Test(.refuses("OPS-05"))
    func `holds the memory of its used states, and each is held by itself where nobody can tell`() {
        func request(_ peer: String, isPeerMany: Bool) -> LoginRequest {
            var request = LoginRequest(
                endpoint: .callback(client: 0), publicURL: LoginWorld.publicURL, peer: peer)
            request.isPeerMany = isPeerMany
            return request
        }
        let (one, other) = (SHA256.hash(Array("one".utf8).span), SHA256.hash(Array("other".utf8).span))
        let known = request("192.0.2.1", isPeerMany: false)
        #expect(known.holder(of: one) == known.holder(of: other))
        #expect(known.holder(of: one) != request("192.0.2.2", isPeerMany: false).holder(of: one))
        let many = request("unix", isPeerMany: true)
        #expect(many.holder(of: one) != many.holder(of: other))
    }

    @Test(.refuses("OPS-05"))
    func `is told when it has its part of what waits for the server, which nobody blames for it`()
        async throws
    {
        let world = try LoginWorld()
        world.server.habits.tokenAnswer = .failure(.tooManyOfClient)
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect(answer.refusal == .clientLoginsTooMany && answer.check == "OPS-05")
        #expect(answer.fields.first { $0.0 == "Retry-After" }?.1 == "1")
        #expect(world.alarms.isEmpty)
    }

    @Test(.refuses("OPS-05"), arguments: [LoginSettings.UserInfo.required, .optional])
    func `gets no session with fewer claims when its user asks too often, and no operator is called`(
        userInfo: LoginSettings.UserInfo
    ) async throws {
        let world = try LoginWorld { $0.userInfo = userInfo }
        world.server.habits.userInfoAnswer = .failure(.tooManyOfClient)
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .clientLoginsTooMany)
        #expect(world.session(of: browser) == nil)
        #expect(world.alarms.isEmpty)
    }
}
