// SPDX-License-Identifier: Apache-2.0
import Gateway
import Issuers
import JOSE
import OAuth
import TestSupport

/// One shop behind one gateway, and a request to it that is right in everything; tests make one mistake in it.
struct ExplainRig {
    static let now: Int64 = 1_800_000_000

    var settings: GatewaySettings
    var mint: TokenMint
    var method = "GET"
    var url = "https://shop.example.com/api/orders/7"
    var fields: [String] = []
    /// Nil sends no credentials.
    var scheme: String? = "Bearer"
    var header: [String: String?] = [:]
    var claims: [String: String?] = [:]
    /// In place of the minted token.
    var token: String?
    /// In place of everything above.
    var head: String?
    /// The keys at hand; nil are not to be had.
    var keys: String?

    init() {
        mint = TokenMint(
            issuer: "https://id.example.com/", audience: "https://shop.example.com/api", key: .p256, now: Self.now)
        keys = mint.keySet
        let upstream = UpstreamSettings(host: "127.0.0.1", port: 3001)
        var token = TokenSettings(issuers: ["main"], audiences: ["https://shop.example.com/api"])
        token.scopesByMethod = ["GET": ["orders:read"], "POST": ["orders:read", "orders:write"]]
        var orders = RouteSettings(name: "orders", path: "/api/orders/", upstream: upstream, access: .token(token))
        orders.identity = [IdentityFieldSettings(name: "X-User-Id", claim: ["sub"])]
        let health = RouteSettings(name: "/health", path: "/health", upstream: upstream, access: .publicAccess)
        settings = GatewaySettings(
            workers: 1,
            listeners: [
                ListenerSettings(
                    address: SocketAddressSettings(host: "127.0.0.1", port: 8080),
                    publicURL: "https://shop.example.com", authorities: ["shop.example.com"])
            ],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 9901)),
            issuers: [
                IssuerSettings(
                    name: "main", url: "https://id.example.com/",
                    rules: AccessTokenRules(issuer: "https://id.example.com/", algorithms: [.es256, .rs256])),
                IssuerSettings(
                    name: "partners", url: "https://partners.example.com",
                    rules: AccessTokenRules(issuer: "https://partners.example.com", algorithms: [.es256])),
            ],
            routes: [orders, health])
    }

    /// The token rules of the route `orders`.
    var policy: TokenSettings {
        get {
            guard case .token(let policy) = settings.routes[0].access else { preconditionFailure("no token route") }
            return policy
        }
        set { settings.routes[0].access = .token(newValue) }
    }

    /// Explains the request.
    func explain() throws -> Explanation {
        let explainer = try Explainer(settings, now: Self.now) { index in
            guard let keys else { return .failure(KeysMissing(reason: "connect_failed (fetch: connect failed)")) }
            do throws(KeysMissing) {
                return .success(try ReadKeys.given(Array(keys.utf8), for: settings.issuers[index]))
            } catch {
                return .failure(error)
            }
        }
        return try explainer.explain(bytes(), DryRun.Circumstances())
    }

    private func bytes() throws -> [UInt8] {
        if let head { return SavedRequest.head(Array(head.utf8)) }
        var draft = RequestDraft(url: url)
        draft.method = method
        draft.fields = fields
        if let scheme {
            draft.credentials = (scheme, Array((token ?? mint.accessToken(header: header, claims: claims)).utf8))
        }
        return try draft.head()
    }
}
