import Bytes
import Crypto
import Foundation
import JOSE
import Testing
import TestSupport

/// A JWT as somebody on the way reads it, without keys.
struct SeenToken {
    let header: [String: Any]
    let claims: [String: Any]

    init(_ text: String, at location: SourceLocation = #_sourceLocation) throws {
        let parts = try text.split(separator: ".").prefix(2).map { part in
            let bytes = Array(part.utf8)
            guard let content = Base64URL.decode(bytes.span) else { throw WireFailure.malformed(text) }
            let value = try JSONSerialization.jsonObject(with: Data(content))
            return try #require(value as? [String: Any], sourceLocation: location)
        }
        try #require(parts.count == 2, "\(text)", sourceLocation: location)
        header = parts[0]
        claims = parts[1]
    }

    /// A claim that is a text.
    func text(_ name: String) -> String? { claims[name] as? String }

    /// The key that a proof was made with, as `jkt` spells it (RFC 7638).
    var thumbprint: String? {
        guard let key = header["jwk"] as? [String: String], let x = key["x"], let y = key["y"] else { return nil }
        return digest("{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}")
    }
}

/// SHA-256 in base64url.
func digest(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return SHA256.hash(bytes.span).base64URL
}

/// A JSON object.
func object(_ text: String, at location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any], sourceLocation: location)
}
