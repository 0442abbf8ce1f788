import HTTPMessage
import Sessions
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct `refreshes under way` {
    private static let limit = 64
    private static let issuer = "https://id.example.com"

    private func user(_ name: String) -> ServerUser { ServerUser(issuer: Self.issuer, subject: name) }

    private func key(_ number: Int, of login: String = "shop") -> RefreshFlights.Key {
        RefreshFlights.Key(login: login, session: [UInt8(number >> 8), UInt8(number & 255)])
    }

    /// What becomes of a request for a refresh; whoever waits does so until the end of the test.
    private func ask(
        _ flights: RefreshFlights, _ number: Int, of user: ServerUser, at login: String = "shop", among logins: Int = 1
    ) async -> RefreshFlights.Admission? {
        let admissions = Record<RefreshFlights.Admission>()
        let key = key(number, of: login)
        Task {
            _ = await withCheckedContinuation { (continuation: RefreshFlights.Waiting) in
                let admission = flights.admit(key, of: user, amongLogins: logins, continuation, at: 0)
                if admission == .refuse || admission == .refuseUser { continuation.resume(returning: .unavailable) }
                admissions.append(admission)
            }
        }
        await SignedIn.until { !admissions.all.isEmpty }
        return admissions.last
    }

    @Test(.holds("OPS-05")) func `of one user leave places to all others`() async {
        let flights = RefreshFlights(limit: Self.limit)
        // An office of one user is let in while there is room.
        for number in 0..<32 { #expect(await ask(flights, number, of: user("alice")) == .start) }
        #expect(await ask(flights, 32, of: user("alice")) == .refuseUser)
        // Who waits for one that is under way takes no place.
        #expect(await ask(flights, 0, of: user("alice")) == .wait)
        for number in 0..<8 {
            for place in 0..<4 {
                #expect(await ask(flights, 100 + 4 * number + place, of: user("user \(number)")) == .start)
            }
            if number < 7 { #expect(await ask(flights, 200 + number, of: user("user \(number)")) == .refuseUser) }
        }
        #expect(await ask(flights, 300, of: user("bob")) == .refuse, "all places are taken")
        #expect(await ask(flights, 301, of: user("alice")) == .refuseUser, "by alice, for one")
        #expect(flights.count == Self.limit && flights.users == 9)
        flights.stop()
    }

    @Test(.refuses("OPS-05"))
    func `that have ended leave their place to the same user, and nothing of the user behind`() async {
        let flights = RefreshFlights(limit: Self.limit)
        for number in 0..<32 { #expect(await ask(flights, number, of: user("alice")) == .start) }
        for number in 32..<36 { #expect(await ask(flights, number, of: user("bob")) == .start) }
        #expect(await ask(flights, 36, of: user("bob")) == .refuseUser)
        flights.land(key(32), .ended)
        #expect(await ask(flights, 36, of: user("bob")) == .start)
        for number in 0..<37 { flights.land(key(number), .ended) }
        #expect(flights.count == 0 && flights.users == 0)
        // One that is told of twice is none the less over once.
        flights.land(key(0), .ended)
        #expect(flights.users == 0)
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `of one login leave places to all others`() async {
        let flights = RefreshFlights(limit: Self.limit)
        func ask(_ number: Int, _ login: String) async -> RefreshFlights.Admission? {
            await self.ask(flights, number, of: user("\(login) \(number)"), at: login, among: 3)
        }
        // Each has as many as it leaves to the others, however few of them ask for any.
        for (login, most) in [("stalls", 32), ("stalls too", 16), ("answers", 8)] {
            for number in 0..<most { #expect(await ask(number, login) == .start) }
            #expect(await ask(most, login) == .refuse)
            #expect(await ask(0, login) == .wait)
        }
        #expect(flights.count == 56 && flights.logins == 3)
        // What one gives back goes to whoever has fewer than are free.
        flights.land(key(0, of: "answers"), .unavailable)
        #expect(await ask(32, "stalls") == .refuse)
        #expect(await ask(8, "answers") == .start)
        for number in 0..<32 { flights.land(key(number, of: "stalls"), .unavailable) }
        #expect(flights.logins == 2)
        #expect(await ask(32, "stalls") == .start)
        flights.stop()
        #expect(flights.count == 0 && flights.logins == 0)
    }

    @Test(.holds("OPS-05")) func `of the only login there is have all places`() async {
        let flights = RefreshFlights(limit: Self.limit)
        for number in 0..<Self.limit { #expect(await ask(flights, number, of: user("\(number)")) == .start) }
        #expect(await ask(flights, Self.limit, of: user("one more")) == .refuse)
        flights.stop()
    }

    @Test(.refuses("OPS-05"), .timeLimit(.minutes(1)))
    func `of a login whose server stalls take no place of another login`() async throws {
        let world = try SignedIn(others: [("other", "other-web")])
        let places = world.logouts.places
        let service = RefreshService(
            places, revocations: world.revocations, flights: RefreshFlights(limit: 2), clock: world.clock,
            executor: globalConcurrentExecutor, onEvent: { _ in })
        let (first, firstValue) = try await world.logIn(refreshToken: "refresh-1-of-this-server")
        let (second, secondValue) = try await world.logIn(subject: "user-2", refreshToken: "refresh-2-of-this-server")
        let (third, _) = try await world.logIn(subject: "user-3", refreshToken: "refresh-3-of-this-server")
        let otherValue = try await world.logIn(at: 1, as: third, token: "refresh-4-of-this-server")
        guard case .found(let other, _) = places[1].store.lookUp(otherValue, now: world.clock.seconds) else {
            Issue.record("no session")
            return
        }
        world.becomeDue()
        world.server.habits.held = "/token"
        async let waiting = service.refresh(first, value: firstValue, client: 0)
        await world.server.arrival(of: 1, at: "/token")
        if case .unavailable = await service.refresh(second, value: secondValue, client: 0) {
        } else {
            Issue.record("not refused for its login")
        }
        #expect(world.server.tokenRequests.count == 1)
        async let others = service.refresh(other, value: otherValue, client: 1)
        await world.server.arrival(of: 2, at: "/token")
        world.server.release()
        _ = await (waiting, others)
    }

    @Test(.holds("OPS-05")) func `of users are told apart by issuer and subject`() {
        let alice = user("alice")
        #expect(alice == ServerUser(issuer: Self.issuer, subject: "alice"))
        #expect(alice != ServerUser(issuer: Self.issuer + "/", subject: "alice") && alice != user("Alice"))
        #expect(alice.name != user("bob").name)
        #expect(!alice.name.contains("alice"), "what a request says of whom it is for is shown to nobody, and yet")
    }

    @Test(.holds("OPS-05")) func `questions for userinfo have turns by user, and not by address`() async throws {
        let world = try LoginWorld { $0.userInfo = .required }
        var browser = Browser()
        _ = try await world.login(&browser)
        let session = try #require(world.session(of: browser))
        let questions = world.server.requests(at: "/userinfo")
        #expect(questions.map(\.purpose) == [.session])
        #expect(questions.first?.client == ServerUser(session).name)
    }

    @Test(.refuses("OPS-05")) func `beyond a user's share are answered at once, and nobody is asked`() async throws {
        let world = try SignedIn()
        let service = RefreshService(
            [world.place], revocations: world.revocations, flights: RefreshFlights(limit: 2), clock: world.clock,
            executor: globalConcurrentExecutor, onEvent: { _ in })
        let (first, firstValue) = try await world.logIn(refreshToken: "refresh-1-of-this-server")
        let (second, secondValue) = try await world.logIn(refreshToken: "refresh-2-of-this-server")
        let (other, otherValue) = try await world.logIn(subject: "user-2", refreshToken: "refresh-3-of-this-server")
        world.becomeDue()
        world.server.habits.held = "/token"
        async let waiting = service.refresh(first, value: firstValue, client: 0)
        await world.server.arrival(of: 1, at: "/token")
        let answers = Record<LoginService.Refreshed>()
        Task { answers.append(await service.refresh(second, value: secondValue, client: 0)) }
        await SignedIn.until { !answers.all.isEmpty || world.server.tokenRequests.count > 1 }
        if case .tooMany? = answers.last {} else { Issue.record("not refused for its user") }
        #expect(world.server.tokenRequests.count == 1)
        // Another user's is asked about beside it.
        async let others = service.refresh(other, value: otherValue, client: 0)
        await world.server.arrival(of: 2, at: "/token")
        let clients = world.server.requests(at: "/token").map(\.client)
        let users: [String?] = [ServerUser(first).name, ServerUser(other).name]
        #expect(clients == users)
        world.server.release()
        _ = await (waiting, others)
        // With a place of its own again, it is refreshed: nothing was held against it.
        if case .tooMany = await service.refresh(second, value: secondValue, client: 0) {
            Issue.record("refused although nothing is under way")
        }
    }
}
