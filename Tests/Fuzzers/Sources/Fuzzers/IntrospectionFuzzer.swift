import HTTPMessage
import JOSE
import JSON
import OAuth

/// What an authorization server answers about a token: the same bytes as a plain answer and as a signed one.
enum IntrospectionFuzzer {
    /// The moment at which every answer is read.
    static let now: Int64 = 1_800_000_000
    static let issuer = "https://issuer.example/"

    static func attempt(_ input: [UInt8]) -> Outcome {
        let plain = judge(input, type: "application/json", rules: plainRules)
        checkPlain(plain, input)
        let token = DecodedParts.token(input)
        let signed = judge(token, type: "application/token-introspection+jwt", rules: signedRules)
        if signed != nil { hold(known.contain(token), "no answer is believed but what the issuer signed") }
        hold(
            judge(input, type: "application/json", rules: signedRules) == nil
                && judge(token, type: "application/token-introspection+jwt", rules: plainRules) == nil,
            "the form of an answer is not its sender's choice")
        return isActive(plain) || isActive(signed) ? .accepted : .refused
    }

    /// Every accepted plain answer says what makes it one, to a reader that knows nothing but JSON.
    private static func checkPlain(_ outcome: IntrospectionOutcome?, _ body: [UInt8]) {
        guard case .active(let token, let believedUntil) = outcome else { return }
        guard let answer = try? JSONValue.parse(body.span) else { fatalError("an active answer is JSON") }
        hold(answer["active"]?.bool == true, "active is the word true")
        hold(answer["iss"].map { $0.equals(issuer) } ?? true, "the issuer is the one that was asked")
        hold(believedUntil <= now + 30 && believedUntil <= token.expiresAt, "an answer is believed for seconds")
        hold(token.expiresAt > now - 31, "the token has not expired")
        hold(token.claims["active"] == nil && token.claims.count == answer.count - 1, "claims are the answer's others")
        if answer["cnf"] != nil {
            let binding = token.binding
            hold(
                binding.keyThumbprint != nil || binding.certificateThumbprint != nil,
                "a token with a confirmation is bound to something")
        }
    }

    /// The outcome, the same twice; nil when the answer says nothing about the token.
    private static func judge(_ body: [UInt8], type: String, rules: IntrospectionRules) -> IntrospectionOutcome? {
        let response = FetchResponse(status: 200, contentType: type, body: body)
        let first = read(response, rules, answers.keys)
        let again = read(response, rules, VerificationKeys(answers.set))
        hold(isSame(first, again), "the same answer says the same, to used and to fresh keys")
        return try? first.get()
    }

    private static func read(
        _ response: FetchResponse, _ rules: IntrospectionRules, _ keys: VerificationKeys
    ) -> Result<IntrospectionOutcome, IntrospectionRefusal> {
        Result { () throws(IntrospectionRefusal) in
            try IntrospectionResponse.read(response, rules: rules, keys: keys, now: now)
        }
    }

    /// Whether two readings agree in everything.
    private static func isSame(
        _ one: Result<IntrospectionOutcome, IntrospectionRefusal>,
        _ other: Result<IntrospectionOutcome, IntrospectionRefusal>
    ) -> Bool {
        switch (one, other) {
        case (.failure(let one), .failure(let other)): return one == other
        case (.success(.inactive), .success(.inactive)): return true
        case (.success(.refused(let one)), .success(.refused(let other))): return one == other
        case (.success(.active(let one, let until)), .success(.active(let other, let otherUntil))):
            return until == otherUntil && one.subject == other.subject && one.clientID == other.clientID
                && one.audiences == other.audiences && one.scopes == other.scopes && one.times == other.times
                && one.binding == other.binding && text(of: one.claims) == text(of: other.claims)
        case (.failure, _), (.success, _): return false
        }
    }

    private static func text(of claims: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(claims)
        return writer.finish()
    }

    private static func isActive(_ outcome: IntrospectionOutcome?) -> Bool {
        if case .active = outcome { true } else { false }
    }

    private static let plainRules = IntrospectionRules(AccessTokenRules(issuer: issuer))
    private static let signedRules = IntrospectionRules(
        AccessTokenRules(issuer: issuer), form: .signed(audience: "https://gateway.example/"))

    /// The key that signed the seeds.
    nonisolated(unsafe) private static let answers = KnownKeys(
        """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"seed","alg":"ES256","use":"sig","x":"sLSHlzBmqlB8x7gy0XcMC\
        G0QFU1qIKCtzLf5ji1-CfA","y":"mKjghM5v1ktBrfmgShcrLF69xVMjxaafBpOxMB2zF6Q"}]}
        """)
    private static let known = SignedSeeds("introspection-response")
}
