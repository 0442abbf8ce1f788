import Crypto
@testable import Issuers
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Access

private let mint = TokenMint(now: JudgeRig.now)

private func digest(of token: String) -> SHA256Digest {
    let bytes = Array(token.utf8)
    return SHA256.hash(bytes.span)
}

/// A token under the name of the issuer's key, by another key.
private func forged(_ id: Int) -> String {
    TokenMint(key: SigningKey(renaming: .otherP256, keyID: "p256-1"), now: JudgeRig.now)
        .accessToken(claims: ["jti": "\"\(id)\""])
}

@Suite struct `the record of a token` {
    @Test(.holds("JOSE-34")) func `is made once, and found by each request after that`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        for _ in 0..<3 { #expect(try rig.judgeOnce(JudgeRig.get(bearer: mint.accessToken())).isForwarded) }
        // Each of the mint's tokens has another signature.
        #expect(rig.verifications.tokens == 3 && rig.identities.tokens.entries == 3)
        let token = mint.accessToken()
        for _ in 0..<3 { #expect(try rig.judgeOnce(JudgeRig.get(bearer: token)).isForwarded) }
        #expect(rig.verifications.tokens == 4 && rig.identities.tokens.entries == 4)
        #expect(rig.metric("portcullis_token_cache_hits_total") == 2)
        #expect(rig.metric("portcullis_token_cache_misses_total") == 4)
        #expect(try #require(rig.identities.tokens.find(digest(of: token))).uses == 1, "the cache's own is left")
    }

    @Test(.refuses("JOSE-34")) func `has its token kept for a moment, and what is refused is not`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        for id in 0..<20 {
            #expect(try !rig.judgeOnce(JudgeRig.get(bearer: forged(id))).isForwarded)
        }
        #expect(rig.identities.recentTokens.count == 0)
        let token = mint.accessToken()
        for _ in 0..<3 { #expect(try rig.judgeOnce(JudgeRig.get(bearer: token)).isForwarded) }
        #expect(rig.identities.recentTokens.count == 1 && rig.identities.recentCookies.count == 0)
        // Its record's time is looked at as before.
        rig.now += 3600
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: token)).cause == .tokenExpired)
        for _ in 0..<10 { rig.identities.sweepCaches(now: rig.now) }
        #expect(rig.identities.recentTokens.count == 0)
    }

    @Test(.refuses("JOSE-34")) func `is not used a second beyond its time, nor before it`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let request = JudgeRig.get(bearer: mint.accessToken(claims: ["nbf": "\(JudgeRig.now - 10)"]))
        func times() throws -> (from: Int64, until: Int64) {
            #expect(try rig.judgeOnce(request).isForwarded)
            let token = String(request[2].dropFirst("Authorization: Bearer ".count))
            let record = try #require(rig.identities.tokens.find(digest(of: token)))
            return (record.usableFrom, record.usableUntil)
        }
        let (from, until) = try times()
        #expect(until == JudgeRig.now + 330)
        rig.now = until - 1
        #expect(try rig.judgeOnce(request).isForwarded)
        #expect(rig.verifications.tokens == 1)
        rig.now = until
        #expect(try rig.judgeOnce(request).cause == .tokenExpired)
        #expect(rig.identities.tokens.entries == 0, "its record is gone")
        rig.now = JudgeRig.now
        _ = try times()
        rig.now = from
        #expect(try rig.judgeOnce(request).isForwarded)
        rig.now = from - 1
        let early = try rig.judgeOnce(request).cause
        #expect(early == .tokenNotYetValid || early == .tokenIssuedInFuture)
        #expect(rig.identities.tokens.entries == 0)
    }

    @Test(.refuses("JOSE-34")) func `is no good when a key of its issuer has gone`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let request = JudgeRig.get(bearer: mint.accessToken())
        #expect(try rig.judgeOnce(request).isForwarded)
        try rig.giveKeys(SigningKey.keySet([.otherP256]), generation: 2)
        #expect(try rig.judgeOnce(request).wait == .keys(issuer: 0))
        #expect(try rig.judgeAgain(request).cause == .tokenKeyUnknown)
        try rig.giveKeys(generation: 3)
        let before = rig.verifications.tokens
        #expect(try rig.judgeOnce(request).isForwarded)
        #expect(rig.verifications.tokens == before + 1, "the key is back, and has verified it anew")
        rig.identities.issuers[0].take(nil)
        #expect(try rig.judgeOnce(request).wait == .keys(issuer: 0))
    }

    @Test(.holds("ECO-81"), .refuses("ECO-81"))
    func `is made for nobody whose signatures were wrong too often, and found for them all the same`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let known = mint.accessToken()
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: known)).isForwarded)
        rig.connection.mayVerify = false
        for token in [mint.accessToken(), forged(1)] {
            let refused = try #require(try rig.judgeOnce(JudgeRig.get(bearer: token)).refused)
            #expect(refused.cause == .failedVerificationsTooMany && refused.cause.status == 429)
        }
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: "no.token.at-all")).cause == .tokenMalformed)
        #expect(rig.verifications.tokens == 1, "none was verified")
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: known)).isForwarded)
        rig.connection.mayVerify = true
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: mint.accessToken())).isForwarded)
    }

    @Test(.holds("JOSE-34")) func `gives way when there are too many`() throws {
        let rig = try JudgeRig([JudgeRig.route()], cacheEntries: 2)
        for _ in 0..<5 { #expect(try rig.judgeOnce(JudgeRig.get(bearer: mint.accessToken())).isForwarded) }
        #expect(rig.identities.tokens.entries == 2)
        #expect(rig.metric("portcullis_token_cache_evictions_total") == 3)
    }

    // MARK: whose keys

    @Test(.refuses("RS-12")) func `is made for no issuer that nobody configured`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        func refused(_ issuer: String?) throws -> Refused? {
            try rig.judgeOnce(JudgeRig.get(bearer: mint.accessToken(claims: ["iss": issuer]))).refused
        }
        for name in [
            "https://nobody.example/", "https://issuer.example", "https://issuer.example//", "HTTPS://issuer.example/",
            "https://issuer.example/\u{0301}",
        ] {
            let refused = try #require(try refused("\"\(name)\""), "\(name)")
            #expect(refused.cause == .tokenIssuerUnknown, "\(name)")
            #expect(refused.detail.found == name)
        }
        let long = try refused("\"\(String(repeating: "a", count: 200))\"")
        #expect(long?.detail.found == String(repeating: "a", count: 64), "a stranger's text is cut")
        #expect(try refused(nil)?.detail.found == "none")
        #expect(rig.verifications.tokens == 0 && rig.identities.tokens.entries == 0)
    }

    @Test(.refuses("RS-12")) func `of another issuer is no good for this route, and the operator reads which`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        rig.identities.issuers[1].take(
            IssuerKeys(
                generation: 1, version: 1, keySet: try .parse(Array(mint.keySet.utf8).span), fetchedAt: JudgeRig.now,
                usableUntil: .max))
        let request = JudgeRig.get(bearer: mint.accessToken(claims: ["iss": "\"https://other.example/\""]))
        for _ in 0..<2 {
            let refused = try #require(try rig.judgeOnce(request).refused)
            #expect(refused.cause == .tokenIssuerNotAccepted)
            #expect(refused.detail.expected == "main" && refused.detail.found == "https://other.example/")
        }
        #expect(rig.verifications.tokens == 1, "what is no good here is known too")
    }

    @Test(
        .holds("RS-13"), .refuses("RS-13"),
        arguments: [
            ("\"https://api.example/\"", true), ("[\"https://api.example/\"]", true),
            ("[\"x\",\"https://api.example/\"]", true), ("[\"https://second.example/\"]", true), ("\"x\"", false),
            ("\"https://api.example\"", false), ("\"https://api.example/a\"", false),
            ("\"https://API.example/\"", false), ("[\"x\",\"y\"]", false),
            ("\"https://api.example/ https://second.example/\"", false),
        ])
    func `is good for the route that its audience names, letter by letter`(audience: String, isGood: Bool) throws {
        let rig = try JudgeRig([
            JudgeRig.route { $1.audiences = [JudgeRig.audience, "https://second.example/"] }
        ])
        let request = JudgeRig.get(bearer: mint.accessToken(claims: ["aud": audience]))
        for _ in 0..<2 {
            let outcome = try rig.judgeOnce(request)
            #expect(outcome.isForwarded == isGood)
            #expect(outcome.cause == (isGood ? nil : .tokenAudienceMissing))
            if let refused = outcome.refused {
                #expect(refused.detail.expected == "https://api.example/, https://second.example/")
            }
        }
    }

    @Test(.refuses("RS-24")) func `is waited for where its issuer's keys are missing, and only once`() throws {
        let rig = try JudgeRig([JudgeRig.route { $1.issuers = ["main", "other"] }])
        let request = JudgeRig.get(bearer: mint.accessToken(claims: ["iss": "\"https://other.example/\""]))
        #expect(try rig.judgeOnce(request).wait == .keys(issuer: 1))
        let refused = try #require(try rig.judgeAgain(request).refused)
        #expect(refused.cause == .issuerKeysUnavailable)
        #expect(refused.detail.expected == "keys of https://other.example/" && refused.detail.found == "none at hand")
    }

    @Test(.refuses("JOSE-17")) func `of a key that nobody knows is waited for once, and then refused`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let request = JudgeRig.get(bearer: mint.accessToken(header: ["kid": "\"another\""]))
        #expect(try rig.judgeOnce(request).wait == .keys(issuer: 0))
        #expect(try rig.judgeAgain(request).cause == .tokenKeyUnknown)
        #expect(rig.identities.tokens.entries == 0)
    }

    /// A flood of forged tokens must have neither the keys read again and again nor requests parked.
    @Test(.refuses("RS-14")) func `with a signature that fails has the keys read again once in an interval`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let interval = KeyTimesSettings().unknownKeyInterval.components.seconds
        #expect(try rig.judgeAgain(JudgeRig.get(bearer: forged(0))).cause == .tokenSignatureInvalid)
        var waits: [Int64] = []
        for second in 0..<(3 * interval) {
            rig.now = JudgeRig.now + second
            rig.connection.nanoseconds = UInt64(second + 1) * 1_000_000_000
            for number in 0..<3 {
                let outcome = try rig.judgeOnce(JudgeRig.get(bearer: forged(number)))
                if let wait = outcome.wait {
                    #expect(wait == .keys(issuer: 0))
                    waits.append(second)
                } else {
                    #expect(outcome.cause == .tokenSignatureInvalid)
                }
            }
        }
        #expect(waits == [0, interval, 2 * interval])
        #expect(rig.identities.tokens.entries == 0)
    }

    @Test(.refuses("JOSE-26")) func `is made of no token that is too long, by a byte`() throws {
        let token = mint.accessToken()
        let fits = try JudgeRig([JudgeRig.route()]) { $0.tokenLimit = token.utf8.count }
        #expect(try fits.judgeOnce(JudgeRig.get(bearer: token)).isForwarded)
        let rig = try JudgeRig([JudgeRig.route()]) { $0.tokenLimit = token.utf8.count - 1 }
        let refused = try #require(try rig.judgeOnce(JudgeRig.get(bearer: token)).refused)
        #expect(refused.cause == .tokenTooLarge && refused.detail.check == "JOSE-26")
        #expect(refused.detail.found.hasSuffix(", in a token of \(token.utf8.count) bytes"))
        #expect(rig.verifications.tokens == 0)
    }

    /// Each mistake alone, in a token that is right otherwise.
    private static let mistakes: [(header: [String: String?], claims: [String: String?], cause: Refusal)] = [
        (["typ": "\"JWT\""], [:], .tokenTypeNotAccepted), (["typ": "\"dpop+jwt\""], [:], .tokenTypeNotAccepted),
        (["typ": nil], [:], .tokenTypeNotAccepted), (["alg": "\"none\""], [:], .tokenAlgorithmNotAllowed),
        (["alg": "\"HS256\""], [:], .tokenAlgorithmNotAllowed), (["alg": "\"ES384\""], [:], .tokenAlgorithmNotAllowed),
        ([:], ["exp": nil], .tokenClaimMissing), ([:], ["sub": nil], .tokenClaimMissing),
        ([:], ["jti": nil], .tokenClaimMissing), ([:], ["client_id": nil], .tokenClaimMissing),
        ([:], ["iat": nil], .tokenClaimMissing), ([:], ["aud": nil], .tokenClaimMissing),
        ([:], ["sub": "\"\""], .tokenClaimMalformed), ([:], ["exp": "\"tomorrow\""], .tokenClaimMalformed),
        ([:], ["exp": "\(JudgeRig.now - 31)"], .tokenExpired),
        ([:], ["nbf": "\(JudgeRig.now + 31)"], .tokenNotYetValid),
        ([:], ["iat": "\(JudgeRig.now + 31)"], .tokenIssuedInFuture),
    ]

    @Test(.refuses("RS-11", "RS-15", "RS-16"), arguments: 0..<mistakes.count)
    func `is made of no token with a mistake, and nothing is kept of it`(number: Int) throws {
        let mistake = Self.mistakes[number]
        let rig = try JudgeRig([JudgeRig.route()])
        let token = mint.accessToken(header: mistake.header, claims: mistake.claims)
        for _ in 0..<2 {
            let outcome = try rig.judgeOnce(JudgeRig.get(bearer: token))
            #expect(outcome.cause == mistake.cause && outcome.reached == .authenticate && outcome.plans == 0)
        }
        #expect(rig.identities.tokens.entries == 0)
    }

    // MARK: a request that waited

    @Test(.refuses("JOSE-34")) func `of another token that the request had is not taken for this one's`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        let first = mint.accessToken(), second = mint.accessToken(claims: ["scope": "\"other\""])
        var findings = Findings()
        defer { findings.forget() }
        #expect(try rig.judge(JudgeRig.get(bearer: first), &findings).isForwarded)
        #expect(try rig.judge(JudgeRig.get(bearer: second), &findings).isForwarded)
        #expect(rig.verifications.tokens == 2)
        #expect(findings.token?.digest == digest(of: second))
    }

    @Test(.refuses("JOSE-34")) func `that the request kept is looked at anew: its time and its keys`() throws {
        for isOverByTime in [true, false] {
            let rig = try JudgeRig([JudgeRig.route()])
            let token = mint.accessToken()
            var findings = Findings()
            defer { findings.forget() }
            #expect(try rig.judge(JudgeRig.get(bearer: token), &findings).isForwarded)
            let record = try #require(findings.token)
            rig.identities.tokens.remove(record)
            if isOverByTime {
                rig.now = record.usableUntil
                #expect(try rig.judge(JudgeRig.get(bearer: token), &findings).cause == .tokenExpired)
            } else {
                try rig.giveKeys(generation: 2)
                #expect(try rig.judge(JudgeRig.get(bearer: token), &findings).isForwarded)
                #expect(rig.verifications.tokens == 2)
            }
        }
    }
}
