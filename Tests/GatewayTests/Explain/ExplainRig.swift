import Access
import Explain
import Crypto
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
    /// The client's proof; nil sends none.
    var proof: Proof?
    /// The SHA-256 digest of the client's certificate.
    var certificate: SHA256Digest?
    var peer = "127.0.0.1"
    /// It comes by HTTP/2.
    var isHTTP2 = false
    /// What the issuer says of a token when it is asked; nil is no answer.
    var answer: IntrospectionAnswer.Result?
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
        token.rights.scopesByMethod = ["GET": ["orders:read"], "POST": ["orders:read", "orders:write"]]
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

    /// A proof that fits the request, with these changes.
    struct Proof {
        static let key = SigningKey(.p256)

        var key = Proof.key
        var algorithm: SignatureAlgorithm?
        var id = "proof-1"
        var header: [String: String?] = [:]
        var claims: [String: String?] = [:]
        var count = 1
    }

    /// Makes it a request with a token that is bound to the client's key, and a proof.
    mutating func proveByDPoP() {
        policy.schemes = [.dpop, .bearer]
        scheme = "DPoP"
        claims["cnf"] = "{\"jkt\":\"\(ProofMint(key: Proof.key).thumbprint)\"}"
        proof = Proof()
    }

    /// Makes it a call of this method of a gRPC service, of which the route names three.
    mutating func call(_ gRPCMethod: String) {
        settings.routes[0].path = "/shop.Orders/"
        settings.routes[0].isGRPC = true
        policy.rights = RightsSettings(scopesByGRPCMethod: [
            "/shop.Orders/Get": ["orders:read"], "/shop.Orders/Put": ["orders:write"], "/shop.Stock/*": ["stock"],
        ])
        method = "POST"
        isHTTP2 = true
        fields = ["Content-Type: application/grpc", "TE: trailers"]
        url = "https://shop.example.com/shop.Orders/\(gRPCMethod)"
    }

    /// Makes it the handshake of a WebSocket, as HTTP/1.1 has it.
    mutating func offerWebSocket() {
        fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
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
        let explainer = try Explainer(
            settings, now: Self.now,
            keys: { index in
                guard let keys else { return .failure(KeysMissing(reason: "connect_failed (fetch: connect failed)")) }
                do throws(KeysMissing) {
                    return .success(try ReadKeys.given(Array(keys.utf8), for: settings.issuers[index]))
                } catch {
                    return .failure(error)
                }
            },
            answer: { index, _, digest in
                answer.map { IntrospectionAnswer(digest: digest, issuer: index, workers: [], result: $0) }
            })
        var circumstances = DryRun.Circumstances()
        circumstances.certificate = certificate
        circumstances.peer = peer
        circumstances.isHTTP2 = isHTTP2
        return try explainer.explain(bytes(), circumstances)
    }

    func bytes() throws -> [UInt8] {
        if let head { return SavedRequest.head(Array(head.utf8)) }
        let token = token ?? mint.accessToken(header: header, claims: claims)
        var text = Array("\(method) \(target) HTTP/1.1\r\nHost: \(authority)\r\n".utf8)
        if let scheme { text += Array("Authorization: \(scheme) \(token)\r\n".utf8) }
        if let proof {
            let mint = ProofMint(
                key: proof.key, algorithm: proof.algorithm, method: method,
                target: String(url.prefix { $0 != "?" }), token: token, now: Self.now)
            let line = "DPoP: \(mint.proof(id: proof.id, header: proof.header, claims: proof.claims))\r\n"
            for _ in 0..<proof.count { text += Array(line.utf8) }
        }
        for field in fields { text += Array("\(field)\r\n".utf8) }
        return text + [0x0D, 0x0A]
    }

    private var authority: String { String(url.dropFirst("https://".count).prefix { $0 != "/" }) }
    private var target: String { String(url.dropFirst("https://".count + authority.count)) }
}
