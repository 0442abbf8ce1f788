import Crypto
import OAuth
import Refusals
import Replay
import Sessions
import SharedState
import TestSupport
import TestTraits
import Testing

@testable import Login

/// Two processes behind one name, with a store between them.
@Suite struct `logins at several replicas` {
    private let store: SharedLoginStore
    private let world: LoginWorld

    init() throws {
        store = try SharedLoginStore()
        world = try LoginWorld(store: try store.shared())
    }

    /// A login that was begun at the first replica and answered by the server.
    private func begun(_ browser: inout Browser) async throws -> ScriptedResponse {
        try await world.authorize(await world.start(&browser))
    }

    @Test(.holds("SH-63")) func `end where they did not begin`() async throws {
        let other = world.replica()
        var browser = Browser()
        let answer = await other.answer(world.request(try await begun(&browser), browser))
        #expect(answer.location == "/orders")
        #expect(world.server.tokenRequests.count == 1)
        #expect(store.names.count == 1 && store.names[0].hasPrefix("pc:t:"))
        #expect(store.milliseconds("t") == ["611000"])
    }

    @Test(.refuses("SH-63")) func `use a state once, and the second callback leads to the page all the same`()
        async throws
    {
        let other = world.replica()
        var browser = Browser()
        let request = world.request(try await begun(&browser), browser)
        let (first, second) = (await world.service.answer(request), await other.answer(request))
        #expect(first.location == "/orders" && first.value(of: LoginWorld.sessionCookie) != nil)
        #expect(second.location == "/orders" && second.value(of: LoginWorld.sessionCookie) == nil)
        #expect(world.server.tokenRequests.count == 1)
        // Whoever has no transaction of that state learns nothing.
        var stranger = request
        stranger.cookies = []
        #expect(await other.answer(stranger).refusal == .loginTransactionUnknown)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.holds("SH-63", "CF-25"))
    func `lead a browser that comes back to the page, whichever replica it comes to`() async throws {
        let (other, third) = (world.replica(), world.replica())
        var browser = Browser()
        let response = try await begun(&browser)
        browser.keep(await world.service.answer(world.request(response, browser)).cookies)
        #expect(browser.transactions.isEmpty, "a back button does not bring them back")
        for replica in [other, third, world.service, other] {
            let answer = await replica.answer(world.request(response, browser))
            #expect(answer.location == "/orders")
            #expect(answer.value(of: LoginWorld.sessionCookie) == nil)
        }
        #expect(world.server.tokenRequests.count == 1)
        #expect(store.names.count == 1 && store.milliseconds("t") == ["611000"])
        #expect(!String(decoding: store.seen, as: UTF8.self).contains("/orders"), "it is sealed")
    }

    @Test(.refuses("SH-63", "CF-25")) func `lead nobody else to where one led, at no replica`() async throws {
        let other = world.replica()
        var (browser, stranger) = (Browser(), Browser())
        let response = try await begun(&browser)
        browser.keep(await world.service.answer(world.request(response, browser)).cookies)
        _ = try await world.login(&stranger)
        #expect(await other.answer(world.request(response, stranger)).refusal == .loginTransactionUnknown)
        #expect(await other.answer(world.request(response, Browser())).refusal == .loginTransactionUnknown)
        // Nor after the session that came of it.
        let session = try #require(browser.value(of: LoginWorld.sessionCookie))
        browser.plant(LoginWorld.sessionCookie, String(session.dropLast(8)) + "AAAAAAAA")
        #expect(await other.answer(world.request(response, browser)).refusal == .loginTransactionUnknown)
        #expect(world.server.tokenRequests.count == 2)
    }

    @Test(.refuses("SH-63")) func `lead nowhere by what somebody wrote to the store`() async throws {
        let other = world.replica()
        var browser = Browser()
        let response = try await begun(&browser)
        browser.keep(await world.service.answer(world.request(response, browser)).cookies)
        let request = world.request(response, browser)
        store.alterTexts { $0[$0.count - 1] ^= 1 }
        #expect(await other.answer(request).refusal == .loginTransactionUnknown)
        store.alterTexts { $0[$0.count - 1] ^= 1 }
        // Of another release, or sealed with a key that is not here yet: nobody can say.
        store.alterTexts { $0[0] = 99 }
        #expect(await other.answer(request).refusal == .storeUnavailable)
        store.alterTexts { ($0[0], $0[1]) = (1, $0[1] ^ 1) }
        #expect(await other.answer(request).refusal == .storeUnavailable)
        store.alterTexts { $0 = Array("1".utf8) }
        #expect(await other.answer(request).refusal == .loginTransactionUnknown, "it led nowhere so far")
    }

    @Test(.refuses("SH-63")) func `refuse no browser that comes back while nobody can ask where one led`() async throws
    {
        let other = world.replica()
        var browser = Browser()
        let response = try await begun(&browser)
        browser.keep(await world.service.answer(world.request(response, browser)).cookies)
        let request = world.request(response, browser)
        store.health = .down
        let answer = await other.answer(request)
        #expect(answer.refusal == .storeUnavailable && answer.check == "SH-63" && answer.cookies.isEmpty)
        #expect(answer.fields.contains { $0 == ("Retry-After", "1") })
        #expect(await world.service.answer(request).location == "/orders", "that one knows it by itself")
        store.health = .good
        #expect(await other.answer(request).location == "/orders")
    }

    @Test(.holds("SH-63")) func `end well where the store does not take where they led`() async throws {
        let other = world.replica()
        var browser = Browser()
        let response = try await begun(&browser)
        store.refusesOverwriting = true
        let answer = await world.service.answer(world.request(response, browser))
        #expect(answer.location == "/orders" && answer.value(of: LoginWorld.sessionCookie) != nil)
        browser.keep(answer.cookies)
        #expect(await other.answer(world.request(response, browser)).refusal == .loginTransactionUnknown)
    }

    @Test(.refuses("SH-63")) func `that cannot ask the store are not refused for good`() async throws {
        var browser = Browser()
        let request = world.request(try await begun(&browser), browser)
        store.health = .down
        let answer = await world.service.answer(request)
        #expect(answer.refusal == .storeUnavailable && answer.check == "SH-63")
        #expect(answer.cookies.isEmpty, "the browser keeps what it needs for the next attempt")
        #expect(answer.retry?.hasPrefix("/.portcullis/login/shop?return_to=") == true)
        #expect(answer.fields.contains { $0 == ("Retry-After", "1") })
        #expect(world.server.tokenRequests.isEmpty)
        #expect(await world.service.answer(request).refusal == .storeUnavailable, "it stays so")
        store.health = .good
        #expect(await world.service.answer(request).location == "/orders")
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.refuses("SH-63")) func `make no token request where the store may have been told`() async throws {
        var browser = Browser()
        let request = world.request(try await begun(&browser), browser)
        store.health = .silent
        #expect(await world.service.answer(request).refusal == .storeUnavailable)
        store.health = .good
        // It was: nobody can say by whom, and the browser begins anew where it wanted to go.
        let answer = await world.service.answer(request)
        #expect(answer.location == "/orders" && answer.value(of: LoginWorld.sessionCookie) == nil)
        #expect(world.server.tokenRequests.isEmpty)
    }

    @Test(.refuses("SH-74")) func `whose session the store does not take leave the browser what it has`()
        async throws
    {
        let world = try LoginWorld(store: try store.shared([.sessions])) { $0.session.store = .shared }
        var browser = Browser()
        let request = world.request(try await world.authorize(await world.start(&browser)), browser)
        store.health = .down
        let answer = await world.service.answer(request)
        #expect(answer.refusal == .storeUnavailable && answer.check == "SH-74")
        #expect(answer.cookies.isEmpty)
        #expect(answer.fields.contains { $0 == ("Retry-After", "1") })
        #expect(answer.retry?.hasPrefix("/.portcullis/login/shop?return_to=") == true)
    }

    @Test func `ask nobody where logins are not among what is shared`() async throws {
        let world = try LoginWorld(store: try store.shared([.sessions, .proofs]))
        store.health = .down
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(store.asked == 0)
    }

    @Test func `leave nothing in the store that says who or what`() async throws {
        var browser = Browser()
        _ = try await world.login(&browser)
        let text = String(decoding: store.seen, as: UTF8.self)
        #expect(!text.isEmpty && !text.contains("user-1") && !text.contains("shop-web"))
        #expect(!browser.jar.contains { text.contains($0.value) })
    }
}

@Suite struct `request objects at several replicas` {
    private let store: SharedLoginStore
    private let world: LoginWorld

    init() throws {
        store = try SharedLoginStore()
        world = try LoginWorld(form: .signedByReference, store: try store.shared())
    }

    private func uri(_ answer: LoginAnswer) throws -> String {
        let parameters = FormText.query(of: try #require(answer.location))
        return try #require(parameters.first { $0.0 == "request_uri" }?.1)
    }

    private func name(_ uri: String) -> String {
        String(uri.prefix { $0 != "#" }.split(separator: "/").last ?? "")
    }

    private func fetch(
        _ uri: String, at service: LoginService, method: LoginRequest.Method = .get
    ) async -> LoginAnswer {
        await service.answer(
            LoginRequest(
                endpoint: .requestObject(id: name(uri)), method: method, publicURL: LoginWorld.publicURL,
                peer: "192.0.2.9"))
    }

    @Test(.holds("SH-64")) func `are fetched where they were not made`() async throws {
        let other = world.replica()
        var browser = Browser()
        let answer = await world.start(&browser)
        let uri = try uri(answer)
        let mine = await world.hosted(uri), theirs = await world.hosted(uri, by: other)
        #expect(mine != nil && mine == theirs)
        #expect(store.milliseconds("r") == ["120000"])
        // The object has the login's state in clear; the store has it sealed.
        let object = try #require(mine)
        #expect(store.seen.firstRange(of: object) == nil)
        #expect(!String(decoding: store.seen, as: UTF8.self).contains(name(uri)))
        let response = try await world.server.authorize(try #require(answer.location)) { uri in
            await world.hosted(uri, by: other)
        }
        #expect(await other.answer(world.request(response, browser)).location == "/orders")
        #expect(store.names.allSatisfy { !$0.hasPrefix("pc:r:") }, "the callback ends it")
        #expect(await fetch(uri, at: world.service).refusal == .requestObjectUnknown)
    }

    @Test(.refuses("SH-64")) func `are given out five times in all`() async throws {
        let other = world.replica()
        var browser = Browser()
        let uri = try uri(await world.start(&browser))
        for turn in 0..<5 {
            #expect(await fetch(uri, at: turn % 2 == 0 ? other : world.service).refusal == nil)
            #expect(await fetch(uri, at: other, method: .head).refusal == (turn < 4 ? nil : .requestObjectUnknown))
        }
        #expect(await fetch(uri, at: other).refusal == .requestObjectUnknown)
        #expect(await fetch(uri, at: world.service).refusal == .requestObjectUnknown)
    }

    @Test(.refuses("SH-64")) func `cannot be guessed, and their guessers are told to stop`() async throws {
        let other = world.replica()
        var last: LoginAnswer?
        for guess in 0..<50 {
            last = await fetch("/" + String(repeating: "A", count: 40) + "\(guess + 100)", at: other)
        }
        #expect(last?.refusal == .loginRequestsTooMany)
        #expect(await fetch("/short", at: other).refusal == .loginRequestsTooMany)
    }

    @Test(.holds("SH-68"), .refuses("SH-68")) func `have their guessers told to stop at each replica by itself`()
        async throws
    {
        let other = world.replica()
        for _ in 0..<50 { _ = await fetch("/short", at: other) }
        let asked = store.asked
        #expect(await fetch("/short", at: other).refusal == .loginRequestsTooMany)
        #expect(await fetch("/short", at: world.service).refusal == .requestObjectUnknown)
        #expect(store.asked == asked && store.names.isEmpty, "the store knows of none of them")
    }

    @Test(.holds("SH-69"), .refuses("SH-69")) func `are found by who was given the key, and by nobody else`()
        async throws
    {
        var browser = Browser()
        let uri = try uri(await world.start(&browser))
        _ = await fetch(uri, at: world.replica())
        for key: UInt8 in [9, 7] {
            #expect(store.seen.firstRange(of: [UInt8](repeating: key, count: 32)) == nil, "of the store, of sessions")
        }
        let name = name(uri)
        let (same, other) = (try store.shared(), try store.shared(key: 8))
        #expect(try await SharedLogins(same)?.object(name, limit: 5, counts: false) != nil)
        // It asks by the name that was in the URL: what lies there does not open, and no key comes with it.
        await #expect(throws: StoreRefusal.unexpected) {
            try await SharedLogins(other)?.object(name, limit: 5, counts: false)
        }
    }

    @Test(.refuses("SH-64")) func `are not made where the store takes none, and the user reads so`() async throws {
        store.health = .down
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .storeUnavailable && answer.check == "SH-64")
        #expect(answer.retry?.hasPrefix("/.portcullis/login/shop?") == true && answer.cookies.isEmpty)
        store.health = .good
        let uri = try uri(await world.start(&browser))
        store.health = .down
        let fetched = await fetch(uri, at: world.service)
        #expect(fetched.refusal == .storeUnavailable, "neither there nor gone")
        #expect(fetched.fields.contains { $0 == ("Retry-After", "1") })
        #expect(await fetch(uri, at: world.replica(), method: .post).refusal == .methodNotAllowed)
    }

    @Test(.refuses("SH-64")) func `that were changed in the store are none`() async throws {
        let shared = try #require(SharedLogins(try store.shared()))
        let name = shared.objectName(state: Array("one".utf8))
        #expect(name.utf8.count == 43)
        #expect(name != shared.objectName(state: Array("other".utf8)))
        #expect(try await shared.host([1, 2, 3], as: name, milliseconds: 5))
        #expect(try await !shared.host([4], as: name, milliseconds: 5), "there is one")
        #expect(try await shared.object(name, limit: 5, counts: true) == [1, 2, 3])
        #expect(try await shared.object(name, limit: 1, counts: false) == nil)
        store.alterObjects { $0[$0.count - 1] ^= 1 }
        #expect(try await shared.object(name, limit: 5, counts: true) == nil)
        // Of another release, or sealed with a key that is not here yet.
        for change in [{ $0[0] = 99 }, { ($0[0], $0[1]) = (1, $0[1] ^ 1) }] as [(inout [UInt8]) -> Void] {
            store.alterObjects(change)
            await #expect(throws: StoreRefusal.unexpected) {
                try await shared.object(name, limit: 5, counts: true)
            }
        }
    }

    @Test func `of one network give way to others', in the store too`() async throws {
        let shared = try #require(SharedLogins(try store.shared()))
        let hosted = HostedRequests(limit: 2, byteLimit: 1000)
        for login in 0..<3 {
            let name = try await hosted.publish(
                [1], state: "\(login)", peer: "192.0.2.1", in: shared, at: 0)
            #expect(name != nil)
        }
        #expect(store.names.count == 2)
        #expect(try await shared.object(shared.objectName(state: Array("0".utf8)), limit: 5, counts: true) == nil)
        await hosted.remove(state: "1", in: shared)
        #expect(store.names.count == 1)
        #expect(hosted.count == 1)
        #expect(
            try await hosted.publish([UInt8](repeating: 1, count: 2000), state: "9", peer: "", in: shared, at: 0) == nil
        )
    }
}

@Suite struct `what is used once` {
    private let digest = SHA256.hash(Array("state".utf8).span)

    private func use(_ once: SingleUse, _ answer: Result<Bool, StoreRefusal>?) async -> SingleUse.Outcome {
        await once.use(
            digest, holder: digest, until: 100, now: 1,
            askStore: answer.map { answer in { () async throws(StoreRefusal) in try answer.get() } })
    }

    @Test func `is used here first, and then at all replicas`() async {
        let once = SingleUse(ReplaySet(byteLimit: 1 << 20, windowSeconds: 600))
        #expect(await use(once, .success(true)) == .first)
        #expect(await use(once, .success(true)) == .used, "the store is not asked")
        let elsewhere = SingleUse(ReplaySet(byteLimit: 1 << 20, windowSeconds: 600))
        #expect(await use(elsewhere, .success(false)) == .usedElsewhere)
        #expect(await use(elsewhere, .success(true)) == .used)
        let alone = SingleUse(ReplaySet(byteLimit: 1 << 20, windowSeconds: 600))
        #expect(await use(alone, nil) == .first)
        #expect(await use(alone, nil) == .used)
    }

    @Test func `is asked about again where nobody could say`() async {
        let once = SingleUse(ReplaySet(byteLimit: 1 << 20, windowSeconds: 600))
        for refusal in [StoreRefusal.unavailable, .busy, .unknown, .refused("OOM"), .unexpected] {
            #expect(await use(once, .failure(refusal)) == .unavailable)
        }
        #expect(await use(once, .success(true)) == .first)
        #expect(await use(once, .success(true)) == .used)
    }
}

@Suite struct `logout tokens at several replicas` {
    private let store: SharedLoginStore
    private let (one, other): (SignedIn, SignedIn)

    init() throws {
        store = try SharedLoginStore()
        let shared = try store.shared()
        one = try SignedIn(store: .memory, shared: shared) { $0.logout.backchannel = true }
        other = try SignedIn(store: .memory, shared: shared) { $0.logout.backchannel = true }
    }

    @Test(.holds("SH-63"), .refuses("SH-63")) func `are used once, wherever they come`() async throws {
        let token = "logout_token=" + LogoutTokens.token(one)
        #expect(await LogoutTokens.post(one, token).refusal == nil)
        #expect(await LogoutTokens.post(other, token).refusal == .logoutTokenUsed)
        #expect(await LogoutTokens.post(one, token).refusal == .logoutTokenUsed)
        #expect(store.names.count == 1 && store.names[0].hasPrefix("pc:l:"))
        let life = try #require(store.milliseconds("l").first.flatMap { Int($0) })
        #expect((131_000...500_000).contains(life))
        #expect(!String(decoding: store.seen, as: UTF8.self).contains("logout-1"))
    }

    @Test(.refuses("SH-63"))
    func `are taken a second time where the store could not be asked, for the server repeats them`()
        async throws
    {
        let (_, value) = try await one.logIn()
        let token = "logout_token=" + LogoutTokens.token(one)
        store.health = .down
        let answer = await LogoutTokens.post(one, token)
        #expect(answer.refusal == .storeUnavailable && answer.check == "SH-63")
        #expect(answer.fields.contains { $0 == ("Retry-After", "1") })
        #expect(one.lookUp(value) == nil, "what can end here has ended")
        store.health = .good
        #expect(await LogoutTokens.post(one, token).refusal == nil)
        #expect(await LogoutTokens.post(other, token).refusal == .logoutTokenUsed)
    }
}
