import Bytes
import COpenSSL
public import Crypto
public import JOSE

/// An issuer's pen for tests: writes tokens that are right, or wrong in exactly the way asked for.
public struct TokenMint: Sendable {
    /// The `iss` it writes.
    public var issuer: String
    /// The `aud` it writes.
    public var audience: String
    /// The key it signs with.
    public var key: SigningKey
    /// The `alg` it signs by.
    public var algorithm: SignatureAlgorithm
    /// The time it believes it is, in seconds since 1970.
    public var now: Int64

    /// A mint for one issuer and key.
    public init(
        issuer: String = "https://issuer.example/", audience: String = "https://api.example/",
        key: SigningKey = .p256, algorithm: SignatureAlgorithm? = nil, now: Int64 = 1_800_000_000
    ) {
        self.issuer = issuer
        self.audience = audience
        self.key = key
        self.algorithm = algorithm ?? key.algorithm
        self.now = now
    }

    /// The JWK Set this issuer publishes.
    public var keySet: String { SigningKey.keySet([key]) }

    /// An RFC 9068 access token.
    ///
    /// `header` and `claims` are raw JSON values by name: they add a member, replace one, or with nil remove it.
    public func accessToken(header: [String: String?] = [:], claims: [String: String?] = [:]) -> String {
        Self.sign(header: headerText(header), claims: claimsText(claims), key: key, algorithm: algorithm)
    }

    /// The header's JSON text, as `accessToken` would write it.
    public func headerText(_ changes: [String: String?] = [:]) -> String {
        var members = [("typ", "\"at+jwt\""), ("alg", "\"\(algorithm.name)\"")]
        if let keyID = key.keyID { members.append(("kid", "\"\(keyID)\"")) }
        return Self.object(members, changes)
    }

    /// The claims' JSON text, as `accessToken` would write it.
    public func claimsText(_ changes: [String: String?] = [:]) -> String {
        Self.object(
            [
                ("iss", "\"\(issuer)\""), ("sub", "\"user-1\""), ("aud", "\"\(audience)\""),
                ("client_id", "\"client-1\""), ("exp", "\(now + 300)"), ("iat", "\(now)"), ("jti", "\"token-1\""),
                ("scope", "\"orders:read orders:write\""),
            ], changes)
    }

    /// A compact JWS over exactly these texts.
    public static func sign(
        header: String, claims: String, key: SigningKey, algorithm: SignatureAlgorithm,
        salt: SigningKey.Salt = .hashLength
    ) -> String {
        let input = signingInput(header: header, payload: Array(claims.utf8))
        let signature = key.sign(Array(input.utf8), by: algorithm, salt: salt)
        return input + "." + Base64URL.encode(signature.span)
    }

    /// A compact JWS with an HMAC, whatever the header says.
    public static func authenticate(header: String, claims: String, secret: [UInt8], hash: HashFunction) -> String {
        let input = signingInput(header: header, payload: Array(claims.utf8))
        var code = [UInt8](repeating: 0, count: hash.length)
        var count = UInt32(code.count)
        let function =
            switch hash {
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        HMAC(function, secret, Int32(secret.count), Array(input.utf8), input.utf8.count, &code, &count)
        return input + "." + Base64URL.encode(code.span)
    }

    /// `header.payload` in base64url.
    public static func signingInput(header: String, payload: [UInt8]) -> String {
        let header = Array(header.utf8)
        return Base64URL.encode(header.span) + "." + Base64URL.encode(payload.span)
    }

    static func object(_ members: [(String, String)], _ changes: [String: String?]) -> String {
        var members = members
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            let place = members.firstIndex { $0.0 == name }
            if let place { members.remove(at: place) }
            if let value { members.insert((name, value), at: place ?? members.endIndex) }
        }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}
