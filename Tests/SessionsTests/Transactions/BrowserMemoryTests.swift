import TestTraits
import Testing

@testable import Sessions

@Suite struct `logins that ended` {
    private static let now = Sample.now

    @Test(.holds("CF-12")) func `lets five logins in a minute end before it breaks the loop`() {
        var jar = Jar()
        for end in 0..<5 as Range<Int64> {
            #expect(!EndedLogins.isLoop(in: jar.field, now: Self.now + end))
            jar.take([EndedLogins.next(in: jar.field, now: Self.now + end)])
            #expect(EndedLogins.count(in: jar.field, now: Self.now + end) == Int(end) + 1)
        }
        #expect(EndedLogins.isLoop(in: jar.field, now: Self.now + 5))
        #expect(jar.field.count < 100)
    }

    @Test(.holds("CF-12")) func `forgets what is a minute old, so that a user who waits gets on`() {
        var jar = Jar()
        for end in 0..<8 as Range<Int64> { jar.take([EndedLogins.next(in: jar.field, now: Self.now + end)]) }
        #expect(EndedLogins.isLoop(in: jar.field, now: Self.now + 59))
        #expect(!EndedLogins.isLoop(in: jar.field, now: Self.now + 64))
        #expect(EndedLogins.count(in: jar.field, now: Self.now + 100) == 0)
        let line = EndedLogins.next(in: [], now: Self.now)
        #expect(line == "__Host-portcullis-ended=1800000000; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60")
    }

    @Test(.refuses("CF-12")) func `does not count logins that were only begun: twenty tabs are no loop`() {
        #expect(!EndedLogins.isLoop(in: [], now: Self.now))
        let tabs = (0..<20).map { "__Host-portcullis-login-abcdef\($0 + 10)=x" }.joined(separator: "; ")
        #expect(!EndedLogins.isLoop(in: Array(tabs.utf8), now: Self.now))
    }

    @Test(
        .refuses("CF-12"),
        arguments: [
            "", ".", "......", "x", "1800000000x", "-1", "18000000000", "99999999999999999999999",
            "1800000000,1800000000",
            "1800000001", "9999999999.9999999999", "0.0.0.0.0.0", "1800000000 .1800000000", "%31", "\u{ff11}",
            "1800000000.1800000000.1800000000.1800000000.1800000000.1800000000.1800000000",
        ])
    func `counts nothing that it did not write, nor what lies ahead`(value: String) {
        let field = Array("\(EndedLogins.cookieName)=\(value)".utf8)
        #expect(EndedLogins.count(in: field, now: Self.now) == 0)
        let twice = field + Array("; ".utf8) + field
        #expect(EndedLogins.count(in: twice, now: Self.now) == 0)
        _ = EndedLogins.next(in: field, now: Self.now)
    }
}

@Suite struct `the state of a logout at the server` {
    @Test(.holds("LO-04")) func `matches in the browser that was sent there, once`() {
        var jar = Jar()
        let start = PostLogoutState.start(client: "shop")
        #expect(start.line.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600"))
        #expect(!start.line.contains(start.state), "what is in a URL makes no cookie")
        #expect(start.state.utf8.count == 32)
        jar.take([start.line])
        #expect(PostLogoutState.matches(start.state, client: "shop", in: jar.field))
        jar.take(PostLogoutState.deletion())
        #expect(!PostLogoutState.matches(start.state, client: "shop", in: jar.field))
        #expect(PostLogoutState.start(client: "shop").state != start.state)
    }

    @Test(.refuses("LO-04")) func `matches no other state, client, browser or cookie`() {
        var jar = Jar()
        let start = PostLogoutState.start(client: "shop")
        jar.take([start.line])
        for state in [
            "x", "", start.state + "A", String(start.state.dropLast()), PostLogoutState.start(client: "shop").state,
        ] {
            #expect(!PostLogoutState.matches(state, client: "shop", in: jar.field))
        }
        #expect(!PostLogoutState.matches(start.state, client: "blog", in: jar.field))
        #expect(!PostLogoutState.matches(start.state, client: "shop", in: []))
        let name = PostLogoutState.cookieName
        for value in ["", "x", start.state, String(repeating: "A", count: 43), String(repeating: "A", count: 44)] {
            #expect(!PostLogoutState.matches(start.state, client: "shop", in: Array("\(name)=\(value)".utf8)))
        }
        let twice = jar.field + Array("; ".utf8) + jar.field
        #expect(!PostLogoutState.matches(start.state, client: "shop", in: twice))
    }
}
