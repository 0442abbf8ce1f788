import Crypto
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

@Suite struct `how a user was authenticated` {
    @Test(.holds("OIDC-09")) func `is of no concern where nothing was asked for`() {
        let token = idToken(["acr": "7", "auth_time": "\"yesterday\""])
        #expect(idTokenRefusal(token) == nil)
        #expect(idTokenRefusal(token, demand: AuthenticationDemand()) == nil)
    }

    @Test(.holds("OIDC-09"), .refuses("OIDC-09")) func `is by one of the contexts demanded`() {
        let demand = AuthenticationDemand(acrValues: ["gold", "silver"])
        #expect(idTokenRefusal(idToken(), demand: demand) == nil)
        #expect(idTokenRefusal(idToken(["acr": "\"gold\""]), demand: demand) == nil)
        for acr in ["Gold", "bronze", "", "gold silver", "silve\\u0072\\u0000"] {
            let refusal = idTokenRefusal(idToken(["acr": "\"\(acr)\""]), demand: demand)
            #expect(refusal == .authenticationContext(acr.replacing("\\u0072\\u0000", with: "r\0")))
            #expect(refusal?.isAboutAuthentication == true && refusal?.check == "OIDC-09")
        }
        #expect(idTokenRefusal(idToken(["acr": "[\"gold\"]"]), demand: demand) == .authenticationContext(nil))
        #expect(idTokenRefusal(idToken(["acr": nil]), demand: demand) == .claim(.missing("acr")))
    }

    @Test(.holds("OIDC-09"), .refuses("OIDC-09")) func `is recent enough`() {
        let demand = AuthenticationDemand(maximumAge: 300)
        #expect(idTokenRefusal(idToken(["auth_time": "\(now - 330)"]), demand: demand) == nil)
        let old = idTokenRefusal(idToken(["auth_time": "\(now - 331)"]), demand: demand)
        #expect(old == .authenticatedTooEarly(secondsAgo: 331) && old?.isAboutAuthentication == true)
        #expect(idTokenRefusal(idToken(["auth_time": "\(now + 30)"]), demand: demand) == nil)
        #expect(
            idTokenRefusal(idToken(["auth_time": "\(now + 31)"]), demand: demand)
                == .authenticatedInFuture(secondsLeft: 31))
    }

    @Test(.holds("OIDC-09"), .refuses("OIDC-09"))
    func `is counted from when the browser was sent, not from when it came back`() {
        let demand = AuthenticationDemand(maximumAge: 0, askedAt: now - 500)
        #expect(idTokenRefusal(idToken(["auth_time": "\(now - 450)"]), demand: demand) == nil)
        #expect(
            idTokenRefusal(idToken(["auth_time": "\(now - 531)"]), demand: demand)
                == .authenticatedTooEarly(secondsAgo: 31))
        // A clock that was set back meanwhile makes nobody's login younger.
        let later = AuthenticationDemand(maximumAge: 0, askedAt: .max)
        #expect(
            idTokenRefusal(idToken(["auth_time": "\(now - 31)"]), demand: later)
                == .authenticatedTooEarly(secondsAgo: 31))
    }

    @Test(.holds("OIDC-09"), .refuses("OIDC-09")) func `is not known to a server that says 0`() {
        for maximumAge in [0, 300, Int.max / 2, .max] {
            let demand = AuthenticationDemand(maximumAge: maximumAge)
            #expect(
                idTokenRefusal(idToken(["auth_time": "0"]), demand: demand) == .authenticatedTooEarly(secondsAgo: now))
        }
        #expect(idTokenRefusal(idToken(["auth_time": "0"])) == nil)
        #expect(idTokenRefusal(idToken(["auth_time": "1"]), demand: AuthenticationDemand(maximumAge: .max)) == nil)
    }

    @Test(.refuses("OIDC-09")) func `must be said where an age was demanded`() {
        let demand = AuthenticationDemand(maximumAge: 300)
        let missing = idTokenRefusal(idToken(["auth_time": nil]), demand: demand)
        #expect(missing == .claim(.missing("auth_time")) && missing?.isAboutAuthentication == true)
        for value in ["\"\(now)\"", "null", "1e400", "-5", "{}"] {
            #expect(idTokenRefusal(idToken(["auth_time": value]), demand: demand) == .claim(.malformed("auth_time")))
        }
    }

    @Test(.refuses("OIDC-09")) func `does not outweigh that the token is another login's`() {
        let demand = AuthenticationDemand(acrValues: ["gold"], maximumAge: 0)
        let refusal = idTokenRefusal(idToken(["nonce": "\"nonce-2\""]), demand: demand)
        #expect(refusal == .nonceMismatch && refusal?.isAboutAuthentication == false)
    }
}

@Suite struct `a refreshed ID token` {
    private func refusal(_ changes: [String: String?], _ original: IDToken.Original) throws -> IDTokenRefusal? {
        let token = try verifyIDToken(idToken(changes), nonce: nil)
        do throws(IDTokenRefusal) {
            try IDToken.checkRefreshed(token, against: original)
            return nil
        } catch {
            return error
        }
    }

    private let original = IDToken.Original(
        issuer: "https://issuer.example/", subject: "user-1", authTime: now - 60,
        nonce: IDToken.Original.nonceDigest("nonce-1"))

    @Test(.holds("RF-07")) func `is of the same login`() throws {
        #expect(try refusal([:], original) == nil)
        #expect(try refusal(["nonce": nil, "auth_time": nil], original) == nil)
        let forgotten = IDToken.Original(issuer: "https://issuer.example/", subject: "user-1")
        #expect(try refusal(["nonce": "\"other\"", "auth_time": "1"], forgotten) == nil)
    }

    @Test(
        .refuses("RF-07"),
        arguments: [
            ("sub", "\"user-2\"", "sub"), ("sub", "\"USER-1\"", "sub"), ("auth_time", "\(now - 59)", "auth_time"),
            ("auth_time", "0", "auth_time"), ("nonce", "\"nonce-2\"", "nonce"), ("nonce", "\"\"", "nonce"),
        ])
    func `of another login is refused`(claim: String, value: String, changed: String) throws {
        let refusal = try #require(try refusal([claim: value], original))
        #expect(refusal == .changed(claim: changed) && refusal.check == "RF-07")
    }

    @Test(.refuses("RF-07")) func `of another issuer or for another client is refused`() throws {
        let other = IDToken.Original(issuer: "https://issuer.example", subject: "user-1")
        #expect(try refusal([:], other) == .changed(claim: "iss"))
        #expect(idTokenRefusal(idToken(["aud": "\"client-2\""]), nonce: nil) == .claim(.audienceMismatch))
    }
}
