import JOSE
import JSON
import OAuth
import Refusals

/// The body of a back-channel logout request, or a logout token's three parts a line each before they are encoded.
enum LogoutTokenFuzzer {
    static let now = IDTokenFuzzer.now

    static func attempt(_ input: [UInt8]) -> Outcome {
        let decoded = DecodedParts.token(input)
        // Three lines are a token; everything else is a form, in which it has to be found.
        guard let token = decoded == input ? find(input) : decoded else { return .refused }
        let strict = judge(token, strictRules), lenient = judge(token, lenientRules)
        if case .success(let verified) = strict {
            hold((try? lenient.get()) == verified, "what strict rules accept means the same to lenient ones")
        }
        guard case .success(let verified) = lenient else {
            if case .failure(let refusal) = lenient { IDTokenFuzzer.check(refusal.found) }
            return .refused
        }
        hold(known.contain(token), "no token is accepted but what the issuer signed")
        check(verified, token)
        return .accepted
    }

    /// No token is at once an ID token and a logout token.
    static func holdThatNoneIs(_ token: [UInt8], whenAccepted result: Result<VerifiedIDToken, IDTokenRefusal>) {
        guard case .success = result else { return }
        guard case .failure = judge(token, lenientRules) else { fatalError("an ID token passed for a logout token") }
    }

    private static func find(_ body: [UInt8]) -> [UInt8]? {
        let type = "application/x-www-form-urlencoded"
        guard let token = try? LogoutToken.find(in: body, contentType: type) else { return nil }
        hold(!token.isEmpty && token.count <= body.count, "a token is found in the body")
        hold((try? LogoutToken.find(in: body, contentType: "text/plain")) == nil, "and in a form alone")
        return token
    }

    /// Every accepted token says what makes it one, to a reader that knows nothing but JSON.
    private static func check(_ verified: LogoutToken, _ token: [UInt8]) {
        guard let claims = try? UncheckedJWT.parse(token.span, maximumBytes: token.count).claims
        else { fatalError("an accepted token is a JWT") }
        hold(claims["iss"]?.equals("https://issuer.example/") == true, "the issuer is the one that was asked")
        hold(claims["nonce"] == nil, "it is no ID token")
        let event = claims["events"]?["http://schemas.openid.net/event/backchannel-logout"]
        hold(event?.kind == .object, "it speaks of a logout")
        hold(verified.subject != nil || verified.sid != nil, "it says whose")
        hold(
            verified.subject.map { claims["sub"]?.equals($0) == true } ?? (claims["sub"] == nil),
            "the user is the claim's")
        hold(verified.sid.map { claims["sid"]?.equals($0) == true } ?? (claims["sid"] == nil), "so is the session")
        hold(claims["jti"]?.equals(verified.tokenID) == true && !verified.tokenID.isEmpty, "it has a name")
        hold(verified.usableUntil > now && verified.usableUntil <= verified.issuedAt + 330, "it lives for minutes")
        hold(isRefused(token, at: verified.usableUntil), "and not a second longer")
        hold(isRefused(token, at: verified.issuedAt - 31), "nor before it was made")
        hold(
            (try? IDToken.verify(
                token.span, of: IDToken.Login(nonce: nil), rules: IDTokenFuzzer.rules,
                keys: IDTokenFuzzer.provider.keys, now: now)) == nil,
            "it is no ID token of a refresh")
    }

    private static func isRefused(_ token: [UInt8], at now: Int64) -> Bool {
        if case .failure = judge(token, lenientRules, now: now) { true } else { false }
    }

    private static func judge(
        _ token: [UInt8], _ rules: LogoutTokenRules, now: Int64 = LogoutTokenFuzzer.now
    ) -> Result<LogoutToken, LogoutTokenRefusal> {
        Result { () throws(LogoutTokenRefusal) in
            try LogoutToken.verify(token.span, rules: rules, keys: IDTokenFuzzer.provider.keys, now: now)
        }
    }

    private static let strictRules = LogoutTokenRules(IDTokenFuzzer.rules, requiresType: true)
    private static let lenientRules = LogoutTokenRules(IDTokenFuzzer.rules, acceptsWithoutExpiry: true)
    private static let known = SignedSeeds("logout-token")
}
