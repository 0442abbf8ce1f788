import Bytes
import Crypto
import TestTraits
import Testing

@testable import Sessions

@Suite struct `login transactions` {
    private static let now = Sample.now
    private static let redirect = "https://shop.example.com/.portcullis/callback/shop"

    private func sealer(
        _ numbers: [UInt8] = [1], client: String = "shop", binding: String = "https://id.example/"
    ) throws -> TransactionSealer {
        try TransactionSealer(keys: numbers.map { Sample.key($0) }, client: client, binding: binding)
    }

    private func state() -> String { Base64URL.encode(RandomBytes.fill(32).span) }

    private func transaction(_ returnTo: String = "/app?x=1", fragment: String? = nil) -> LoginTransaction {
        var transaction = LoginTransaction(
            seed: Secret(RandomBytes.fill(32)), returnTo: returnTo, createdAt: Self.now, client: "shop")
        transaction.fragment = fragment
        return transaction
    }

    /// The field of a browser that keeps these logins' cookies.
    private func field(_ cookies: [(name: String, value: [UInt8])]) -> [UInt8] {
        Array(cookies.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: "; ").utf8)
    }

    @Test(.holds("CF-03")) func `finds the transaction of a state in the browser that began it, for ten minutes`()
        throws
    {
        let sealer = try sealer(), state = state(), begun = transaction()
        let cookies = field([try sealer.seal(begun, state: state, redirectURI: Self.redirect)])
        for later in [0, 1, 600, -60] as [Int64] {
            let opened = sealer.open(cookies, state: state, redirectURI: Self.redirect, now: Self.now + later)
            let found = try #require(opened.transaction)
            #expect(found.returnTo == "/app?x=1")
            #expect(found.client == "shop")
            #expect(found.seed.reveal() == begun.seed.reveal())
        }
    }

    @Test(.refuses("CF-03")) func `finds nothing for a state that is unknown, another browser's, old, or made up`()
        throws
    {
        let sealer = try sealer(), mine = state(), theirs = state()
        let cookies = field([try sealer.seal(transaction(), state: mine, redirectURI: Self.redirect)])
        for state in [theirs, "", mine + "A", String(mine.dropLast()), "\u{0}", String(repeating: "a", count: 100_000)]
        {
            #expect(sealer.open(cookies, state: state, redirectURI: Self.redirect, now: Self.now).isNone)
        }
        #expect(sealer.open([], state: mine, redirectURI: Self.redirect, now: Self.now).isNone)
        #expect(sealer.open(cookies, state: mine, redirectURI: Self.redirect, now: Self.now + 601).isExpired)
        #expect(sealer.open(cookies, state: mine, redirectURI: Self.redirect, now: Self.now - 601).isExpired)
        #expect(sealer.open(cookies, state: mine, redirectURI: Self.redirect, now: .max).isExpired)
        #expect(sealer.open(cookies, state: mine, redirectURI: Self.redirect, now: .min).isExpired)
    }

    @Test(.refuses("CF-03")) func `does not open another login's value under a state's name`() throws {
        let sealer = try sealer(), mine = state(), theirs = state()
        let value = try sealer.seal(transaction("/theirs"), state: theirs, redirectURI: Self.redirect).value
        let cookies = field([(TransactionSealer.cookieName(state: mine), value)])
        #expect(sealer.open(cookies, state: mine, redirectURI: Self.redirect, now: Self.now).isNone)
        let right = try sealer.seal(transaction(), state: mine, redirectURI: Self.redirect)
        #expect(
            sealer.open(field([right, right]), state: mine, redirectURI: Self.redirect, now: Self.now).isNone,
            "SC-06: one of two may be planted")
    }

    @Test(.holds("CF-06")) func `keeps everything that the callback needs`() throws {
        let sealer = try sealer([2, 1]), state = state()
        var begun = transaction("/a?b=c%20d", fragment: "/route/3?q=1")
        begun.stepUp = LoginTransaction.Demand(acrValues: ["urn:gold", "phr"], maximumAge: 0)
        begun.attempts = 2
        begun.keepsForm = true
        let old = try self.sealer([1]).seal(begun, state: state)
        for cookie in [try sealer.seal(begun, state: state), old] {
            let found = try #require(sealer.open(field([cookie]), state: state, now: Self.now).transaction)
            #expect(found.returnTo == begun.returnTo && found.fragment == begun.fragment)
            #expect(found.stepUp == begun.stepUp && found.attempts == 2 && found.keepsForm)
            #expect(found.createdAt == begun.createdAt)
            #expect(found.seed.reveal() == begun.seed.reveal())
        }
    }

    @Test(.refuses("CF-06")) func `is nothing after any change of its cookie`() throws {
        let sealer = try sealer(), state = state()
        let cookie = try sealer.seal(transaction(), state: state)
        for index in cookie.value.indices {
            for bit in 0..<8 {
                var value = cookie.value
                value[index] ^= 1 << UInt8(bit)
                let opened = sealer.open(Array(cookie.name.utf8) + [0x3d] + value, state: state, now: Self.now)
                #expect(opened.isNone, "byte \(index), bit \(bit)")
            }
            let cut = Array(cookie.name.utf8) + [0x3d] + cookie.value[..<index]
            #expect(sealer.open(cut, state: state, now: Self.now).isNone)
        }
    }

    @Test(.holds("CF-06")) func `is bound to the client, the issuer, the redirect URI and the keys`() throws {
        let state = state()
        let cookies = field([try sealer().seal(transaction(), state: state, redirectURI: Self.redirect)])
        #expect(try sealer().open(cookies, state: state, redirectURI: Self.redirect, now: Self.now).transaction != nil)
        #expect(try sealer().open(cookies, state: state, redirectURI: Self.redirect + "/", now: Self.now).isNone)
        for other in [try sealer([2]), try sealer(client: "blog"), try sealer(binding: "https://id.example")] {
            #expect(other.open(cookies, state: state, redirectURI: Self.redirect, now: Self.now).isNone)
        }
        #expect(throws: CryptoRefusal.keyLength) {
            try sealer().seal(
                LoginTransaction(seed: Secret([1]), returnTo: "/", createdAt: 0, client: "shop"), state: state)
        }
    }

    @Test(.holds("CF-07"))
    func `a cookie with a short target is shorter than 200 bytes, and has the state's digest in its name`()
        throws
    {
        let state = state()
        let cookie = try sealer().seal(transaction("/orders/17?tab=open"), state: state)
        #expect(cookie.name.utf8.count + cookie.value.count < 200)
        let digest = SHA256.hash(Array(state.utf8).span).base64URL
        #expect(cookie.name == "__Host-portcullis-login-" + digest.prefix(8))
        #expect(TransactionSealer.cookieName(state: state) == cookie.name)
        #expect(cookie.value.allSatisfy { $0 > 0x20 && $0 < 0x7f && !#"",;\"#.utf8.contains($0) })
    }

    @Test(.holds("CF-07")) func `logins of several tabs finish in any order, each with its own target`() throws {
        let sealer = try sealer()
        var jar = Jar()
        let states = (0..<20).map { _ in state() }
        for (index, state) in states.enumerated() {
            let cookie = try sealer.seal(transaction("/tab/\(index)"), state: state)
            for name in TransactionSealer.evictions(
                in: jar.field, adding: cookie.name.utf8.count + cookie.value.count)
            { jar.take(SetCookie.deletion(name: name, sameSite: .lax)) }
            jar.take(SetCookie.lines(name: cookie.name, value: cookie.value, sameSite: .lax, maxAge: 600))
        }
        #expect(jar.pairs.count == 20)
        #expect(jar.field.count <= 3500)
        for (index, state) in states.enumerated().reversed() {
            #expect(sealer.open(jar.field, state: state, now: Self.now).transaction?.returnTo == "/tab/\(index)")
            jar.take(SetCookie.deletion(name: TransactionSealer.cookieName(state: state), sameSite: .lax))
        }
        #expect(jar.field.isEmpty)
    }

    @Test(.refuses("CF-07"), arguments: [3, 60, 400, 2047])
    func `however many logins are begun, twenty and 3,500 bytes are left, and the newest among them`(
        length: Int
    ) throws {
        let sealer = try sealer()
        var jar = Jar()
        jar.take(["theme=dark; Path=/", "__Host-portcullis-shop=session; Path=/", "__Host-portcullis-login-odd=x"])
        for _ in 0..<50 {
            let state = state()
            let cookie = try sealer.seal(transaction("/" + String(repeating: "a", count: length)), state: state)
            let evicted = TransactionSealer.evictions(
                in: jar.field, adding: cookie.name.utf8.count + cookie.value.count)
            for name in evicted { jar.take(SetCookie.deletion(name: name, sameSite: .lax)) }
            jar.take(SetCookie.lines(name: cookie.name, value: cookie.value, sameSite: .lax, maxAge: 600))
            let logins = jar.pairs.filter { $0.name.hasPrefix("__Host-portcullis-login-") && $0.name.count == 32 }
            #expect(logins.count <= 20)
            #expect(logins.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 } <= 3500)
            #expect(sealer.open(jar.field, state: state, now: Self.now).transaction != nil)
        }
        #expect(jar.pairs.prefix(3).map(\.name) == ["theme", "__Host-portcullis-shop", "__Host-portcullis-login-odd"])
    }

    @Test(.holds("CF-07"))
    func `deletes forty at a time, however many somebody planted, so that the answer stays small`() {
        let names = (10_000_000..<10_002_000).map { "__Host-portcullis-login-\($0)" }
        let field = Array(names.joined(separator: ";").utf8)
        let evicted = TransactionSealer.evictions(in: field, adding: 140)
        #expect(evicted == Array(names.prefix(40)))
        let lines = evicted.flatMap { SetCookie.deletion(name: $0, sameSite: .none) }
        #expect(lines.reduce(0) { $0 + $1.utf8.count } < 8192)
    }

    @Test(.refuses("CF-07")) func `evicts the oldest first, and nothing that is no login's cookie`() {
        let names = (0..<20).map { "__Host-portcullis-login-abcdef\($0 < 10 ? "0" : "")\($0)" }
        let field = Array((["a=1"] + names.map { "\($0)=x" }).joined(separator: "; ").utf8)
        #expect(TransactionSealer.evictions(in: field, adding: 140) == ["__Host-portcullis-login-abcdef00"])
        #expect(TransactionSealer.evictions(in: field, adding: 3480) == names)
        #expect(TransactionSealer.evictions(in: field, adding: 1 << 20) == names)
        #expect(TransactionSealer.evictions(in: [], adding: 9000) == [])
        for odd in [
            "__Host-portcullis-login-", "__Host-portcullis-login-abcdefg", "__Host-portcullis-login-abcdefg%",
            "__Host-portcullis-login-abcdefghi", "__host-portcullis-login-abcdefgh", "__Host-portcullis-shop",
        ] {
            #expect(TransactionSealer.evictions(in: Array("\(odd)=x".utf8), adding: 9000) == [], "\(odd)")
        }
    }

    @Test(.holds("CF-07")) func `leaves out what would make a cookie longer than browsers keep`() throws {
        let sealer = try sealer(), state = state()
        let long = String(repeating: "a", count: 2047)
        let usual = try sealer.seal(transaction("/" + long, fragment: String(repeating: "f", count: 512)), state: state)
        let found = try #require(sealer.open(field([usual]), state: state, now: Self.now).transaction)
        #expect(found.fragment?.count == 512 && found.returnTo.count == 2048, "the longest that is accepted fits")
        for (target, fragment) in [("/" + long, long), ("/" + long + long, long), ("/" + long + long, nil)] {
            let cookie = try sealer.seal(transaction(target, fragment: fragment), state: state)
            #expect(cookie.name.utf8.count + cookie.value.count <= 4096)
            #expect(sealer.open(field([cookie]), state: state, now: Self.now).transaction != nil)
        }
    }

    @Test(.holds("CF-03")) func `knows a browser that began a login before the state is known`() throws {
        let sealer = try sealer(), begun = transaction()
        let cookie = try sealer.seal(begun, state: state(), redirectURI: Self.redirect)
        let odd = "__Host-portcullis-login-abcdefgh=made-up; a=b; "
        let cookies = Array(odd.utf8) + field([cookie])
        func opened(_ cookies: [UInt8], _ redirect: String = Self.redirect, at now: Int64 = Self.now) throws
            -> TransactionSealer.Opened
        { sealer.openAny(cookies.span, redirectURI: redirect, now: now) }
        #expect(try opened(cookies).transaction?.returnTo == begun.returnTo)
        #expect(try opened(cookies, at: Self.now + 601).isExpired)
        let old = LoginTransaction(
            seed: begun.seed, returnTo: "/old", createdAt: Self.now - 700, client: "shop")
        let both = try field([sealer.seal(old, state: state(), redirectURI: Self.redirect), cookie])
        #expect(try opened(both).transaction?.returnTo == begun.returnTo, "one that is good where there is one")
        #expect(try opened(cookies, Self.redirect + "/").isNone)
        #expect(try opened(Array(odd.utf8)).isNone)
        #expect(try opened([]).isNone)
        // Under another name it belongs to no state.
        #expect(try opened(field([("__Host-portcullis-login-abcdefgh", cookie.value)])).isNone)
        #expect(try self.sealer([2]).openAny(cookies.span, redirectURI: Self.redirect, now: Self.now).isNone)
    }

    @Test(.refuses("CF-03")) func `looks at no more cookies than a browser is left with, however many somebody sends`()
        throws
    {
        let sealer = try sealer()
        let cookie = try sealer.seal(transaction(), state: state(), redirectURI: Self.redirect)
        for (count, isFound) in [(39, true), (40, false)] {
            let names = (10_000_000..<10_000_000 + count).map { "__Host-portcullis-login-\($0)=x" }
            let cookies = Array((names.joined(separator: "; ") + "; ").utf8) + field([cookie])
            let opened = sealer.openAny(cookies.span, redirectURI: Self.redirect, now: Self.now)
            #expect((opened.transaction != nil) == isFound)
        }
    }
}
