// SPDX-License-Identifier: Apache-2.0
import Bytes
import Crypto
public import JOSE

/// A client's pen for DPoP proofs in tests: right ones, or ones that are wrong in exactly the way asked for.
public struct ProofMint: Sendable {
    /// The key that proves.
    public var key: SigningKey
    /// The `alg` it signs by.
    public var algorithm: SignatureAlgorithm

    /// A client with this key.
    public init(key: SigningKey = .otherP256, algorithm: SignatureAlgorithm? = nil) {
        self.key = key
        self.algorithm = algorithm ?? key.algorithm
    }

    /// The `cnf.jkt` of tokens that are bound to this client's key (RFC 7638).
    public var thumbprint: String {
        let members = key.publicMembers.sorted { $0.name < $1.name }
        let text = "{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        return SHA256.hash(Array(text.utf8).span).base64URL
    }

    /// `cnf` of a token that is bound to this client's key, as JSON text.
    public var confirmation: String { "{\"jkt\":\"\(thumbprint)\"}" }

    /// A proof for one request (RFC 9449 §4.2); `now` is in seconds since 1970.
    ///
    /// `header` and `claims` are raw JSON values by name: they add a member, replace one, or with nil remove it.
    public func proof(
        _ method: String, _ url: String, token: String?, now: Int64, header: [String: String?] = [:],
        claims: [String: String?] = [:], signedBy other: SigningKey? = nil
    ) -> String {
        let bare = key.publicMembers.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",")
        var members: [String: String?] = [
            "typ": "\"dpop+jwt\"", "alg": "\"\(algorithm.name)\"", "jwk": "{\(bare)}",
        ]
        var content: [String: String?] = [
            "jti": "\"\(UInt64.random(in: 0...UInt64.max))-\(UInt64.random(in: 0...UInt64.max))\"",
            "htm": "\"\(method)\"", "htu": "\"\(url)\"", "iat": "\(now)",
        ]
        if let token { content["ath"] = "\"\(SHA256.hash(Array(token.utf8).span).base64URL)\"" }
        members.merge(header) { $1 }
        content.merge(claims) { $1 }
        return TokenMint.sign(
            header: Self.object(members), claims: Self.object(content), key: other ?? key, algorithm: algorithm)
    }

    private static func object(_ members: [String: String?]) -> String {
        let lines = members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return "{" + lines.joined(separator: ",") + "}"
    }
}
