import Bytes
import Crypto
import Issuers
import Sessions
import TestTraits
import Testing

@testable import Login

struct RefreshRulesTests {
    private func session(life: Int64, refreshes: Bool = true) -> Session {
        var session = Session(
            id: [1], client: "shop", issuer: "i", subject: "s", claims: [], scopes: [], createdAt: 1000, endsAt: 9000)
        session.accessTokenIssuedAt = 1000
        session.accessTokenExpiresAt = 1000 + life
        session.refreshToken = refreshes ? Secret([1]) : nil
        return session
    }

    @Test(
        .holds("RF-02"),
        arguments: [(3600, 4540), (300, 1240), (299, 1240), (100, 1080), (10, 1008), (1, 1001), (0, 1000)]
            as [(Int64, Int64)])
    func `A session is refreshed when a minute of the token's life is left, or a fifth`(
        _ life: Int64, _ expected: Int64
    ) {
        #expect(RefreshRules.refreshAt(session(life: life)) == expected)
    }

    @Test(.refuses("RF-02"))
    func `A session without a refresh token, or with a token that does not end, is never refreshed`() {
        #expect(RefreshRules.refreshAt(session(life: 300, refreshes: false)) == .max)
        var endless = session(life: 300)
        endless.accessTokenExpiresAt = .max
        #expect(RefreshRules.refreshAt(endless) == .max)
    }

    /// A session whose ID token is good for so long from 1000 on; nobody looks at its signature here.
    private func session(idTokenLife: Int64, accessLife: Int64 = 3600) -> Session {
        var session = session(life: accessLife)
        let parts = ["{\"alg\":\"ES256\"}", "{\"iat\":1000,\"exp\":\(1000 + idTokenLife)}", "signature"]
        session.idToken = Secret(Array(parts.map { Base64URL.encode(Array($0.utf8).span) }.joined(separator: ".").utf8))
        return session
    }

    @Test(.holds("RF-02"), arguments: [(300, 1240), (10, 1008), (7200, 4540)] as [(Int64, Int64)])
    func `A session whose ID token an upstream is shown is refreshed for the first of both tokens`(
        _ life: Int64, _ expected: Int64
    ) {
        #expect(RefreshRules.refreshAt(session(idTokenLife: life), showsIDToken: true) == expected)
        #expect(RefreshRules.refreshAt(session(idTokenLife: life)) == 4540)
        #expect(IDTokenLife.end(of: session(idTokenLife: life)) == 1000 + life)
    }

    @Test(.refuses("RF-02")) func `A refresh that brought no newer ID token is not repeated for it`() {
        var refreshed = session(idTokenLife: 300)
        refreshed.accessTokenIssuedAt = 1240
        refreshed.accessTokenExpiresAt = 1240 + 3600
        #expect(RefreshRules.refreshAt(refreshed, showsIDToken: true) == 1240 + 3540)
        #expect(RefreshRules.refreshAt(session(life: 3600), showsIDToken: true) == 4540)
        #expect(IDTokenLife.end(of: session(life: 3600)) == 0)
        refreshed.refreshToken = nil
        #expect(RefreshRules.refreshAt(refreshed, showsIDToken: true) == .max)
        refreshed.idToken = Secret(Array("no.token".utf8))
        #expect(IDTokenLife.end(of: refreshed) == 0)
    }

    @Test(.refuses("RF-02")) func `Times that no clock has make no trap`() {
        var odd = session(life: 300)
        odd.accessTokenIssuedAt = .min
        odd.accessTokenExpiresAt = .max - 1
        #expect(RefreshRules.refreshAt(odd) == .max - 1)
        odd.accessTokenIssuedAt = .max
        odd.accessTokenExpiresAt = 5
        #expect(RefreshRules.refreshAt(odd) == 5)
    }

    @Test(.holds("RF-06")) func `Pauses grow, are not the same for all, and end`() {
        var pauses = RefreshPauses<Int>(limit: 4)
        func moment(_ time: Int64, _ spread: Double = 1) -> Moment {
            Moment(milliseconds: time, wallSeconds: 0, spread: spread)
        }
        pauses.failed(1, at: moment(0), retryAfterSeconds: nil)
        #expect(pauses.lasts(1, at: 999))
        #expect(!pauses.lasts(1, at: 1000))
        pauses.failed(1, at: moment(1000), retryAfterSeconds: nil)
        #expect(pauses.lasts(1, at: 2999))
        for _ in 0..<20 { pauses.failed(1, at: moment(3000), retryAfterSeconds: nil) }
        #expect(pauses.lasts(1, at: 17_999))
        #expect(!pauses.lasts(1, at: 18_000))
        pauses.failed(2, at: moment(0, -1), retryAfterSeconds: nil)
        #expect(!pauses.lasts(2, at: 750))
        pauses.failed(2, at: moment(0), retryAfterSeconds: 30)
        #expect(pauses.lasts(2, at: 29_999))
        pauses.failed(3, at: moment(0), retryAfterSeconds: .max)
        #expect(!pauses.lasts(3, at: 60_000))
        pauses.ended(1)
        #expect(!pauses.lasts(1, at: 3001))
        for key in 10..<100 { pauses.failed(key, at: moment(0), retryAfterSeconds: nil) }
        #expect(pauses.count <= 4)
    }
}
