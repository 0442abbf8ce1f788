import Rates
import TestSupport
import TestTraits
import Testing

@testable import Access

private let host = "Host: api.example"
private let second: UInt64 = 1_000_000_000

@Suite struct `the rates of requests` {
    private let mint = TokenMint(now: JudgeRig.now)

    private func rig(
        _ limits: [RequestLimitSettings], optional: Bool = false, rates: RequestRateSettings = RequestRateSettings(),
        more: [RouteSettings] = []
    ) throws -> JudgeRig {
        try JudgeRig(
            [
                JudgeRig.route { route, token in
                    route.limits.requests = limits
                    token.optional = optional
                    token.rights.scopes = optional ? [] : ["orders:read"]
                }
            ] + more
        ) { $0.limitTables = RequestLimitTables($0.routes, rates) }
    }

    private func token(_ claims: [String: String?] = [:]) -> String { mint.accessToken(claims: claims) }

    private func judge(_ rig: JudgeRig, _ token: String?) throws -> JudgeRig.Outcome {
        var findings = Findings()
        defer { findings.forget() }
        let lines = ["GET /a HTTP/1.1", host] + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        return try rig.judge(lines, &findings)
    }

    @Test(.holds("ECO-78")) func `let through what they say, and refuse the rest until there is another one`() throws {
        let rig = try rig([RequestLimitSettings(10, per: .second, burst: 3, by: .subject)])
        let token = token()
        for _ in 0..<3 { #expect(try judge(rig, token).isForwarded) }
        var findings = Findings()
        let refused = try rig.judge(["GET /a HTTP/1.1", host, "Authorization: Bearer \(token)"], &findings)
        #expect(refused.cause == .requestRateExceeded && refused.reached == .identityLimit && refused.plans == 0)
        #expect(findings.retryAfterSeconds == 1)
        #expect(refused.refused?.detail.expected == "at most 10/s, burst 3, by subject (limits.requests)")
        #expect(refused.refused?.detail.found == "more; the next in 1 s")
        rig.connection.nanoseconds += second / 10
        #expect(try judge(rig, token).isForwarded)
        #expect(!(try judge(rig, token).isForwarded))
    }

    @Test(.refuses("ECO-78")) func `give nothing back for a new token of the same user, and nothing of another's`()
        throws
    {
        let rig = try rig([RequestLimitSettings(1, per: .hour, burst: 2, by: .subject)])
        for number in 0..<2 {
            #expect(try judge(rig, token(["jti": "\"\(number)\"", "client_id": "\"c-\(number)\""])).isForwarded)
        }
        for number in 2..<20 {
            let fresh = token(["jti": "\"\(number)\"", "client_id": "\"c-\(number)\""])
            #expect(try judge(rig, fresh).cause == .requestRateExceeded)
        }
        #expect(try judge(rig, token(["sub": "\"somebody-else\""])).isForwarded)
    }

    @Test(arguments: [
        (RequestLimitSettings.Key.clientID, "client_id"), (.claim(["org", "tenant"]), "org"),
        (.claim(["plan"]), "plan"),
    ])
    func `tell apart by what they are told to, and count together whoever lacks it`(
        key: RequestLimitSettings.Key, claim: String
    ) throws {
        let rig = try rig([RequestLimitSettings(1, per: .hour, by: key)])
        func value(_ name: String) -> String { claim == "org" ? #"{"tenant":"\#(name)"}"# : "\"\(name)\"" }
        func ask(_ value: String?, _ subject: String) throws -> Bool {
            try judge(rig, token([claim: value, "sub": "\"\(subject)\""])).isForwarded
        }
        #expect(try ask(value("a"), "one"))
        #expect(try ask(value("b"), "one"))
        #expect(!(try ask(value("a"), "two")))
        guard claim != "client_id" else { return }
        #expect(try ask(nil, "one"))
        #expect(!(try ask(nil, "two")), "to leave a claim out is no way around")
        guard claim != "org" else { return }
        #expect(try ask("5", "one"), "a number is not the text of it")
        #expect(try ask("\"5\"", "one"))
    }

    @Test func `of addresses come before anybody looks at credentials, and those of identities behind them`() throws {
        let rig = try rig([
            RequestLimitSettings(1, per: .hour, burst: 2, by: .address),
            RequestLimitSettings(1, per: .hour, burst: 1, by: .subject),
        ])
        #expect(try judge(rig, "nonsense").reached == .authenticate)
        #expect(try judge(rig, token(["scope": "\"other\""])).reached == .authorize)
        let refused = try judge(rig, token())
        #expect(refused.cause == .addressRateExceeded && refused.reached == .addressLimit)
        rig.connection.network = (3, 4)
        #expect(try judge(rig, token()).isForwarded, "what was refused for other reasons costs the user nothing")
        #expect(try judge(rig, token()).cause == .requestRateExceeded)
        rig.connection.network = nil
        #expect(try judge(rig, token(["sub": "\"x\""])).isForwarded, "a proxy that says nobody's address is nobody")
        #expect(try judge(rig, token(["sub": "\"y\""])).isForwarded)
        #expect(try judge(rig, token(["sub": "\"z\""])).isForwarded)
    }

    @Test func `count a request once, however often it is judged, and over a reload`() throws {
        let rig = try rig([
            RequestLimitSettings(1, per: .hour, burst: 2, by: .address),
            RequestLimitSettings(1, per: .hour, burst: 2, by: .subject),
        ])
        let lines = ["GET /a HTTP/1.1", host, "Authorization: Bearer \(token())"]
        var findings = Findings()
        for _ in 0..<5 {
            #expect(try rig.judge(lines, &findings).isForwarded)
            findings.forget()
        }
        #expect(try judge(rig, token()).isForwarded)
        #expect(try judge(rig, token()).cause == .addressRateExceeded)
    }

    @Test func `that refuse take nothing of the others of their kind`() throws {
        let rig = try rig([
            RequestLimitSettings(1, per: .hour, burst: 3, by: .route),
            RequestLimitSettings(1, per: .hour, burst: 1, by: .subject),
        ])
        #expect(try judge(rig, token()).isForwarded)
        for _ in 0..<10 { #expect(try judge(rig, token()).cause == .requestRateExceeded) }
        for name in ["b", "c"] { #expect(try judge(rig, token(["sub": "\"\(name)\""])).isForwarded) }
        #expect(try judge(rig, token(["sub": "\"d\""])).cause == .requestRateExceeded, "the route's three are spent")
    }

    @Test func `count nobody's requests by the address, where a route lets nobody through`() throws {
        let rig = try rig([RequestLimitSettings(1, per: .hour, by: .subject)], optional: true)
        #expect(try judge(rig, nil).isForwarded)
        #expect(try judge(rig, nil).cause == .requestRateExceeded)
        #expect(try judge(rig, token()).isForwarded)
        rig.connection.network = (9, 9)
        #expect(try judge(rig, nil).isForwarded)
    }

    @Test func `of all routes are one over those that have none of their own, and by: route one for each`() throws {
        var rates = RequestRateSettings()
        rates.common = [
            RequestLimitSettings(1, per: .hour, burst: 3, by: .address),
            RequestLimitSettings(1, per: .hour, burst: 2, by: .route),
        ]
        var own = JudgeRig.open("/own/")
        own.limits.requests = []
        let rig = try JudgeRig([JudgeRig.open("/a/"), JudgeRig.open("/b/"), own]) {
            $0.limitTables = RequestLimitTables($0.routes, rates)
        }
        func ask(_ path: String) throws -> Refusal? { try rig.judge("GET \(path) HTTP/1.1", host).cause }
        #expect(try ask("/a/1") == nil)
        #expect(try ask("/a/2") == nil)
        #expect(try ask("/a/3") == .requestRateExceeded)
        #expect(try ask("/b/1") == .addressRateExceeded, "the third was asked for, and counted for its address")
        rig.connection.network = (5, 5)
        #expect(try ask("/b/1") == nil)
        for _ in 0..<10 { #expect(try ask("/own/1") == nil) }
    }

    @Test func `that a reload does not change go on, and others begin anew`() throws {
        let one = RequestLimitSettings(1, per: .hour, by: .subject)
        let first = try rig([one])
        #expect(try judge(first, token()).isForwarded)
        let old = first.table.limitTables
        for (limit, isSpent) in [(one, true), (RequestLimitSettings(1, per: .hour, burst: 5, by: .subject), false)] {
            let rig = try JudgeRig([JudgeRig.route { route, _ in route.limits.requests = [limit] }]) {
                $0.limitTables = RequestLimitTables($0.routes, RequestRateSettings(), continuing: old)
            }
            #expect(try judge(rig, token()).isForwarded != isSpent)
        }
    }

    @Test func `cost a route without them nothing, and a record of a token neither`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        for _ in 0..<100 { #expect(try judge(rig, token()).isForwarded) }
        #expect(rig.table.limitTables.names.isEmpty && rig.table.limitTables.identityKeys.isEmpty)
        let records = try TokenRecords()
        let (plain, counted) = (
            records.make(digest(0)),
            TokenRecord(
                digest(0), try userToken(), issuer: 1, generation: 7, leeway: 30, answers: [5], limitKeys: [1, 2, 3, 4])
        )
        defer {
            plain.release()
            counted.release()
        }
        #expect(plain.limitKey(0) == (0, 0))
        #expect(counted.limitKey(0) == (1, 2) && counted.limitKey(1) == (3, 4) && counted.limitKey(2) == (0, 0))
        #expect(counted.answers.count == 1 && counted.answers[0] == 5)
        let bare = TokenRecord(digest(0), try userToken(), issuer: 1, generation: 7, leeway: 30, answers: [5])
        defer { bare.release() }
        #expect(counted.shown("aud") == bare.shown("aud") && counted.clientID.count == bare.clientID.count)
        #expect(counted.claims != nil && counted.cost == bare.cost + 32)
    }

    // MARK: shared

    private func shared(_ limit: RequestLimitSettings) throws -> JudgeRig {
        var rates = RequestRateSettings()
        rates.processes = 3
        rates.areShared = true
        return try rig([limit], rates: rates)
    }

    @Test(.holds("ECO-80")) func `that are shared ask the store behind the request's back, and wait for nothing`()
        throws
    {
        let rig = try shared(RequestLimitSettings(1000, per: .second, burst: 100, by: .subject))
        rig.identities.leases.isDown = false
        for _ in 0..<4 { #expect(try judge(rig, token()).isForwarded) }
        #expect(rig.identities.leases.questions.count == 1, "\(rig.identities.leases.questions)")
        let question = try #require(rig.identities.leases.questions.first)
        rig.identities.leases.takeQuestions { _ in }
        rig.identities.leases.answered(question.number, granted: 0, wait: 5 * second, at: second)
        var findings = Findings()
        let refused = try rig.judge(["GET /a HTTP/1.1", host, "Authorization: Bearer \(token())"], &findings)
        #expect(refused.cause == .requestRateExceeded && findings.retryAfterSeconds == 5)
    }

    @Test(.refuses("ECO-80")) func `that are shared are each process's part while the store does not answer`() throws {
        let rig = try shared(RequestLimitSettings(30, per: .hour, by: .subject))
        var passed = 0
        for _ in 0..<100 where try judge(rig, token()).isForwarded { passed += 1 }
        #expect(passed == 10 && rig.identities.leases.questions.isEmpty)
    }
}
