import TestTraits
import Testing

@testable import Sessions

@Suite struct `the Set-Cookie field` {
    private static let name = "__Host-portcullis-shop"

    private func pair(_ line: String) -> Substring { line.prefix { $0 != ";" } }

    @Test(.holds("SC-01")) func `has the attributes that the prefix demands, and none that widen it`() {
        let lines = SetCookie.lines(name: Self.name, value: Array("abc".utf8), sameSite: .lax)
        #expect(lines == ["__Host-portcullis-shop=abc; Path=/; Secure; HttpOnly; SameSite=Lax"])
    }

    @Test(.holds("SC-01")) func `names no domain, and no time beyond what browsers keep cookies for`() {
        for sameSite in SetCookie.SameSite.allCases {
            for age in [nil, -5, 0, 600, 400 * 86_400, .max] as [Int?] {
                let lines =
                    SetCookie.lines(
                        name: Self.name, value: Array(repeating: 0x61, count: 9000), sameSite: sameSite, maxAge: age)
                    + SetCookie.deletion(name: Self.name, chunks: 9, sameSite: sameSite)
                for line in lines {
                    #expect(line.hasPrefix(Self.name))
                    #expect(line.contains("; Path=/; Secure; HttpOnly; SameSite=\(sameSite.rawValue)"))
                    #expect(!line.lowercased().contains("domain") && !line.contains("Expires"))
                    if let match = line.firstMatch(of: #/Max-Age=(-?\d+)$/#) {
                        let seconds = Int(match.1) ?? -1
                        #expect(seconds >= 0 && seconds <= 34_560_000)
                    } else {
                        #expect(age == nil)
                    }
                }
            }
        }
    }

    @Test(.holds("SC-16")) func `names the domain of a session where there is one, in each line of it`() {
        let lines = SetCookie.lines(
            name: "__Secure-portcullis-shop", value: Array(repeating: 0x61, count: 5000), sameSite: .strict,
            replacing: 3,
            domain: "example.com")
        #expect(lines.count == 3)
        let attributes = "; Domain=example.com; Path=/; Secure; HttpOnly; SameSite=Strict"
        #expect(lines[0].hasSuffix(attributes) && lines[1].hasSuffix(attributes))
        #expect(lines[2] == "__Secure-portcullis-shop.2=\(attributes); Max-Age=0")
    }

    @Test(.holds("SC-02")) func `is lax unless the configuration is strict`() {
        #expect(SetCookie.SameSite(Sample.settings().sameSite) == .lax)
        #expect(SetCookie.SameSite(.strict).rawValue == "Strict")
    }

    @Test(.refuses("SC-02")) func `is never open to other sites for a session`() {
        for configured in [SessionSettings.SameSite.lax, .strict] { #expect(SetCookie.SameSite(configured) != .none) }
    }

    @Test(.holds("SC-07")) func `splits a value so that no cookie is longer than a browser keeps`() {
        for count in [0, 1, 4073, 4074, 4075, 8145, 8146, 8147, 9000, 16_290] {
            let value = (0..<count).map { UInt8(0x61 + $0 % 26) }
            let lines = SetCookie.lines(name: Self.name, value: value, sameSite: .lax)
            let pairs = lines.filter { !$0.contains("Max-Age=0") }.map(pair)
            #expect(pairs.allSatisfy { $0.utf8.count - 1 <= 4096 }, "name and value, without `=`")
            #expect(pairs.count <= 4)
            let field = Array(pairs.joined(separator: "; ").utf8)
            #expect(CookieField.value(of: Self.name, in: field) == .one(value), "\(count) bytes")
        }
    }

    @Test(.refuses("SC-07")) func `has no lines for what four cookies cannot hold`() {
        let capacity = SetCookie.capacity(name: Self.name)
        #expect(capacity == 4 * 4096 - 4 * 22 - 6)
        #expect(
            SetCookie.lines(name: Self.name, value: Array(repeating: 0x61, count: capacity), sameSite: .lax).count == 4)
        #expect(
            SetCookie.lines(name: Self.name, value: Array(repeating: 0x61, count: capacity + 1), sameSite: .lax) == [])
    }

    @Test(.holds("SC-07")) func `deletes the chunks that a shorter value does not need`() {
        let lines = SetCookie.lines(name: Self.name, value: Array("abc".utf8), sameSite: .strict, replacing: 3)
        #expect(
            lines == [
                "\(Self.name)=abc; Path=/; Secure; HttpOnly; SameSite=Strict",
                "\(Self.name).1=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0",
                "\(Self.name).2=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0",
            ])
        // As long as can be: without the deletion a chunk that is left there would be joined to it.
        let full = SetCookie.lines(name: Self.name, value: Array(repeating: 0x61, count: 4074), sameSite: .lax)
        #expect(full.count == 2)
        #expect(full.last?.hasPrefix("\(Self.name).1=; ") == true)
    }

    @Test(.holds("SC-03")) func `deletes a cookie with the attributes it was set with`() {
        #expect(
            SetCookie.deletion(name: "__Host-portcullis-login-abcdefgh", sameSite: .none) == [
                "__Host-portcullis-login-abcdefgh=; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=0"
            ])
        #expect(SetCookie.deletion(name: Self.name, chunks: 4, sameSite: .lax).count == 4)
    }

    @Test(.holds("SC-03"), .refuses("SC-03")) func `keeps a login's cookie for ten minutes and no longer`() throws {
        let sealer = try TransactionSealer(keys: [Sample.key()], client: "shop")
        let transaction = LoginTransaction(
            seed: Sample.key(2), returnTo: "/", createdAt: Sample.now, client: "shop")
        let cookie = try sealer.seal(transaction, state: "state")
        let lines = SetCookie.lines(
            name: cookie.name, value: cookie.value, sameSite: .lax, maxAge: TransactionSealer.lifetimeSeconds)
        #expect(lines.count == 1)
        #expect(lines[0].hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600"))
        // Whoever keeps it longer than a browser does gets no further.
        let field = Array("\(cookie.name)=".utf8) + cookie.value
        guard case .expired = sealer.open(field, state: "state", now: Sample.now + 601) else {
            Issue.record("a login that began eleven minutes ago goes on")
            return
        }
    }
}
