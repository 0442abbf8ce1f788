import Access
import Crypto
import Gateway
import Issuers
import JOSE
import JSON
import Login
import OAuth
import Sessions
import TestTraits
import Testing

@testable import Configuration

@Suite struct `a login` {
    static let assertions = "method: private_key_jwt, key: { file: signing.key }"

    static func login(
        _ keys: String = "", authentication: String = "method: client_secret_basic, secret: { file: other.secret }",
        route: String = "login: shop", rest: String = ""
    ) throws -> LoginSettings {
        let text = Sample.login(keys, authentication: authentication, route: route, rest: rest)
        return try #require(settings(of: text).logins.first)
    }

    @Test func `is a client that a route names, and asks for little by default`() throws {
        let loaded = try settings(of: Sample.login())
        let login = try #require(loaded.logins.first)
        #expect(loaded.logins.count == 1)
        #expect(login.name == "shop")
        #expect(login.client == 0)
        #expect(login.authorization.form == .plain)
        #expect(login.authorization.responseMode == .query)
        #expect(login.authorization.scopes == ["openid"])
        #expect(login.keys.requestObject == nil)
        #expect(login.dpop == .off)
        #expect(login.userInfo == .off)
        #expect(login.idToken.issuer == "https://id.example.com/")
        #expect(login.idToken.clientID == "shop-web")
        #expect(login.uses.claimNames == [])
        #expect(!login.uses.keepsAccessToken && !login.isFAPI && login.refreshes && login.start.keepsFragment)
        guard case .login(let access) = loaded.routes[0].access else {
            Issue.record("another access")
            return
        }
        #expect(access.login == 0)
        #expect(loaded.issuers[0].readsEndpoints)
    }

    @Test func `is none while no route names the client`() throws {
        let loaded = try settings(of: Sample.login(route: "public: true"))
        #expect(loaded.logins.isEmpty)
    }

    @Test func `has the place that its route says, also behind clients that are no logins`() throws {
        let text = Sample.login(
            route:
                "login: web, upstream_credential: { exchange: { client: shop, audience: a } } }, { path: /b, upstream: http://127.0.0.1:3000, login: { client: shop-b }",
            rest: """
                  web: { issuer: main, id: w, authentication: { method: client_secret_post, secret: { file: other.secret } } }
                  shop-b: { issuer: main, id: b, authentication: { method: client_secret_post, secret: { file: other.secret } } }
                """)
        let loaded = try settings(of: text)
        #expect(loaded.logins.map(\.name) == ["web", "shop-b"])
        #expect(loaded.logins.map(\.client) == [1, 2])
        #expect(loaded.routes.map { $0.access.login?.login } == [0, 1])
        #expect(loaded.logins.map(\.uses.keepsAccessToken) == [true, false])
    }

    @Test(.holds("JAR-01", "PAR-07"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `sends its request in each of five forms`(form: AuthorizationRequestSettings.Form) throws {
        let login = try Self.login(
            "authorization_request: \(form.rawValue)", authentication: Self.assertions)
        #expect(login.authorization.form == form)
        // By the key of its assertions, where nothing else is said.
        #expect(login.keys.requestObject?.algorithm == (form.isSigned ? .es256 : nil))
    }

    @Test(.holds("JAR-01"), arguments: [("RS256", SignatureAlgorithm.rs256), ("RS384", .rs384), ("PS256", .ps256)])
    func `signs as Auth0 takes it`(name: String, algorithm: SignatureAlgorithm) throws {
        let login = try Self.login(
            """
            authorization_request: pushed_signed
            request_object: { key: { file: rsa.key }, algorithm: \(name), key_id: there }
            """, authentication: "method: client_secret_post, secret: { file: other.secret }")
        #expect(login.keys.requestObject?.algorithm == algorithm)
        #expect(login.keys.requestObject?.keyID == "there")
    }

    @Test(.holds("JAR-02")) func `has the typ of RFC 9101 unless the older one is chosen`() throws {
        let form = "authorization_request: signed"
        #expect(
            try Self.login(form, authentication: Self.assertions).authorization.objectType == .authorizationRequest)
        #expect(
            try Self.login("\(form)\nrequest_object: { type: JWT }", authentication: Self.assertions).authorization
                .objectType == .jwt)
    }

    @Test func `says of a request object what the file says`() throws {
        let authorization = try Self.login(
            """
            authorization_request: signed_by_reference
            request_object: { lifetime: 2m, encryption: { algorithm: RSA-OAEP-256 }, sha256_fragment: true, repeat_parameters: true }
            """, authentication: Self.assertions
        ).authorization
        #expect(authorization.objectLifetime == .seconds(120))
        #expect(authorization.encryption == .init(algorithm: "RSA-OAEP-256", encoding: "A256GCM"))
        #expect(authorization.hashesRequestURI)
        #expect(authorization.repeatsParameters)
    }

    @Test func `asks for what the file says`() throws {
        let authorization = try Self.login(
            """
            scopes: [openid, profile]
            response_mode: form_post.jwt
            resource: https://api.example.com
            audience: orders
            acr_values: [urn:example:mfa]
            max_age: 1h
            prompt: login consent
            ui_locales: de en
            login_hint: jo@example.com
            userinfo: optional
            claims: { userinfo: { email: null }, id_token: { acr: { essential: true, values: [a, 1] } } }
            authorization_details: [{ type: orders, actions: [read], limit: { amount: 5, note: "1.5" } }]
            """
        ).authorization
        #expect(authorization.scopes == ["openid", "profile"])
        #expect(authorization.responseMode == .formPostJWT)
        #expect(authorization.resources == ["https://api.example.com"])
        #expect(authorization.audience == "orders")
        #expect(authorization.acrValues == ["urn:example:mfa"])
        #expect(authorization.maximumAge == 3600)
        #expect(authorization.prompt == "login consent")
        #expect(authorization.uiLocales == "de en")
        #expect(authorization.loginHint == "jo@example.com")
        #expect(
            text(authorization.claims)
                == #"{"userinfo":{"email":null},"id_token":{"acr":{"essential":true,"values":["a",1]}}}"#)
        #expect(
            text(authorization.authorizationDetails)
                == #"[{"type":"orders","actions":["read"],"limit":{"amount":5,"note":"1.5"}}]"#)
    }

    private func text(_ value: JSONValue?) -> String {
        var writer = JSONWriter()
        if let value { writer.value(value) }
        return writer.text
    }

    @Test(.holds("CF-01", "CF-02")) func `has one redirect_uri for each public URL, and asks for codes alone`() throws {
        let loaded = try settings(of: Sample.login("logout: { backchannel: true }"))
        // A Unix socket beside a port, with the same public URL: what is registered is registered once.
        var twice = loaded
        twice.listeners.append(loaded.listeners[0])
        for settings in [loaded, twice] {
            #expect(
                LoginAddresses.all(settings).map { "\($0.login) \($0.name) \($0.url)" } == [
                    "shop redirect_uri https://shop.example.com/.portcullis/callback/shop",
                    "shop post_logout_redirect_uri https://shop.example.com/.portcullis/logged-out/shop",
                    "shop backchannel_logout_uri https://shop.example.com/.portcullis/backchannel-logout/shop",
                ])
        }
        #expect(loaded.logins[0].authorization.responseMode == .query)
    }

    @Test(.holds("CF-05"), .refuses("CF-05")) func `believes in PKCE where the file does, and not otherwise`() throws {
        #expect(try !Self.login().assumesPKCE)
        #expect(try Self.login("assume_pkce: true").assumesPKCE)
    }

    @Test(.holds("CA-01", "CA-04")) func `authenticates as its client does`() throws {
        let text = Sample.login(authentication: "method: client_secret_jwt, secret: { file: other.secret }")
        let loaded = try settings(of: text)
        guard case .secretJWT(.hs256, _) = loaded.clients[loaded.logins[0].client].credentials.method else {
            Issue.record("another method")
            return
        }
    }

    @Test(.holds("CA-10")) func `may sign requests and assertions by one key, and by two`() throws {
        let one = try Self.login("authorization_request: signed", authentication: Self.assertions)
        let two = try Self.login(
            """
            authorization_request: signed
            request_object: { key: { file: second.key } }
            """, authentication: Self.assertions, rest: "assertion_keys: { files: [edwards.key] }")
        #expect(one.keys.requestObject?.keyID != two.keys.requestObject?.keyID)
    }

    @Test(.holds("MD-31")) func `publishes the next key under its thumbprint, or the name that it was given`() throws {
        let login = try Self.login(
            """
            published_keys: [{ file: next.key }, { file: rsa.key, algorithm: RS256, key_id: last }]
            decryption_keys: [{ key: { file: decryption.key } }]
            """, authentication: Self.assertions)
        #expect(login.keys.published.count == 2)
        #expect(login.keys.published[0].keyID == login.keys.published[0].thumbprint.base64URL)
        #expect(login.keys.published[1].keyID == "last")
        #expect(login.keys.published[1].algorithm == .rs256)
        #expect(login.keys.decryption.map(\.algorithm) == ["ECDH-ES+A256KW"])
    }

    @Test(.holds("OIDC-05", "OIDC-06")) func `takes ID tokens as they were registered`() throws {
        guard case .algorithms([.rs256]) = try Self.login().idToken.signature,
            case .algorithms([.es256, .ps256]) = try Self.login("id_token: { algorithm: [ES256, PS256] }").idToken
                .signature,
            case .secret(.hs256, let secret) = try Self.login("id_token: { algorithm: HS256 }").idToken.signature
        else {
            Issue.record("another signature")
            return
        }
        #expect(secret.count == 40)
        let rules = try Self.login(
            """
            id_token: { encrypted: true, trusted_audiences: [api], leeway: 5s }
            decryption_keys: [{ key: { file: rsa.key }, algorithm: RSA-OAEP, key_id: enc }]
            """
        ).idToken
        #expect(rules.mustBeEncrypted)
        #expect(rules.trustedAudiences == ["api"])
        #expect(rules.leewaySeconds == 5)
    }

    @Test(.holds("OIDC-14")) func `may belong to one tenant`() throws {
        let text = Sample.login(issuer: "url: https://login.example.com/2f3c/v2.0")
        #expect(try settings(of: text).logins[0].idToken.issuer == "https://login.example.com/2f3c/v2.0")
    }

    @Test func `passes on what else the file says`() throws {
        let login = try Self.login(
            """
            dpop: required
            userinfo: required
            require_verified_email: true
            lenient_expires_in: true
            third_party_start: true
            keep_fragment: false
            refresh: false
            """)
        #expect(login.dpop == .required)
        #expect(login.userInfo == .required)
        #expect(login.requiresVerifiedEmail && login.lenientExpiresIn && login.start.allowsThirdParty)
        #expect(!login.start.keepsFragment && !login.refreshes)
    }
}
