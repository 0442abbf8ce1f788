import Bytes
import Crypto
public import JOSE

/// A client's pen for tests: writes DPoP proofs that are right, or wrong in exactly the way asked for.
public struct ProofMint: Sendable {
    /// The key it signs with and puts in `jwk`.
    public var key: SigningKey
    /// The `alg` it signs by.
    public var algorithm: SignatureAlgorithm
    /// The `htm` it writes.
    public var method: String
    /// The `htu` it writes.
    public var target: String
    /// The token whose digest is `ath`.
    public var token: String
    /// The time it believes it is, in seconds since 1970.
    public var now: Int64

    /// A pen for one client, request and token.
    public init(
        key: SigningKey = .p256, algorithm: SignatureAlgorithm? = nil, method: String = "GET",
        target: String = "https://api.example/orders", token: String = "token", now: Int64 = 1_800_000_000
    ) {
        self.key = key
        self.algorithm = algorithm ?? key.algorithm
        self.method = method
        self.target = target
        self.token = token
        self.now = now
    }

    /// The key's RFC 7638 thumbprint, as `cnf.jkt` spells it.
    public var thumbprint: String {
        let order = ["crv", "e", "kty", "n", "x", "y"]
        let members = key.publicMembers.sorted {
            (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0)
        }
        let text = Array(("{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}").utf8)
        return SHA256.hash(text.span).base64URL
    }

    /// A proof with this `jti`.
    ///
    /// `header` and `claims` are raw JSON values by name: they add a member, replace one, or with nil remove it.
    public func proof(
        id: String = "proof-1", header: [String: String?] = [:], claims: [String: String?] = [:]
    ) -> String {
        TokenMint.sign(
            header: headerText(header), claims: claimsText(id: id, claims), key: key, algorithm: algorithm)
    }

    /// The header's JSON text, as `proof` would write it.
    public func headerText(_ changes: [String: String?] = [:]) -> String {
        let jwk = "{" + key.publicMembers.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        return TokenMint.object(
            [("typ", "\"dpop+jwt\""), ("alg", "\"\(algorithm.name)\""), ("jwk", jwk)], changes)
    }

    /// The claims' JSON text, as `proof` would write it.
    public func claimsText(id: String = "proof-1", _ changes: [String: String?] = [:]) -> String {
        let token = Array(token.utf8)
        return TokenMint.object(
            [
                ("jti", "\"\(id)\""), ("htm", "\"\(method)\""), ("htu", "\"\(target)\""), ("iat", "\(now)"),
                ("ath", "\"\(SHA256.hash(token.span).base64URL)\""),
            ], changes)
    }
}
