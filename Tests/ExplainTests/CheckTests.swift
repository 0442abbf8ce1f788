import Access
import Gateway
import Issuers
import JOSE
import OAuth
import TestSupport
import Testing

@testable import Explain
@testable import GatewayTests

@Suite struct `the checks of an explanation` {
    @Test func `have one row each`() {
        let ids = Check.table.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids) == Set(Check.ID.allCases))
    }

    @Test func `are one for each refusal, and each but for the upstream's has its row in some refusal`() {
        var checks: Set<Check.ID> = []
        for refusal in Refusal.allCases {
            checks.insert(LoggedRefusal(refusal, row: "\(refusal.check)").explained.check)
        }
        // Told by the log's row: the same causes, at other places.
        checks.insert(LoggedRefusal(.tokenClaimMissing, row: "RS-15").explained.check)
        checks.insert(LoggedRefusal(.tokenBoundToKey, row: "RS-25").explained.check)
        checks.insert(LoggedRefusal(.loginRequired, row: "RF-06").explained.check)
        #expect(checks == Set(Check.ID.allCases))
        let upstream = Refusal.allCases.filter { LoggedRefusal($0, row: "\($0.check)").explained.check == .upstream }
        #expect(upstream.allSatisfy { "\($0.word)".hasPrefix("upstream_") }, "\(upstream)")
    }

    @Test func `have titles that fit their column and are told apart`() {
        let titles = Check.table.map(\.title)
        #expect(Set(titles).count == titles.count)
        #expect(titles.allSatisfy { $0.utf8.count <= 23 && !$0.isEmpty })
    }

    /// What is wanted is told where nothing is seen, so that no line is empty.
    @Test(arguments: [false, true]) func `name the text that demands them, and what is wanted`(logins: Bool) throws {
        var rig = logins ? try ExplainRig.browser() : ExplainRig()
        if !logins { rig.proveByDPoP() }
        let explanation = try rig.explain()
        let facts = CheckFacts(
            evidence: explanation.evidence, verdict: explanation.verdict, settings: rig.settings, now: explanation.now)
        for check in Check.table {
            #expect(!check.section(facts).isEmpty, "\(check.id)")
            let isDemanded = check.skipped.isEmpty || facts.reasonSkipped(check) == nil
            #expect(!isDemanded || !facts.has(check.subject) || !check.wanted(facts).isEmpty, "\(check.id)")
        }
    }

    @Test(arguments: OpenQuestion.allCases) func `that nobody could make are told as such`(question: OpenQuestion)
        throws
    {
        let rig = try ExplainRig.browser()
        let explanation = Explanation(
            try rig.explain().evidence, .undecided(question, reason: "nobody said"), settings: rig.settings,
            now: ExplainRig.now)
        #expect(explanation.lines.filter { $0.state == .undecided }.map(\.check) == [Check.ID(question)])
        #expect(explanation.text.hasPrefix("NOT KNOWN  "))
    }

    /// Every pair of mistakes in one request: the one refused is the earlier of the two by the order of the lines, so
    /// what an explanation calls ok before the line that failed has really been checked.
    @Test(arguments: Mistake.inOrder.indices)
    func `stand in the order in which the stages make them`(first: Int) throws {
        try Self.expectOrder(first, Mistake.inOrder) { ExplainRig() }
    }

    @Test(arguments: Mistake.ofSenderInOrder.indices)
    func `stand in the order in which the stages make them, for proofs and certificates too`(first: Int) throws {
        try Self.expectOrder(first, Mistake.ofSenderInOrder) {
            var rig = ExplainRig()
            rig.proveByDPoP()
            return rig
        }
    }

    private static func expectOrder(_ first: Int, _ mistakes: [Mistake], _ makeRig: () -> ExplainRig) throws {
        for second in first..<mistakes.count {
            var rig = makeRig()
            if second > first { mistakes[second].make(&rig) }
            mistakes[first].make(&rig)
            let explanation = try rig.explain()
            let failed = explanation.lines.first { $0.state == .failed }?.check
            let one = mistakes[first]
            #expect(
                failed == LoggedRefusal(one.cause, row: one.row).explained.check,
                "\(one.name) and \(mistakes[second].name)")
        }
    }
}

extension Mistake {
    /// One for each check of bearer tokens, in the order of the lines, of which any two can be made at once.
    static let inOrder = [
        Mistake("connection", .reservedConnectionOption) { $0.fields.append("Connection: X-Request-Id") },
        Mistake("host", .authorityUnknown) { $0.settings.listeners[0].authorities = ["other.example"] },
        Mistake("path", .pathAmbiguous) { $0.url = "https://shop.example.com/api/orders/a%2Fb" },
        Mistake("method", .methodNotAllowed) { $0.method = "DELETE" },
        Mistake("scheme", .schemeNotEnabled) { $0.scheme = "Basic" },
        Mistake("query", .credentialsInQueryToo) { $0.url += "?access_token=abc" },
        Mistake("form", .tokenMalformed) { $0.token = "opaque" },
        Mistake("issuer", .tokenIssuerUnknown) { $0.claims["iss"] = "\"https://other.example\"" },
        Mistake("typ", .tokenTypeNotAccepted) { $0.header["typ"] = "\"JWT\"" },
        Mistake("alg", .tokenAlgorithmNotAllowed) {
            $0.mint.key = SigningKey(renaming: .p384, keyID: $0.header["kid"] == nil ? "p256-1" : nil)
            $0.mint.algorithm = .es384
        },
        Mistake("kid", .tokenKeyUnknown) { $0.header["kid"] = "\"other\"" },
        Mistake("signature", .tokenSignatureInvalid) {
            $0.mint.key = SigningKey(renaming: .otherP256, keyID: "p256-1")
        },
        Mistake("dates", .tokenClaimMalformed) { $0.claims["nbf"] = "\"tomorrow\"" },
        Mistake("exp", .tokenExpired) { $0.claims["exp"] = "\(ExplainRig.now - 1000)" },
        Mistake("iat", .tokenIssuedInFuture) { $0.claims["iat"] = "\(ExplainRig.now + 1000)" },
        Mistake("claims", .tokenClaimMalformed) { $0.claims["sub"] = "\"\"" },
        Mistake("purpose", .tokenOfOtherPurpose) {
            $0.settings.issuers[0].rules.profile = .legacy
            $0.claims["events"] = "{}"
        },
        Mistake("aud", .tokenAudienceMissing) { $0.claims["aud"] = "\"other\"" },
        Mistake("scope", .scopeInsufficient) { $0.claims["scope"] = "\"openid\"" },
        Mistake("user", .userRequired) {
            $0.policy.userOnly = true
            $0.claims["sub"] = "\"client-1\""
        },
        Mistake("rule", .claimRuleUnmet) {
            $0.policy.rights.claims = [ClaimRuleSettings(claim: ["tenant"], anyOf: ["acme"])]
        },
        Mistake("identity", .identityTooLarge) {
            $0.settings.limits.accessToken = 60_000
            $0.settings.limits.fieldLine = 64_000
            $0.settings.issuers[0].rules.maximumTokenBytes = 60_000
            $0.settings.routes[0].identity = [IdentityFieldSettings(name: "X-Big", claim: ["big"])]
            $0.claims["big"] = "\"" + String(repeating: "x", count: 33_000) + "\""
        },
    ]

    /// One for each check of the sender, in the order of the lines, on a request with a proof.
    static let ofSenderInOrder = [
        Mistake("aud", .tokenAudienceMissing) { $0.claims["aud"] = "\"other\"" },
        Mistake("binding", .tokenNotBound) {
            $0.claims["cnf"] = "{\"x5t#S256\":\"A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0\"}"
        },
        Mistake("count", .proofRepeated) { $0.proof?.count = 2 },
        Mistake("form", .proofMalformed) { $0.proof?.header["alg"] = String?.none },
        Mistake("typ", .proofTypeNotAccepted) { $0.proof?.header["typ"] = "\"JWT\"" },
        Mistake("alg", .proofAlgorithmNotAllowed) { $0.policy.dpop.algorithms = [.edDSA] },
        Mistake("jwk", .proofKeyInvalid) { $0.proof?.header["jwk"] = "{\"kty\":\"EC\"}" },
        Mistake("claims", .proofClaimMissing) { $0.proof?.claims["jti"] = String?.none },
        Mistake("htm", .proofMethodMismatch) { $0.proof?.claims["htm"] = "\"PUT\"" },
        Mistake("htu", .proofTargetMismatch) { $0.proof?.claims["htu"] = "\"https://other.example/\"" },
        Mistake("nonce", .proofNonceMissing) { $0.policy.dpop.nonce = .required },
        Mistake("iat", .proofOutOfTime) { $0.proof?.claims["iat"] = "1" },
        Mistake("ath", .proofTokenMismatch) { $0.proof?.claims["ath"] = "\"other\"" },
        Mistake("signature", .proofSignatureInvalid) {
            $0.proof?.header["jwk"] = SigningKey(renaming: .p256, keyID: nil).publicJWK()
        },
        Mistake("jkt", .proofKeyMismatch) { $0.proof?.key = .otherP256 },
        Mistake("certificate", .certificateMissing) {
            $0.claims["cnf"] =
                "{\"jkt\":\"\(ProofMint(key: ExplainRig.Proof.key).thumbprint)\","
                + "\"x5t#S256\":\"A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0\"}"
        },
        Mistake("scope", .scopeInsufficient) { $0.claims["scope"] = "\"openid\"" },
        Mistake("details", .authorizationDetailsInsufficient) {
            $0.policy.authorizationDetails = [AuthorizationDetailsRule(type: "order")]
        },
        Mistake("acr", .authenticationInsufficient) { $0.policy.rights.acrValues = ["mfa"] },
        Mistake("auth_time", .authenticationTooOld) { $0.policy.rights.maximumAge = .seconds(60) },
        Mistake("user", .userRequired) {
            $0.policy.userOnly = true
            $0.claims["sub"] = "\"client-1\""
        },
        Mistake("rule", .claimRuleUnmet) {
            $0.policy.rights.claims = [ClaimRuleSettings(claim: ["tenant"], anyOf: ["acme"])]
        },
        Mistake("body", .requestBodyTooLarge) {
            $0.settings.limits.requestBody = 10
            $0.fields.append("Content-Length: 11")
        },
    ]

    /// The row in the log, where the cause alone does not say which check it was.
    var row: String { name == "dates" ? "JOSE-27" : "\(cause.check)" }
}
