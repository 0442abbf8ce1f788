import Bytes
import Crypto
import JSON

/// Writes the JWK Set that others verify our signatures with, and encrypt to us with (RFC 7517 §5).
///
/// A `JWK` has no private member and is never `oct`, so there is nothing here that could publish one (MD-30).
public enum JWKSetWriter {
    /// The JSON text; a key whose `kid` stands there already is left out, since a reader could take either.
    public static func write(_ keys: [JWK]) -> [UInt8] {
        var writer = JSONWriter()
        var names: Set<[UInt8]> = []
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys {
            if let keyID = key.keyID, !names.insert(Array(keyID.utf8)).inserted { continue }
            write(key, to: &writer)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ key: JWK, to writer: inout JSONWriter) {
        writer.beginObject()
        member("kty", key.material.keyType.rawValue, to: &writer)
        if let keyID = key.keyID { member("kid", keyID, to: &writer) }
        if let use = key.use { member("use", use, to: &writer) }
        if let algorithm = key.algorithm { member("alg", algorithm.name, to: &writer) }
        if let algorithm = key.encryptionAlgorithm { member("alg", algorithm.name, to: &writer) }
        writeNumbers(key.material, to: &writer)
        writer.endObject()
    }

    /// The object that has the key and nothing else.
    static func write(_ material: JWK.Material, to writer: inout JSONWriter) {
        writer.beginObject()
        member("kty", material.keyType.rawValue, to: &writer)
        writeNumbers(material, to: &writer)
        writer.endObject()
    }

    private static func writeNumbers(_ material: JWK.Material, to writer: inout JSONWriter) {
        switch material {
        case .rsa(let modulus, let exponent):
            member("n", Base64URL.encode(modulus.span), to: &writer)
            member("e", Base64URL.encode(exponent.span), to: &writer)
        case .ellipticCurve(let curve, let x, let y):
            member("crv", curve.registeredName, to: &writer)
            member("x", Base64URL.encode(x.span), to: &writer)
            member("y", Base64URL.encode(y.span), to: &writer)
        case .ed25519(let publicKey):
            member("crv", "Ed25519", to: &writer)
            member("x", Base64URL.encode(publicKey.span), to: &writer)
        case .x25519(let publicKey):
            member("crv", "X25519", to: &writer)
            member("x", Base64URL.encode(publicKey.span), to: &writer)
        }
    }

    private static func member(_ name: String, _ value: String, to writer: inout JSONWriter) {
        writer.name(name)
        writer.string(value)
    }
}
