import Crypto
import Issuers
import Login
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Access

/// A right, the claims that lack it, and what the operator reads.
private struct Lack: Sendable {
    var right: MissingRight
    /// Claims of a token, as JSON, that has everything but this.
    var claims: [String: String?]
    var expected: String
    var found: String

    static let all: [Lack] = [
        Lack(
            right: .scope, claims: ["scope": "\"orders:read\""], expected: "orders:read orders:write",
            found: "orders:read"),
        Lack(
            right: .wellFormedDetails, claims: ["authorization_details": "{}"],
            expected: "authorization_details: an array of objects with a type", found: "something else"),
        Lack(
            right: .details, claims: ["authorization_details": "[{\"type\":\"account\",\"iban\":\"DE1\"}]"],
            expected: "type payment", found: "of type account"),
        Lack(
            right: .details, claims: ["authorization_details": "[]"], expected: "type payment", found: "none"),
        Lack(
            right: .authenticationClass, claims: ["acr": "\"silver\""], expected: "acr: gold, platinum",
            found: "silver"),
        Lack(
            right: .recentAuthentication, claims: ["auth_time": "\(JudgeRig.now - 331)"],
            expected: "auth_time at most 300 s ago", found: "\(JudgeRig.now - 331)"),
        Lack(
            right: .user, claims: ["sub": "\"client-1\""], expected: "a user's token",
            found: "a client's own token"),
        Lack(
            right: .claim, claims: ["tenant": "\"other\""], expected: "tenant in [a, b]",
            found: "claims that do not meet them"),
    ]
}

@Suite struct `what a verified token may do` {
    private let mint = TokenMint(now: JudgeRig.now)
    private static let enough: [String: String?] = [
        "authorization_details": "[{\"type\":\"payment\"}]", "acr": "\"gold\"", "auth_time": "\(JudgeRig.now - 330)",
        "tenant": "\"a\"",
    ]

    private func rig() throws -> JudgeRig {
        try JudgeRig([
            JudgeRig.route { _, token in
                token.rights.scopes = ["orders:read", "orders:write"]
                token.authorizationDetails = [AuthorizationDetailsRule(type: "payment")]
                token.rights.acrValues = ["gold", "platinum"]
                token.rights.maximumAge = .seconds(300)
                token.userOnly = true
                token.rights.claims = [ClaimRuleSettings(claim: ["tenant"], anyOf: ["a", "b"])]
            }
        ])
    }

    private func judge(_ rig: JudgeRig, _ claims: [String: String?]) throws -> JudgeRig.Outcome {
        try rig.judgeOnce(JudgeRig.get(bearer: mint.accessToken(claims: Self.enough.merging(claims) { $1 })))
    }

    @Test(.holds("RS-19", "RS-20", "RS-21", "STEP-01", "STEP-02", "RAR-01"))
    func `is what the route asks for, when it has all of it`() throws {
        let outcome = try judge(try rig(), [:])
        #expect(outcome.isForwarded, "\(String(describing: outcome.refused))")
    }

    @Test(.refuses("RS-19", "RS-20", "RS-21", "STEP-01", "STEP-02", "RAR-01"), arguments: 0..<Lack.all.count)
    func `ends at each right that it lacks, and the operator reads what was asked and what it has`(number: Int) throws {
        let lack = Lack.all[number]
        let rig = try rig()
        // The same from the record that is at hand.
        for _ in 0..<2 {
            let outcome = try judge(rig, lack.claims)
            let refused = try #require(outcome.refused)
            #expect(refused.cause == lack.right.refusalOfToken && outcome.reached == .authorize)
            #expect(refused.detail.expected == lack.expected)
            #expect(refused.detail.found == lack.found)
            #expect(refused.login == nil, "no token is sent to a login")
            #expect(!refused.detail.found.contains("DE1"), "what else a detail says may be the user's own business")
        }
    }

    @Test(.refuses("RS-19")) func `is asked by the method of the request`() throws {
        let rig = try JudgeRig([
            JudgeRig.route { _, token in
                token.rights.scopes = ["base"]
                token.rights.scopesByMethod = ["POST": ["write"], "PURGE": []]
            }
        ])
        for (method, scope, isGood) in [
            ("GET", "base", true), ("GET", "write", false), ("POST", "write", true), ("POST", "base", false),
            ("PURGE", "other", true), ("DELETE", "base", true), ("DELETE", "write", false),
        ] {
            let outcome = try rig.judgeOnce([
                "\(method) /a HTTP/1.1", "Host: api.example", "Content-Length: 0",
                "Authorization: Bearer \(mint.accessToken(claims: ["scope": "\"\(scope)\""]))",
            ])
            #expect(outcome.isForwarded == isGood, "\(method) \(scope)")
            if !isGood {
                #expect(outcome.cause == .scopeInsufficient)
                #expect(outcome.refused?.detail.expected == (method == "POST" ? "write" : "base"))
            }
        }
    }

    @Test(.refuses("RAR-01")) func `names a few of its details, however many there are`() throws {
        let many = "[" + (0..<50).map { "{\"type\":\"t\($0)\"}" }.joined(separator: ",") + "]"
        let refused = try #require(try judge(try rig(), ["authorization_details": many]).refused)
        #expect(refused.detail.found == "of type t0, t1, t2, t3, t4, t5, t6, t7")
    }
}

@Suite struct `what a session may do` {
    private func judge(
        claims: String = "", scopes: [String] = ["openid"], _ ask: (inout RightsSettings) -> Void
    ) throws -> JudgeRig.Outcome {
        let rig = try JudgeRig([JudgeRig.session { ask(&$0.rights) }], logins: [JudgeRig.login()])
        let store = MemorySessionStore(
            settings: SessionSettings(store: .memory, cookieName: JudgeRig.cookieName), client: "shop")
        rig.identities.stores = [store]
        let session = Session(
            id: [UInt8](repeating: 1, count: 16), client: "shop", issuer: "https://issuer.example/", subject: "alice",
            claims: Array("{\"iss\":\"https://issuer.example/\",\"sub\":\"alice\"\(claims)}".utf8), scopes: scopes,
            createdAt: JudgeRig.now, endsAt: JudgeRig.now + 3600)
        let bytes = Array("abc".utf8)
        _ = rig.table.policy.pointee.remember(
            FoundSession(session, value: bytes, digest: SHA256.hash(bytes.span), login: 0, endings: store.endings),
            &rig.identities, now: rig.now)
        return try rig.judge("GET /a HTTP/1.1", "Host: api.example", "Cookie: \(JudgeRig.cookieName)=abc")
    }

    @Test(.holds("CF-32", "STEP-04")) func `is what the route asks for, when it has all of it`() throws {
        let claims = ",\"acr\":\"gold\",\"auth_time\":\(JudgeRig.now - 300),\"tenant\":\"a\""
        let outcome = try judge(claims: claims, scopes: ["openid", "orders"]) {
            $0.scopes = ["orders"]
            $0.acrValues = ["gold"]
            $0.maximumAge = .seconds(300)
            $0.claims = [ClaimRuleSettings(claim: ["tenant"], anyOf: ["a"])]
        }
        #expect(outcome.isForwarded, "\(String(describing: outcome.refused))")
    }

    @Test(.refuses("CF-32")) func `ends at a scope that was not granted, and no login would help`() throws {
        let refused = try #require(try judge { $0.scopes = ["orders"] }.refused)
        #expect(refused.cause == .sessionScopeInsufficient && refused.login == nil)
        #expect(refused.detail.expected == "the scopes of the route" && refused.detail.found == "openid")
    }

    @Test(.refuses("STEP-04")) func `is sent for a stronger login, or a fresher one, and for nothing else`() throws {
        let weak = try #require(try judge(claims: ",\"acr\":\"silver\"") { $0.acrValues = ["gold"] }.refused)
        #expect(weak.cause == .authenticationInsufficient && weak.detail.found == "silver")
        #expect(weak.login?.location == "/.portcullis/login/shop?step_up=0")
        let old = try #require(
            try judge(claims: ",\"auth_time\":\(JudgeRig.now - 331)") { $0.maximumAge = .seconds(300) }.refused)
        #expect(old.cause == .authenticationTooOld)
        #expect(old.login?.location == "/.portcullis/login/shop?step_up=0")
        let other = try #require(
            try judge(claims: ",\"tenant\":\"x\"") { $0.claims = [ClaimRuleSettings(claim: ["tenant"], anyOf: ["a"])] }
                .refused)
        #expect(other.cause == .claimRuleUnmet && other.login == nil)
    }
}
