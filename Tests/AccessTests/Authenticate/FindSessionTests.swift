import Bytes
import Crypto
import Issuers
import Login
import Sessions
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Access

private let name = JudgeRig.cookieName

private func digest(of value: String) -> SHA256Digest {
    let bytes = Array(value.utf8)
    return SHA256.hash(bytes.span)
}

/// A store that answers as it is told, and remembers what it was asked.
private final class ToldStore: SessionStore {
    struct State: Sendable {
        var answer = SessionLookup.none
        var renewed: [UInt8]?
        var endings: UInt64 = 0
        var lookUps: [String] = []
        var touches = 0
    }

    private let state = Mutex(State())

    init(_ answer: SessionLookup) { state.withLock { $0.answer = answer } }

    /// What it is told, and what it was asked.
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var lookUps: [String] { state.withLock(\.lookUps) }
    var touches: Int { state.withLock(\.touches) }

    func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        state.withLock {
            $0.lookUps.append(String(decoding: value, as: UTF8.self))
            return $0.answer
        }
    }

    func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? {
        state.withLock {
            $0.touches += 1
            return $0.renewed
        }
    }

    var endings: UInt64 { state.withLock(\.endings) }
    var alive: Int? { nil }

    func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? { nil }
    func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] { [] }
    func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? { nil }
    func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] { [] }
    func isEnded(_ session: Session, now: Int64) -> Bool { false }
    func goesOn(from other: any SessionStore) -> Bool { false }
    func diagnose(_ value: [UInt8], now: Int64) -> SessionDiagnosis { preconditionFailure("no request asks this") }
    func sweep(now: Int64) {}
}

/// A session of the shop's login, an hour long.
private func session(_ change: (inout Session) -> Void = { _ in }) -> Session {
    var session = Session(
        id: [UInt8](repeating: 1, count: 16), client: "shop", issuer: "https://issuer.example/", subject: "alice",
        claims: Array(#"{"iss":"https://issuer.example/","sub":"alice"}"#.utf8), scopes: ["openid"],
        createdAt: JudgeRig.now, endsAt: JudgeRig.now + 3600)
    change(&session)
    return session
}

/// Whose access token has a refresh token and ends at that second, having been good for an hour.
private func refreshable(until: Int64) -> Session {
    session {
        $0.accessToken = Secret([0x61])
        $0.refreshToken = Secret([0x62])
        $0.accessTokenIssuedAt = until - 3600
        $0.accessTokenExpiresAt = until
    }
}

private func rig(
    _ store: ToldStore, _ credential: UpstreamCredentialSettings = .none,
    _ change: (inout LoginAccessSettings) -> Void = { _ in }
) throws -> JudgeRig {
    var route = JudgeRig.session("/", change)
    route.credential = credential
    let rig = try JudgeRig([route], logins: [JudgeRig.login()])
    rig.identities.stores = [store]
    return rig
}

private func get(_ cookies: String...) -> [String] {
    ["GET /a?b=c HTTP/1.1", "Host: api.example"] + cookies.map { "Cookie: \($0)" }
}

@Suite struct `the session of a request` {
    @Test(.holds("SC-08")) func `is asked for once, and found from then on for a minute`() throws {
        let store = ToldStore(.found(session(), successor: nil))
        let rig = try rig(store)
        for second in [0, 30, 59] as [Int64] {
            rig.now = JudgeRig.now + second
            #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        }
        #expect(store.lookUps == ["abc"] && store.touches == 1)
        #expect(rig.metric("portcullis_session_cache_hits_total") == 2)
        #expect(rig.metric("portcullis_session_cache_misses_total") == 1)
        rig.now = JudgeRig.now + 60
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        #expect(store.lookUps.count == 2, "its idle limit is the store's to know")
        #expect(rig.identities.tokens.entries == 0, "and it is no token")
        let record = try #require(rig.identities.sessions.find(digest(of: "abc")))
        #expect(record.uses == 1 && record.session?.login == 0)
    }

    @Test(.refuses("SC-08")) func `has its cookie kept for a moment once it was found, and no other`() throws {
        let store = ToldStore(.none)
        let rig = try rig(store)
        let value = String(repeating: "abcd", count: 16)
        for _ in 0..<3 { #expect(try rig.judgeOnce(get("\(name)=\(value)")).cause == .loginRequired) }
        #expect(rig.identities.recentCookies.count == 0)
        store.change { $0.answer = .found(session(), successor: nil) }
        for _ in 0..<3 { #expect(try rig.judgeOnce(get("\(name)=\(value)")).isForwarded) }
        #expect(rig.identities.recentCookies.count == 1 && rig.identities.recentTokens.count == 0)
        store.change {
            $0.answer = .none
            $0.endings += 1
        }
        #expect(try rig.judgeOnce(get("\(name)=\(value)")).cause == .loginRequired, "it is looked for as before")
    }

    @Test(.refuses("SC-08")) func `is over at its end, whatever was remembered of it`() throws {
        let store = ToldStore(.found(session { $0.endsAt = JudgeRig.now + 20 }, successor: nil))
        let rig = try rig(store)
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        rig.now += 19
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        #expect(store.lookUps.count == 1)
        rig.now += 1
        store.change { $0.answer = .none }
        #expect(try rig.judgeOnce(get("\(name)=abc")).cause == .loginRequired)
        #expect(store.lookUps.count == 2 && rig.identities.sessions.entries == 0)
    }

    @Test(.refuses("SC-06", "CF-08")) func `is none without a cookie of its name, and the login is pointed to`() throws
    {
        let store = ToldStore(.found(session(), successor: nil))
        let rig = try rig(store)
        for lines in [get(), get("a=b"), get("x\(name)=abc"), get("\(name)="), get("\(name)x=abc")] {
            var findings = Findings()
            defer { findings.forget() }
            let refused = try #require(try rig.judge(lines, &findings).refused)
            #expect(refused.cause == .loginRequired && refused.detail.found == "none")
            #expect(refused.login?.location == "/.portcullis/login/shop")
            #expect(findings.sessionCookie == .none)
        }
        #expect(store.lookUps.isEmpty)
        let navigation = try rig.judgeOnce(get() + ["Sec-Fetch-Mode: navigate"]).refused
        #expect(navigation?.login?.location == "/.portcullis/login/shop?return_to=%2Fa%3Fb%3Dc")
        #expect(navigation?.login?.isNavigation == true)
    }

    @Test(.refuses("SC-06")) func `is none where two cookies have its name, which are deleted, in whichever order`()
        throws
    {
        let store = ToldStore(.found(session(), successor: nil))
        let rig = try rig(store)
        for cookies in [
            ["\(name)=abc", "\(name)=def"], ["\(name)=def; \(name)=abc"], ["\(name)=abc; a=b; \(name)=abc"],
        ] {
            var findings = Findings()
            defer { findings.forget() }
            let lines = ["GET /a HTTP/1.1", "Host: api.example"] + cookies.map { "Cookie: \($0)" }
            let refused = try #require(try rig.judge(lines, &findings).refused)
            #expect(refused.cause == .loginRequired && refused.detail.found == "more than one cookie of its name")
            #expect(findings.sessionCookie == .cleared(login: 0))
        }
        #expect(store.lookUps.isEmpty, "neither of them is believed")
    }

    @Test(.refuses("SC-08")) func `is none where the store knows none`() throws {
        let rig = try rig(ToldStore(.none))
        let refused = try #require(try rig.judgeOnce(get("\(name)=abc")).refused)
        #expect(refused.cause == .loginRequired && refused.detail.found == "a cookie that stands for none")
        #expect(rig.identities.sessions.entries == 0)
    }

    @Test(.holds("SC-13")) func `is waited for where it is elsewhere`() throws {
        let rig = try rig(ToldStore(.elsewhere))
        let wait = Wait.session(login: 0, digest(of: "abc"))
        #expect(try rig.judgeOnce(get("\(name)=abc")).wait == wait)
        // What came of it is what counts, and nobody is asked again.
        for cause in [Refusal.sessionStoreUnavailable, .sessionRefreshUnavailable, .loginRequired] {
            var findings = Findings()
            defer { findings.forget() }
            findings.lookup = .refused(Refused(cause))
            let refused = try #require(try rig.judge(get("\(name)=abc"), &findings).refused)
            #expect(refused.cause == cause)
            #expect((refused.login != nil) == (cause == .loginRequired), "\(cause)")
        }
    }

    @Test(.refuses("LO-09")) func `is asked for anew when any session has ended since`() throws {
        let store = ToldStore(.found(session(), successor: nil))
        let rig = try rig(store)
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        store.change { $0.endings += 1 }
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        #expect(store.lookUps.count == 2)
        store.change {
            $0.endings += 1
            $0.answer = .none
        }
        #expect(try rig.judgeOnce(get("\(name)=abc")).cause == .loginRequired)
        #expect(rig.identities.sessions.entries == 0)
    }

    @Test(.refuses("SC-04")) func `of one login is none at another`() throws {
        let first = ToldStore(.found(session(), successor: nil)), second = ToldStore(.none)
        var other = JudgeRig.session("/other/") { $0.login = 1 }
        other.name = "other"
        // Both go by one cookie name: not even that may let one be taken for the other.
        let rig = try JudgeRig([JudgeRig.session(), other], logins: [JudgeRig.login(), JudgeRig.login("bank")])
        rig.identities.stores = [first, second]
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        let lines = ["GET /other/a HTTP/1.1", "Host: api.example", "Cookie: \(name)=abc"]
        #expect(try rig.judgeOnce(lines).cause == .loginRequired)
        #expect(second.lookUps == ["abc"])
    }

    // MARK: what is due

    @Test(.holds("RF-02")) func `waits once for a refresh that is due, and goes on with the one it has`() throws {
        let store = ToldStore(.found(refreshable(until: JudgeRig.now + 60), successor: nil))
        let rig = try rig(store)
        #expect(try rig.judgeOnce(get("\(name)=abc")).wait == .session(login: 0, digest(of: "abc")))
        #expect(store.touches == 0 && rig.identities.sessions.entries == 0)
        #expect(try rig.judgeAgain(get("\(name)=abc")).isForwarded)
        store.change { $0.answer = .found(refreshable(until: JudgeRig.now + 61), successor: nil) }
        let early = try self.early(store)
        #expect(try early.judgeOnce(get("\(name)=abc")).isForwarded)
        early.now += 1
        #expect(try early.judgeOnce(get("\(name)=abc")).wait != nil, "remembered no longer than until then")
    }

    private func early(_ store: ToldStore) throws -> JudgeRig { try rig(store) }

    @Test(.holds("SC-08")) func `has its cookie renewed where the store says so`() throws {
        let store = ToldStore(.found(session(), successor: nil))
        store.change { $0.renewed = Array("newer".utf8) }
        let rig = try rig(store)
        var findings = Findings()
        defer { findings.forget() }
        #expect(try rig.judge(get("\(name)=abc"), &findings).isForwarded)
        #expect(findings.sessionCookie == .set(login: 0, Array("newer".utf8)))
        // Found by what browsers bring still, and by no other value.
        #expect(rig.identities.sessions.find(digest(of: "abc")) != nil)
        #expect(rig.identities.sessions.find(digest(of: "newer")) == nil)
    }

    @Test(.holds("RF-08")) func `has the cookie of its newer state where the browser brought an older one`() throws {
        let store = ToldStore(.found(session(), successor: Array("successor".utf8)))
        store.change { $0.renewed = Array("not this".utf8) }
        let rig = try rig(store)
        var findings = Findings()
        defer { findings.forget() }
        #expect(try rig.judge(get("\(name)=abc"), &findings).isForwarded)
        #expect(findings.sessionCookie == .set(login: 0, Array("successor".utf8)))
        #expect(store.touches == 0)
    }

    // MARK: what the route says

    @Test(.holds("RS-09")) func `may be missing where the route says so, but two cookies are deleted all the same`()
        throws
    {
        let store = ToldStore(.none)
        let rig = try rig(store) { $0.optional = true }
        for lines in [get(), get("\(name)=abc"), get("\(name)=a", "\(name)=b")] {
            var findings = Findings()
            defer { findings.forget() }
            #expect(try rig.judge(lines, &findings).isForwarded)
            #expect(findings.token == nil, "whoever it is goes on as nobody")
            #expect((findings.sessionCookie == .cleared(login: 0)) == (lines.count == 4))
        }
    }

    @Test(.refuses("RF-06")) func `has an access token that has not expired, where the upstream is shown it`() throws {
        for (token, until, isGood) in [
            (nil, JudgeRig.now + 9, false), ("t", JudgeRig.now, false), ("t", JudgeRig.now + 1, true),
            ("t", JudgeRig.now - 1, false), ("t", .max, true),
        ] as [(String?, Int64, Bool)] {
            let one = session {
                $0.accessToken = token.map { Secret(Array($0.utf8)) }
                $0.accessTokenExpiresAt = until
            }
            let shown = try rig(ToldStore(.found(one, successor: nil)), .pass)
            let outcome = try shown.judgeOnce(get("\(name)=abc"))
            #expect(outcome.isForwarded == isGood, "\(until)")
            if !isGood {
                #expect(outcome.cause == .loginRequired && outcome.refused?.detail.check == "RF-06")
                #expect(outcome.refused?.login?.location == "/.portcullis/login/shop")
            }
            // Where it is not shown, nobody looks at it.
            #expect(try rig(ToldStore(.found(one, successor: nil))).judgeOnce(get("\(name)=abc")).isForwarded)
        }
    }

    @Test(.refuses("SC-11")) func `is not what a bad token falls back on`() throws {
        var route = JudgeRig.route()
        route.access = .tokenOrLogin(
            TokenSettings(issuers: ["main"], audiences: [JudgeRig.audience]),
            LoginAccessSettings(login: 0))
        let rig = try JudgeRig([route], logins: [JudgeRig.login()])
        let store = ToldStore(.found(session(), successor: nil))
        rig.identities.stores = [store]
        #expect(try rig.judgeOnce(get("\(name)=abc") + ["Authorization: Bearer bad"]).cause == .tokenMalformed)
        #expect(try rig.judgeOnce(get("\(name)=abc") + ["Authorization: Basic YTpi"]).cause == .schemeNotEnabled)
        #expect(store.lookUps.isEmpty)
        #expect(try rig.judgeOnce(get("\(name)=abc")).isForwarded)
        // Where tokens are no credentials, an Authorization field is none either.
        let alone = try self.early(store)
        #expect(try alone.judgeOnce(get("\(name)=abc") + ["Authorization: Bearer bad"]).isForwarded)
    }

    @Test(.refuses("SC-09")) func `is no good for an unsafe request of another's page`() throws {
        let rig = try rig(ToldStore(.found(session(), successor: nil)))
        let post = ["POST /a HTTP/1.1", "Host: api.example", "Content-Length: 0", "Cookie: \(name)=abc"]
        #expect(try rig.judgeOnce(post).cause == .crossSiteRequest)
        #expect(try rig.judgeOnce(post + ["Origin: https://evil.example"]).cause == .crossSiteRequest)
        #expect(try rig.judgeOnce(post + ["Origin: https://api.example"]).isForwarded)
        #expect(try rig.judgeOnce(post + ["Sec-Fetch-Site: same-origin"]).isForwarded)
    }

    @Test(.holds("SC-08")) func `gives way when there are too many`() throws {
        let store = ToldStore(.found(session(), successor: nil))
        let rig = try JudgeRig([JudgeRig.session()], logins: [JudgeRig.login()], cacheEntries: 2)
        rig.identities.stores = [store]
        for number in 0..<5 { #expect(try rig.judgeOnce(get("\(name)=\(number)")).isForwarded) }
        #expect(rig.identities.sessions.entries == 2)
        #expect(rig.metric("portcullis_session_cache_evictions_total") == 3)
    }
}
