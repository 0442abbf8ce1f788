import TestSupport
import Access
import Crypto
import Issuers
import JOSE
import Login
import OAuth
import Sessions

@testable import Gateway

/// A worker with routes that take sessions, which never serves: its checks are called by hand.
struct LoginWorker {
    let gateway: Gateway
    let worker: WorkerRef

    init(
        _ routes: [LoginAccessSettings] = [LoginWorker.access()], identity: [IdentityFieldSettings] = [],
        credential: UpstreamCredentialSettings = .none, tokenCache: TokenCacheSettings = TokenCacheSettings()
    ) throws {
        let url = "https://issuer.example/"
        var settings = GatewaySettings(
            workers: 1,
            listeners: [
                ListenerSettings(
                    address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "https://shop.example",
                    authorities: ["shop.example"])
            ],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)),
            issuers: [IssuerSettings(name: "main", url: url, rules: AccessTokenRules(issuer: url))],
            routes: routes.enumerated().map { index, access in
                var route = RouteSettings(
                    name: "r\(index)", path: index == 0 ? "/" : "/\(index)/",
                    upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .login(access))
                route.identity = identity
                route.credential = credential
                return route
            })
        settings.tokenCache = tokenCache
        settings.clients = [
            ClientSettings(
                name: "shop", issuer: 0,
                credentials: try ClientCredentials(
                    clientID: "shop-web", method: .secretBasic(Secret(Array("a-secret-of-the-client".utf8)))))
        ]
        settings.logins = [Self.login("shop")]
        gateway = try Gateway(settings, version: "test", explain: { _, _ in [] })
        worker = gateway.workers[0].worker
    }

    static func login(_ name: String) -> LoginSettings {
        var settings = LoginSettings(
            name: name, client: 0, authorization: AuthorizationRequestSettings(form: .plain),
            idToken: IDTokenRules(
                issuer: "https://issuer.example/", clientID: "shop-web", signature: .algorithms([.es256])),
            session: SessionSettings(
                cookieName: "__Host-portcullis-\(name)", keys: [Secret([UInt8](repeating: 7, count: 32))]))
        settings.uses.keepsAccessToken = true
        return settings
    }

    static func access(
        acr: [String] = [], maximumAge: Int? = nil, login: Int = 0
    ) -> LoginAccessSettings {
        var rights = RightsSettings()
        rights.acrValues = acr
        rights.maximumAge = maximumAge.map { .seconds($0) }
        return LoginAccessSettings(login: login, rights: rights)
    }
}
