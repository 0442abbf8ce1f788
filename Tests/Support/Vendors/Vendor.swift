import Bytes
import Crypto
import JOSE

/// A server as its vendor documents it: what it says of itself, and the shapes of what it sends.
///
/// Addresses, names and numbers are those of the example of the same name. In texts of claims and answers `$NOW`, `$AUTH`
/// and `$HASH` stand for the moment, the moment of the sign-in and the access token's hash.
package struct Vendor: Sendable, CustomStringConvertible {
    /// The example's name.
    package let name: String
    /// Scheme and host of the issuer identifier.
    package let origin: String
    /// The rest of it.
    package var path = ""
    /// The client of the example.
    package let clientID: String
    /// `sub` of ID tokens.
    package let subject: String
    /// Members of the metadata beside `issuer`, as JSON.
    package let metadata: String
    /// The line of the example without which its metadata does not suit.
    package var relaxation: String?
    /// Parameters of an authorization response beside `code` and `state`.
    package var responseParameters = ""
    /// Members of a token response beside the tokens and their lifetime, as JSON.
    package var tokenMembers: String?
    /// Whether logins get a refresh token.
    package var givesRefreshToken = true
    /// Members of ID tokens' headers beside `alg` and `kid`.
    package var idTokenHeader = "\"typ\":\"JWT\","
    /// Claims of ID tokens beside `iss`, `sub`, `iat`, `exp` and `nonce`.
    package let idTokenClaims: String
    /// What the userinfo endpoint says; nil where the example does not ask it.
    package var userInfo: String?
    /// The access tokens, where an API here takes them.
    package var accessToken: AccessToken?
    /// Claims of a logout token beside `iss`, `iat` and `exp`, where the example takes any.
    package var logoutClaims: String?
    /// Whether a browser brings `state` back from the server's logout.
    package var returnsLogoutState = true
    /// What the upstream is told of a user who logged in, by field.
    package let identity: [String: String]

    /// The shape of access tokens, which are JWTs.
    package struct AccessToken: Sendable {
        /// Members of the header beside `alg` and `kid`.
        package var header = "\"typ\":\"JWT\","
        /// `aud`, as JSON.
        package let audience: String
        /// Claims beside `iss`, `aud`, `iat` and `exp`.
        package let claims: String
        /// A text of the claims without which one gets nobody into the example's API, and another for its place.
        package var withoutRights: (String, String)?
        /// Members of the server's answer about one; nil where it is not asked.
        package var introspection: String?
        /// What the upstream is told of its bearer, by field.
        package let identity: [String: String]
    }

    package var description: String { name }
    /// The issuer identifier.
    package var issuer: String { origin + path }

    /// Where the metadata is: OpenID Connect Discovery §4.
    package var metadataPath: String {
        (path.hasSuffix("/") ? String(path.dropLast()) : path) + "/.well-known/openid-configuration"
    }
}

/// Tokens of one login, by a server at `issuer`.
extension Vendor {
    /// Key of all tokens.
    package static let key = SigningKey.rsa

    /// An ID token.
    package func idToken(
        issuer: String, now: Int64, signedInAt: Int64? = nil, nonce: String?, accessToken: String,
        changed: (String, String)? = nil
    ) -> String {
        let shape = changed.map { Self.replaced(idTokenClaims, $0.0, $0.1) } ?? idTokenClaims
        let claims = filled(shape, now, signedInAt ?? now, hash: Self.hash(of: accessToken))
        let once = nonce.map { "\"nonce\":\"\($0)\"," } ?? ""
        return Self.sign(
            idTokenHeader,
            "{\"iss\":\"\(issuer)\",\"sub\":\"\(subject)\",\"iat\":\(now),\"exp\":\(now + 300),\(once)\(claims)}")
    }

    /// An access token; an opaque one where they are nobody's here.
    ///
    /// - Parameters:
    ///   - audience: another `aud` than its own, as JSON.
    ///   - changed: a text of its claims, and what to write in its place.
    package func accessToken(
        issuer: String, now: Int64, number: Int = 1, audience: String? = nil, changed: (String, String)? = nil
    ) -> String {
        guard let accessToken else { return "ya29.a0Af-\(number)-\(UInt64.random(in: 1 << 60...UInt64.max))" }
        let shape = changed.map { Self.replaced(accessToken.claims, $0.0, $0.1) } ?? accessToken.claims
        let claims = Self.replaced(filled(shape, now, now, hash: ""), "$NUMBER", "\(number)")
        return Self.sign(
            accessToken.header,
            """
            {"iss":"\(issuer)","aud":\(audience ?? accessToken.audience),"iat":\(now),"exp":\(now + 300),\(claims)}
            """)
    }

    /// A text with what stands for moments and hashes replaced.
    package func filled(_ text: String, _ now: Int64, _ signedInAt: Int64, hash: String) -> String {
        [("$NOW", "\(now)"), ("$AUTH", "\(signedInAt)"), ("$HASH", hash)].reduce(text) { Self.replaced($0, $1.0, $1.1) }
    }

    private static func replaced(_ text: String, _ old: String, _ new: String) -> String {
        text.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }

    /// A JWT of the server's, of any kind.
    package static func sign(_ header: String, _ claims: String) -> String {
        TokenMint.sign(
            header: "{\(header)\"alg\":\"RS256\",\"kid\":\"\(key.keyID ?? "")\"}", claims: claims, key: key,
            algorithm: .rs256)
    }

    /// `at_hash`: the left half of SHA-256 (OpenID Connect Core §3.1.3.6).
    private static func hash(of token: String) -> String {
        let digest = Array(SHA256.hash(Array(token.utf8).span).base64URL.utf8)
        return Base64URL.encode(Array((Base64URL.decode(digest.span) ?? []).prefix(16)).span)
    }
}
