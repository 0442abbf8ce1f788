import Crypto
import HTTPMessage
import JSON
import OAuth
import Pages
import Refusals
import Sessions
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct LocalLogoutTests {
    private let idToken = Secret(Array("header.claims.signature".utf8))

    @Test(.refuses("SC-10")) func `A GET logs nobody out, and shows a page that asks`() async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        for change in [{ _ in }, { $0.fetchSite = "cross-site" }, { $0.fetchDestination = "image" }]
            as [(inout LoginRequest) -> Void]
        {
            let answer = await world.logouts.answer(world.request(.logout(client: 0), value: value, change: change))
            guard case .page(.confirmLogout(let action)) = answer.content else {
                Issue.record("no question")
                return
            }
            #expect(action == "/.portcullis/logout/shop")
            #expect(answer.cookies.isEmpty)
        }
        #expect(world.lookUp(value) != nil)
    }

    @Test(.refuses("SC-10")) func `A form of another site logs nobody out`() async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        for change in [
            { $0.fetchSite = "cross-site" }, { $0.fetchSite = "same-site" },
            {
                $0.fetchSite = nil
                $0.origin = "https://evil.example"
            },
            {
                $0.fetchSite = nil
                $0.origin = "null"
            },
            {
                $0.fetchSite = nil
                $0.origin = nil
            },
        ] as [(inout LoginRequest) -> Void] {
            let answer = await world.logouts.answer(
                world.request(.logout(client: 0), method: .post, value: value, change: change))
            #expect(answer.refusal == .crossSiteRequest)
        }
        #expect(world.lookUp(value) != nil)
    }

    @Test func `A logout that could not be done has a page of its own`() {
        #expect(Refusal.storeUnavailable.topicOfLogout == .stillSignedIn)
        #expect(Refusal.crossSiteRequest.topicOfLogout == Refusal.crossSiteRequest.topic)
    }

    @Test(.holds("LO-01")) func `A logout ends the session, deletes the cookie and revokes both tokens`() async throws {
        let world = try SignedIn { $0.logout.atServer = false }
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        guard case .page(.loggedOut) = answer.content else {
            Issue.record("another page")
            return
        }
        #expect(answer.deletes(SignedIn.cookieName))
        await world.revoked()
        #expect(world.lookUp(value) == nil)
        #expect(world.server.revokedTokens == ["refresh-0-of-this-server", "access-0-of-this-server"])
        #expect(world.endings == 1)
    }

    @Test(.refuses("LO-01", "RV-01")) func `A server that is down keeps nobody logged in`() async throws {
        let world = try SignedIn { $0.logout.landing = "/bye" }
        world.server.habits.revocationAnswer = .failure(.timedOut)
        world.server.habits.metadata = ["end_session_endpoint": nil]
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        #expect(answer.location == "/bye")
        #expect(world.lookUp(value) == nil)
    }

    @Test(.holds("LO-02", "LO-04")) func `The browser goes through the server's logout and comes back by its state`()
        async throws
    {
        let world = try SignedIn { $0.logout.landing = "/bye" }
        let (_, value) = try await world.logIn { $0.idToken = idToken }
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        let location = try #require(answer.location)
        #expect(location.hasPrefix(ScriptedServer.issuer + "/logout?"))
        let query = FormText.query(of: location)
        #expect(query["client_id"] == "shop-web")
        #expect(query["post_logout_redirect_uri"] == "https://shop.example.com/.portcullis/logged-out/shop")
        let state = try #require(query["state"])
        let kept = try #require(answer.value(of: PostLogoutState.cookieName))
        #expect(kept != state, "what is in a URL, and so in logs and histories, makes no cookie")

        let cookie = "\(PostLogoutState.cookieName)=\(kept)"
        let forged = await world.logouts.answer(
            world.request(
                .loggedOut(client: 0), query: "state=\(state)", cookie: "\(PostLogoutState.cookieName)=\(state)"))
        #expect(forged.location == nil)
        let back = await world.logouts.answer(
            world.request(.loggedOut(client: 0), query: "state=\(state)", cookie: cookie))
        #expect(back.location == "/bye")
        #expect(back.deletes(PostLogoutState.cookieName))
    }

    /// One of them may have been planted: its ID token is somebody else's.
    @Test(.refuses("SC-16", "LO-02")) func `Of two sessions both end, and the server is told of neither`() async throws
    {
        let world = try SignedIn()
        var values: [[UInt8]] = []
        for number in 0..<3 {
            values.append(try await world.logIn(sid: "sid-\(number)") { $0.idToken = idToken }.value)
        }
        for brought in [values[..<1], values[1...]] {
            let cookie = brought.map { "\(SignedIn.cookieName)=\(String(decoding: $0, as: UTF8.self))" }
            let answer = await world.logouts.answer(
                world.request(.logout(client: 0), method: .post, cookie: cookie.joined(separator: "; ")))
            let query = FormText.query(of: try #require(answer.location))
            #expect((query["id_token_hint"] == nil) == (brought.count == 2))
            #expect(query["client_id"] == "shop-web")
        }
        for value in values { #expect(world.lookUp(value) == nil) }
    }

    @Test(
        .holds("LO-04"),
        arguments: [
            "state=x&return_to=//evil.example", "", "state=", "state=a&state=b", "return_to=https://evil.example",
        ])
    func `Another state shows a page and leads nowhere`(_ query: String) async throws {
        let world = try SignedIn { $0.logout.landing = "/bye" }
        for cookie in [nil, "\(PostLogoutState.cookieName)=the-right-one"] {
            let answer = await world.logouts.answer(
                world.request(.loggedOut(client: 0), query: query, cookie: cookie))
            guard case .page(.loggedOut) = answer.content else {
                Issue.record("led somewhere")
                return
            }
        }
    }

    @Test(.refuses("LO-04")) func `Nobody who is signed in is told by a link that they are not`() async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(world.request(.loggedOut(client: 0), value: value))
        guard case .page(.confirmLogout) = answer.content else {
            Issue.record("told that they are signed out")
            return
        }
        #expect(answer.cookies.isEmpty)
    }

    @Test(.refuses("LO-03")) func `A hint that is to be posted is in no URL`() async throws {
        let world = try SignedIn { $0.logout.postsHint = true }
        let (_, value) = try await world.logIn { $0.idToken = idToken }
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        guard case .page(.postLogout(let action, let parameters)) = answer.content else {
            Issue.record("no form")
            return
        }
        #expect(action == ScriptedServer.issuer + "/logout")
        #expect(parameters["id_token_hint"] == "header.claims.signature")
    }

    @Test(.holds("LO-02")) func `A script is told where to go on`() async throws {
        let world = try SignedIn()
        let (_, value) = try await world.logIn()
        let answer = await world.logouts.answer(
            world.request(.logout(client: 0), method: .post, value: value) { $0.isNavigation = false })
        let json = try #require(answer.json)
        #expect(json["authenticated"]?.bool == false)
        #expect(json["continue"]?.string?.hasPrefix(ScriptedServer.issuer + "/logout?") == true)
        #expect(world.lookUp(value) == nil)
    }

    @Test(.holds("LO-01")) func `Another method is answered with those that there are`() async throws {
        let world = try SignedIn()
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .other))
        #expect(answer.refusal == .methodNotAllowed)
        #expect(answer.fields.first?.1 == "GET, HEAD, POST")
        let other = await world.logouts.answer(world.request(.logout(client: 9)))
        #expect(other.refusal == .requestObjectUnknown)
    }
}
