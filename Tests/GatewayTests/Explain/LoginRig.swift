import Access
import Crypto
import Gateway
import HTTPMessage
import Issuers
import Login
import OAuth
import Sessions
import TestSupport
import Testing

/// The same shop, whose orders are for browsers that logged in.
extension ExplainRig {
    static let sessionCookie = "__Host-portcullis-shop"
    static let sessionKey = Secret([UInt8](repeating: 7, count: 32))

    /// A page of the shop, asked for by a browser's window.
    static func browser() throws -> ExplainRig {
        var rig = ExplainRig()
        rig.settings.clients = [
            ClientSettings(
                name: "shop", issuer: 0,
                credentials: try ClientCredentials(
                    clientID: "shop-web", method: .secretBasic(Secret(Array("a secret of the client".utf8)))))
        ]
        var login = LoginSettings(
            name: "shop", client: 0, authorization: AuthorizationRequestSettings(form: .pushed),
            idToken: IDTokenRules(issuer: "https://id.example.com/", clientID: "shop-web"),
            session: SessionSettings(cookieName: sessionCookie, keys: [sessionKey]))
        login.uses.keepsAccessToken = true
        rig.settings.logins = [login]
        let scopes = ["GET": ["orders:read"], "POST": ["orders:read", "orders:write"]]
        rig.settings.routes[0].access = .login(
            LoginAccessSettings(login: 0, rights: RightsSettings(scopesByMethod: scopes)))
        rig.settings.routes[0].credential = .pass
        rig.scheme = nil
        rig.fields = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Sec-Fetch-Site: none"]
        return rig
    }

    /// What the route says of logins.
    var login: LoginAccessSettings {
        get {
            settings.routes[0].access.login ?? LoginAccessSettings(login: 0)
        }
        set { settings.routes[0].access = .login(newValue) }
    }

    static func session(claims: String = "{\"iss\":\"https://id.example.com/\",\"sub\":\"user-1\"}") -> Session {
        var session = Session(
            id: [UInt8](repeating: 1, count: 16), client: "shop", issuer: "https://id.example.com/", subject: "user-1",
            claims: Array(claims.utf8), scopes: ["openid", "orders:read"], createdAt: now - 600,
            endsAt: now + 28_200)
        session.seenAt = now - 10
        session.accessToken = Secret(Array("the-access-token".utf8))
        session.accessTokenIssuedAt = now - 600
        session.accessTokenExpiresAt = now + 3000
        session.proofKey = Secret([UInt8](repeating: 9, count: 32))
        session.refreshToken = Secret(Array("the-refresh-token".utf8))
        return session
    }

    /// The value that a session is sealed to, with the configured keys or with others.
    static func seal(_ session: Session, keys: [Secret] = [sessionKey], client: String = "shop") async throws -> String
    {
        var settings = SessionSettings(cookieName: sessionCookie, keys: keys)
        settings.idle = .seconds(1 << 40)
        settings.absolute = .seconds(1 << 40)
        let store = try CookieSessionStore(settings: settings, client: client, clientID: "shop-web")
        return String(decoding: try await store.create(session, now: session.seenAt), as: UTF8.self)
    }

    /// Has the request bring a session's cookie, beside one of somebody else's.
    mutating func bring(_ value: String) {
        fields.append("Cookie: theme=dark; \(Self.sessionCookie)=\(value)")
    }
}

/// What goes wrong with browsers' sessions, and what becomes of it.
struct LoginMistake: Sendable, CustomTestStringConvertible {
    /// What the request comes to.
    enum End: Sendable, Equatable {
        case refused(Refusal, status: Int)
        case notKnown(OpenQuestion)
        case forwarded, answered
    }

    let name: String
    let end: End
    let make: @Sendable (inout ExplainRig) async throws -> Void

    var testDescription: String { name }

    init(_ name: String, _ end: End, _ make: @escaping @Sendable (inout ExplainRig) async throws -> Void) {
        self.name = name
        self.end = end
        self.make = make
    }

    static let all = withoutSession + deadSessions + pages + rights

    private static let needed = End.refused(.loginRequired, status: 401)

    private static let withoutSession = [
        LoginMistake("login-page", .refused(.loginRequired, status: 303)) { $0.url += "?tab=open&token=abc" },
        LoginMistake("login-script", needed) {
            $0.fields = ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", "Sec-Fetch-Site: same-origin"]
        },
        LoginMistake("login-old-browser-form", .refused(.loginRequired, status: 200)) {
            $0.method = "POST"
            $0.fields = ["Accept: text/html,*/*;q=0.8", "Origin: https://shop.example.com"]
            $0.login.keepsForm = true
        },
        LoginMistake("login-optional", .forwarded) { $0.login.optional = true },
        LoginMistake("login-start", .answered) { $0.url = "https://shop.example.com/.portcullis/login/shop" },
    ]

    private static let deadSessions = [
        LoginMistake("session-key-unknown", needed) { rig in
            rig.fields = []
            rig.bring(try await ExplainRig.seal(ExplainRig.session(), keys: [Secret([UInt8](repeating: 8, count: 32))]))
        },
        LoginMistake("session-changed", needed) { rig in
            rig.fields = []
            let value = try await ExplainRig.seal(ExplainRig.session())
            rig.bring(value.prefix(100) + (value.dropFirst(100).first == "A" ? "B" : "A") + value.dropFirst(101))
        },
        LoginMistake("session-of-another-client", needed) { rig in
            rig.fields = []
            rig.bring(try await ExplainRig.seal(ExplainRig.session(), client: "other"))
        },
        LoginMistake("session-idle", .refused(.loginRequired, status: 303)) { rig in
            var session = ExplainRig.session()
            session.seenAt = ExplainRig.now - 4000
            session.createdAt = ExplainRig.now - 8000
            rig.bring(try await ExplainRig.seal(session))
        },
        LoginMistake("session-over", .refused(.loginRequired, status: 303)) { rig in
            var session = ExplainRig.session()
            session.endsAt = ExplainRig.now - 5
            rig.bring(try await ExplainRig.seal(session))
        },
        LoginMistake("session-twice", needed) { rig in
            let value = try await ExplainRig.seal(ExplainRig.session())
            rig.fields = []
            rig.bring(value)
            rig.bring(value)
        },
        LoginMistake("session-twice-of-a-domain", needed) { rig in
            rig.settings.logins[0].session.domain = "example.com"
            rig.settings.logins[0].session.cookieName = "__Secure-portcullis-shop"
            rig.fields = ["Cookie: __Secure-portcullis-shop=c2VhbGVk; __Secure-portcullis-shop=cGxhbnRlZA"]
        },
        LoginMistake("session-of-a-domain-missing", needed) { rig in
            rig.settings.logins[0].session.domain = "example.com"
            rig.settings.logins[0].session.cookieName = "__Secure-portcullis-shop"
            rig.fields = []
        },
        LoginMistake("session-keys-of-process", .notKnown(.session)) { rig in
            rig.settings.logins[0].session.keys = []
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("session-in-memory", .notKnown(.session)) { rig in
            rig.settings.logins[0].session.store = .memory
            rig.bring("c29tZS1zZXNzaW9uLWluLXRoaXMtcHJvY2Vzcw")
        },
        LoginMistake("session-refresh-due", .notKnown(.sessionTokens)) { rig in
            var session = ExplainRig.session()
            session.accessTokenExpiresAt = ExplainRig.now - 5
            rig.bring(try await ExplainRig.seal(session))
        },
        LoginMistake("session-unconfirmed", .notKnown(.sessionTokens)) { rig in
            rig.login.optional = true
            var session = ExplainRig.session()
            session.isConfirmed = false
            rig.bring(try await ExplainRig.seal(session))
        },
        LoginMistake("session-token-expired", .refused(.loginRequired, status: 303)) { rig in
            rig.settings.logins[0].refreshes = false
            var session = ExplainRig.session()
            session.accessTokenExpiresAt = ExplainRig.now - 5
            rig.bring(try await ExplainRig.seal(session))
        },
    ]

    private static let pages = [
        LoginMistake("page-of-another-site", .refused(.crossSiteRequest, status: 403)) { rig in
            rig.method = "POST"
            rig.fields = ["Sec-Fetch-Site: cross-site", "Origin: https://evil.example"]
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("page-unknown", .refused(.crossSiteRequest, status: 403)) { rig in
            rig.method = "POST"
            rig.fields = []
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("page-header-missing", .refused(.crossSiteRequest, status: 403)) { rig in
            rig.login.requiresHeader = true
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
    ]

    private static let rights = [
        LoginMistake("session-scope", .refused(.sessionScopeInsufficient, status: 403)) { rig in
            rig.method = "POST"
            rig.fields = ["Origin: https://shop.example.com"]
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("session-acr", .refused(.authenticationInsufficient, status: 303)) { rig in
            rig.login.rights.acrValues = ["mfa"]
            rig.login.rights.maximumAge = .seconds(300)
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("session-too-old", .refused(.authenticationTooOld, status: 401)) { rig in
            rig.fields = []
            rig.login.rights.maximumAge = .seconds(300)
            let claims =
                "{\"iss\":\"https://id.example.com/\",\"sub\":\"user-1\",\"auth_time\":\(ExplainRig.now - 600)}"
            rig.bring(try await ExplainRig.seal(ExplainRig.session(claims: claims)))
        },
        LoginMistake("session-claim-rule", .refused(.claimRuleUnmet, status: 403)) { rig in
            rig.login.rights.claims = [ClaimRuleSettings(claim: ["role"], anyOf: ["clerk"])]
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("session-good", .forwarded) { rig in
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("session-beside-tokens", .forwarded) { rig in
            rig.settings.routes[0].access = .tokenOrLogin(
                TokenSettings(issuers: ["main"], audiences: ["https://shop.example.com/api"]), rig.login)
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
        LoginMistake("token-beside-session", .refused(.tokenExpired, status: 401)) { rig in
            rig.settings.routes[0].access = .tokenOrLogin(
                TokenSettings(issuers: ["main"], audiences: ["https://shop.example.com/api"]), rig.login)
            rig.settings.routes[0].credential = .none
            rig.scheme = "Bearer"
            rig.claims["exp"] = "\(ExplainRig.now - 86_400)"
            rig.bring(try await ExplainRig.seal(ExplainRig.session()))
        },
    ]
}
