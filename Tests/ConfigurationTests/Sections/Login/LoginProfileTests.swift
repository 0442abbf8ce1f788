import Crypto
import Gateway
import JOSE
import Login
import OAuth
import Sessions
import TestTraits
import Testing

@Suite struct `the FAPI 2.0 profile of a login` {
    @Test(.holds("PAR-06", "JAR-01")) func `pushes signed requests, takes signed responses and binds tokens`() throws {
        let login = try `a login`.login("profile: fapi2", authentication: `a login`.assertions)
        #expect(login.isFAPI)
        #expect(login.authorization.form == .pushedSigned)
        #expect(login.authorization.responseMode == .jwt)
        #expect(login.dpop == .required)
        #expect(login.keys.requestObject?.algorithm == .es256)
        guard case .algorithms([.ps256, .es256, .edDSA]) = login.idToken.signature else {
            Issue.record("other algorithms")
            return
        }
    }

    @Test func `binds tokens to the certificate where there is one`() throws {
        let login = try `a login`.login(
            "profile: fapi2\nrequest_object: { key: { file: request.key } }",
            authentication: "method: tls_client_auth, certificate: tls.crt, key: { file: tls.key }")
        #expect(login.dpop == .off)
        #expect(login.authorization.form == .pushedSigned)
    }

    @Test func `may be said beside what it means`() throws {
        let login = try `a login`.login(
            """
            profile: fapi2
            authorization_request: pushed_signed
            response_mode: form_post.jwt
            dpop: required
            id_token: { algorithm: ES256 }
            """, authentication: `a login`.assertions)
        #expect(login.authorization.responseMode == .formPostJWT)
    }
}

@Suite struct `a session and its logouts` {
    @Test(.holds("SC-01", "SC-02")) func `is in a cookie of its own, Lax, for half an hour and eight hours`() throws {
        let session = try `a login`.login().session
        #expect(session.store == .cookie)
        #expect(session.cookieName == "__Host-portcullis-shop")
        #expect(session.sameSite == .lax)
        #expect(session.idle == .seconds(1800))
        #expect(session.absolute == .seconds(28_800))
        #expect(session.keys.isEmpty)
        #expect(session.limit == 100_000)
    }

    @Test(.holds("SC-01", "SC-02", "SC-08")) func `is what the file says`() throws {
        let login = try `a login`.login(
            "session: { store: memory, cookie: __Host-a, same_site: strict, idle: 1m, absolute: 24h, limit: 500, script_claims: [name] }"
        )
        #expect(login.session.store == .memory)
        #expect(login.session.cookieName == "__Host-a")
        #expect(login.session.sameSite == .strict)
        #expect(login.session.idle == .seconds(60))
        #expect(login.session.absolute == .seconds(86_400))
        #expect(login.session.limit == 500)
        #expect(login.scriptClaims == ["name"])
        #expect(login.uses.claimNames == ["name"])
    }

    @Test(.refuses("SC-08")) func `is never idle for longer than it lasts`() throws {
        #expect(try `a login`.login("session: { absolute: 10m }").session.idle == .seconds(600))
    }

    @Test(.holds("SC-04", "SC-15")) func `is sealed by 32 bytes, however they are written`() throws {
        let session = try `a login`.login(
            "session: { keys: [{ file: raw.session }, { file: hex.session }, { file: base64.session }, { file: other.session }] }"
        ).session
        #expect(session.keys.map(\.count) == [32, 32, 32, 32])
        #expect(session.keys[0].reveal() == Array(0..<32))
        #expect(session.keys[2].reveal().suffix(2) == [0xFB, 0xFF])
        let text = try `a login`.login("session: { keys: [{ file: base64url.session }] }").session
        #expect(text.keys[0].reveal() == Array(0..<32))
    }

    @Test(.holds("LO-10")) func `may be ended by the server where its end is remembered as long as it could live`()
        throws
    {
        let text = Sample.login("session: { store: memory }\nlogout: { backchannel: true, require_type: true }")
        #expect(try warnings(of: text) == "")
        let logout = try settings(of: text).logins[0].logout
        #expect(logout.backchannel && logout.requiresType && logout.atServer)
        // Without keys a restart ends all sessions, and none that was ended comes back.
        let own = try warnings(of: Sample.login("logout: { backchannel: true }"))
        #expect(!own.contains("endings that last"), "\(own)")
    }

    @Test(.holds("LO-02")) func `ends as the file says`() throws {
        let logout = try `a login`.login(
            "logout: { post_hint: true, frontchannel: true, landing: /goodbye?a=b, backchannel: true, accept_without_expiry: true }"
        ).logout
        #expect(logout.postsHint && logout.frontchannel && logout.acceptsWithoutExpiry)
        #expect(logout.landing == "/goodbye?a=b")
        #expect(try `a login`.login().logout.landing == nil)
    }
}
