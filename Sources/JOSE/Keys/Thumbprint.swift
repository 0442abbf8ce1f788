import Bytes
import Crypto
import JSON

/// RFC 7638: SHA-256 over the required members alone, in lexicographic order, without whitespace.
enum Thumbprint {
    /// The thumbprint of a key's numbers.
    static func make(_ material: JWK.Material) -> SHA256Digest {
        let members: [(String, String)] =
            switch material {
            case .rsa(let modulus, let exponent):
                [("e", Base64URL.encode(exponent.span)), ("kty", "RSA"), ("n", Base64URL.encode(modulus.span))]
            case .ellipticCurve(let curve, let x, let y):
                [
                    ("crv", curve.registeredName), ("kty", "EC"), ("x", Base64URL.encode(x.span)),
                    ("y", Base64URL.encode(y.span)),
                ]
            case .ed25519(let publicKey):
                [("crv", "Ed25519"), ("kty", "OKP"), ("x", Base64URL.encode(publicKey.span))]
            case .x25519(let publicKey):
                [("crv", "X25519"), ("kty", "OKP"), ("x", Base64URL.encode(publicKey.span))]
            }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in members {
            writer.name(name)
            writer.string(value)
        }
        writer.endObject()
        return SHA256.hash(writer.bytes.span)
    }
}
