import Bytes
public import Crypto
import JSON

extension CompactJWS {
    /// A signed token over `claims`, with `alg`, `kid` and `typ` in its header (JOSE-35).
    ///
    /// `typ` says what the token is for, so that nobody takes it for one of another kind (RFC 8725 §3.11).
    public static func sign(
        _ claims: Span<UInt8>, type: String, by key: SigningJWK
    ) throws(SigningRefusal) -> [UInt8] {
        var token = signingInput(claims, algorithm: key.algorithm.name, keyID: key.keyID, type: type)
        let signature = try key.key.sign(token.span, by: key.algorithm.scheme)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
        return token
    }

    /// A token over `claims` with a code that only one peer and we can make; without a `kid`, there being one secret.
    public static func authenticate(
        _ claims: Span<UInt8>, type: String, _ algorithm: MACAlgorithm, _ key: MAC
    ) -> [UInt8] {
        var token = signingInput(claims, algorithm: algorithm.name, keyID: nil, type: type)
        let code = key.authenticate(token.span)
        token.append(UInt8(ascii: "."))
        Base64URL.append(code.span, to: &token)
        return token
    }

    private static func signingInput(
        _ claims: Span<UInt8>, algorithm: String, keyID: String?, type: String
    ) -> [UInt8] {
        var header = JSONWriter()
        header.beginObject()
        header.name("alg")
        header.string(algorithm)
        if let keyID {
            header.name("kid")
            header.string(keyID)
        }
        header.name("typ")
        header.string(type)
        header.endObject()
        var input: [UInt8] = []
        Base64URL.append(header.bytes.span, to: &input)
        input.append(UInt8(ascii: "."))
        Base64URL.append(claims, to: &input)
        return input
    }
}
