import Crypto
import Issuers
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Access

private let mint = TokenMint(now: JudgeRig.now)
private let opaque = "a-token-that-is-no-jwt"

/// What the record of a token is found by, as the source says it: the issuer's number from its last digit.
private func place(_ token: String, issuer: Int = 0) -> SHA256Digest {
    let bytes = Array("introspection \(String(String(issuer).reversed())) \(token)".utf8)
    return SHA256.hash(bytes.span)
}

private func rig(
    _ tokens: IntrospectionSettings.Tokens = .opaque, issuers: [String] = ["main"],
    _ change: (inout AccessSettings) -> Void = { _ in }
) throws -> JudgeRig {
    try JudgeRig([JudgeRig.route { $1.issuers = issuers }]) {
        var introspection = IntrospectionSettings(client: 0)
        introspection.tokens = tokens
        $0.issuers[0].introspection = introspection
        change(&$0)
    }
}

/// The authorization server has called the token active; with the caller's use of its record.
private func vouch(_ rig: JudgeRig, _ digest: SHA256Digest, until: Int64) throws -> TokenRecord {
    rig.table.policy.pointee.remember(
        introspected: try verifiedToken(), digest, issuer: 0, until: until, &rig.identities, now: rig.now)
}

@Suite struct `a token that its issuer is asked about` {
    @Test(.holds("INT-01")) func `is asked about once, and then at hand for as long as it is believed`() throws {
        let rig = try rig()
        let request = JudgeRig.get(bearer: opaque)
        #expect(try rig.judgeOnce(request).wait == .introspection(issuer: 0, place(opaque)))
        let record = try vouch(rig, place(opaque), until: rig.now + 30)
        #expect(record.uses == 2, "the cache's and the caller's")
        record.release()
        rig.now += 29
        #expect(try rig.judgeOnce(request).isForwarded)
        #expect(rig.metric("portcullis_token_cache_hits_total") == 1)
        rig.now += 1
        #expect(try rig.judgeOnce(request).wait == .introspection(issuer: 0, place(opaque)))
        #expect(rig.verifications.tokens == 0)
    }

    @Test(.holds("INT-06")) func `serves the request that waited for it, though it is believed no longer`() throws {
        let rig = try rig()
        let record = try vouch(rig, place(opaque), until: rig.now)
        #expect(record.uses == 1 && rig.identities.tokens.entries == 0, "it is kept for nobody else")
        var findings = Findings()
        defer { findings.forget() }
        findings.lookup = .active(record)
        #expect(try rig.judge(JudgeRig.get(bearer: opaque), &findings).isForwarded)
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: opaque)).wait != nil)
    }

    @Test(
        .refuses("INT-04"),
        arguments: [
            Refusal.tokenInactive, .introspectionUnavailable, .introspectionAnswerTooLarge, .clientWaitersTooMany,
        ])
    func `is refused as what came of asking says`(cause: Refusal) throws {
        let rig = try rig()
        var findings = Findings()
        defer { findings.forget() }
        findings.lookup = .refused(Refused(cause, expected: "this", found: "that"))
        let refused = try #require(try rig.judge(JudgeRig.get(bearer: opaque), &findings).refused)
        #expect(refused.cause == cause && refused.detail.expected == "this" && refused.detail.found == "that")
    }

    @Test(.refuses("INT-06")) func `is refused without asking when it was refused a moment ago`() throws {
        let rig = try rig()
        let request = JudgeRig.get(bearer: opaque)
        rig.identities.refusedTokens.insert(place(opaque), .tokenInactive, until: rig.now + 10)
        rig.now += 9
        let refused = try #require(try rig.judgeOnce(request).refused)
        #expect(refused.cause == .tokenInactive)
        #expect(refused.detail.found == "one that was refused a moment ago")
        rig.now += 1
        #expect(try rig.judgeOnce(request).wait != nil, "it may have become good")
        rig.identities.refusedTokens.insert(place(opaque), .introspectionAnswerTooLarge, until: .max)
        let long = try #require(try rig.judgeOnce(request).refused)
        #expect(long.cause == .introspectionAnswerTooLarge)
        #expect(long.detail.expected == "an answer within introspection.answer_limit")
    }

    @Test(.refuses("INT-07")) func `is told to nobody when it is too long`() throws {
        let rig = try rig { $0.tokenLimit = opaque.utf8.count }
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: opaque)).wait != nil)
        let refused = try #require(try rig.judgeOnce(JudgeRig.get(bearer: opaque + "x")).refused)
        #expect(refused.cause == .tokenTooLarge)
        #expect(refused.detail.expected == "at most 22 bytes" && refused.detail.found == "23 bytes")
    }

    @Test(.holds("INT-06")) func `has a place of its own for each issuer that is asked`() {
        var memory: [UInt8] = Array("what somebody left".utf8)
        var places: Set<String> = []
        let tokens = ["a", " a", "0 a", "1 a", "00 a", ""]
        for issuer in 0..<300 {
            for token in tokens {
                let bytes = Array(token.utf8)
                let found = AccessPolicy.introspectionDigest(of: bytes.span, issuer: issuer, memory: &memory)
                #expect(found == place(token, issuer: issuer))
                places.insert(found.base64URL)
            }
        }
        #expect(places.count == 300 * tokens.count)
    }

    // MARK: which tokens

    @Test(.holds("INT-01")) func `is no JWT where only others are asked about, and every one where all are`() throws {
        let token = mint.accessToken()
        let others = try rig(.opaque)
        #expect(try others.judgeOnce(JudgeRig.get(bearer: token)).isForwarded)
        #expect(others.verifications.tokens == 1)
        let all = try rig(.all)
        #expect(try all.judgeOnce(JudgeRig.get(bearer: token)).wait == .introspection(issuer: 0, place(token)))
        #expect(all.verifications.tokens == 0)
        // What was verified for a route that asks nobody opens nothing where all are asked about.
        let record = try verifiedRecord(token)
        all.identities.tokens.insert(record)
        #expect(try all.judgeOnce(JudgeRig.get(bearer: token)).wait == .introspection(issuer: 0, place(token)))
    }

    private func verifiedRecord(_ token: String, issuer: Int = 0) throws -> TokenRecord {
        let bytes = Array(token.utf8)
        return TokenRecord(
            SHA256.hash(bytes.span), try verifiedToken(), issuer: issuer, generation: 1, leeway: 0, answers: [.max])
    }

    @Test(.holds("INT-01")) func `is not one that claims to be another issuer's, where the route takes that one's`()
        throws
    {
        let foreign = mint.accessToken(claims: ["iss": "\"https://other.example/\""])
        let rig = try rig(.all, issuers: ["main", "other"])
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: foreign)).wait == .keys(issuer: 1))
        // Known by its record: its text is not read again.
        rig.identities.tokens.insert(try verifiedRecord(foreign, issuer: 1))
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: foreign)).wait != .introspection(issuer: 0, place(foreign)))
        for own in [
            mint.accessToken(), opaque, mint.accessToken(claims: ["iss": "\"https://nobody.example/\""]),
            mint.accessToken(claims: ["iss": nil]),
        ] {
            #expect(try rig.judgeOnce(JudgeRig.get(bearer: own)).wait == .introspection(issuer: 0, place(own)))
        }
        let alone = try introspectingAlone()
        #expect(
            try alone.judgeOnce(JudgeRig.get(bearer: foreign)).wait == .introspection(issuer: 0, place(foreign)),
            "a route of one issuer asks it about everything")
    }

    private func introspectingAlone() throws -> JudgeRig { try rig(.all) }
}
