import Crypto
import JOSE
import JSON
import OAuth
import Refusals

/// An ID token, or its three parts a line each before they are encoded, for one login at one client.
enum IDTokenFuzzer {
    /// The moment at which every token is read.
    static let now: Int64 = 1_800_000_000

    static func attempt(_ input: [UInt8]) -> Outcome {
        let token = DecodedParts.token(input)
        let result = judge(token, keys: provider.keys)
        hold(isSame(result, judge(token, keys: VerificationKeys(provider.set))), "fresh keys judge as used ones do")
        LogoutTokenFuzzer.holdThatNoneIs(token, whenAccepted: result)
        guard case .success(let verified) = result else {
            // A refusal is for the operator's log, whatever was in the token.
            if case .failure(let refusal) = result { check(refusal.found) }
            return .refused
        }
        hold(known.contain(token), "no token is accepted but what the issuer signed")
        check(verified)
        checkOthers(token)
        return .accepted
    }

    /// Every accepted token says what makes it one, to a reader that knows nothing but JSON.
    private static func check(_ token: VerifiedIDToken) {
        let claims = token.claims
        hold(claims["iss"]?.equals("https://issuer.example/") == true, "the issuer is the one that was asked")
        hold(claims["nonce"]?.equals(nonce) == true, "the nonce is this login's")
        let audiences = claims["aud"].map { $0.kind == .array ? $0.elements : [$0] } ?? []
        hold(audiences.contains { $0.equals("client") }, "the token is for this client")
        hold(audiences.count == 1 || claims["azp"]?.equals("client") == true, "and issued to it")
        hold(token.expiresAt > now - 30 && token.issuedAt <= now + 30 && token.issuedAt >= now - 600, "it is of now")
        hold((1...255).contains(token.subject.utf8.count), "it is about somebody")
        hold(token.subject.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "whose name is printable")
        let kept = UserInfo.merge(
            idToken: token, names: claims.members.map(\.name), requiresVerifiedEmail: true)
        guard let session = try? JSONValue.parse(kept.span) else { fatalError("a session's claims are JSON") }
        hold(session["sub"]?.equals(token.subject) == true, "a session is its user's")
        hold(session["_claim_sources"] == nil, "nobody is sent elsewhere for claims")
        hold(session["email"] == nil || claims["email_verified"]?.bool == true, "an address is verified")
    }

    /// A token that is good for one login is good for no other.
    private static func checkOthers(_ token: [UInt8]) {
        var other = rules
        other.clientID = "another"
        hold(isRefused(token, other), "it is for no other client")
        other = rules
        other.issuer = "https://issuer.example"
        hold(isRefused(token, other), "it is of no other issuer")
        other = rules
        other.signature = .algorithms([.rs256])
        hold(isRefused(token, other), "it is signed by no other algorithm")
        other.signature = .secret(.hs256, Secret(Array(repeating: 0x73, count: 32)))
        hold(isRefused(token, other), "it is not authenticated by a secret")
        other = rules
        other.mustBeEncrypted = true
        hold(isRefused(token, other), "it is not encrypted")
        hold(isRefused(token, rules, nonce: "another"), "it is of no other login")
        hold(isRefused(token, rules, now: now + 20_000_000_000), "it is not for ever")
    }

    private static func isRefused(
        _ token: [UInt8], _ rules: IDTokenRules, nonce: String = IDTokenFuzzer.nonce, now: Int64 = IDTokenFuzzer.now
    ) -> Bool {
        (try? IDToken.verify(
            token.span, of: IDToken.Login(nonce: nonce), rules: rules, keys: provider.keys, now: now)) == nil
    }

    private static func judge(
        _ token: [UInt8], keys: VerificationKeys
    ) -> Result<VerifiedIDToken, IDTokenRefusal> {
        Result { () throws(IDTokenRefusal) in
            try IDToken.verify(
                token.span, of: IDToken.Login(nonce: nonce, accessToken: accessToken, code: code), rules: rules,
                keys: keys, now: now)
        }
    }

    /// What goes into a log is one short line.
    static func check(_ text: String) {
        hold(text.utf8.count < 300, "an operator's text is short")
        hold(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "and a line")
    }

    private static func isSame(
        _ one: Result<VerifiedIDToken, IDTokenRefusal>, _ other: Result<VerifiedIDToken, IDTokenRefusal>
    ) -> Bool {
        switch (one, other) {
        case (.failure(let one), .failure(let other)): one == other
        case (.success(let one), .success(let other)):
            one.subject == other.subject && one.sid == other.sid && one.acr == other.acr
                && one.authTime == other.authTime && one.audiences == other.audiences
        case (.failure, _), (.success, _): false
        }
    }

    private static let nonce = "n-0S6_WzA2Mj"
    private static let accessToken = Secret(Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8))
    private static let code = Secret(Array("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk".utf8))
    static let rules = IDTokenRules(
        issuer: "https://issuer.example/", clientID: "client", trustedAudiences: ["trusted"],
        signature: .algorithms([.es256]))

    /// The key that signed the seeds.
    nonisolated(unsafe) static let provider = KnownKeys(
        """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"seed","alg":"ES256","use":"sig","x":"kWZcH7KZ8TpW0281Z\
        K2CTaXLe0-ndgMasuX1Gf5S8Qs","y":"DdP49Ps_3IrUwQ0BrIZ9lG2VhCGONWuzkrT9U9meXXU"}]}
        """)
    private static let known = SignedSeeds("id-token")
}
