import JOSE
import JSON

/// The claims of a DPoP proof, with the types that RFC 9449 §4.2 gives them; each stays where it was parsed.
struct DPoPClaims {
    /// `jti`.
    let id: ArraySlice<UInt8>
    /// `htm`.
    let method: ArraySlice<UInt8>
    /// `htu`.
    let target: ArraySlice<UInt8>
    /// `iat`.
    let issuedAt: NumericDate
    /// `ath`.
    let tokenHash: ArraySlice<UInt8>
    /// `nonce`.
    let nonce: ArraySlice<UInt8>?

    init(_ claims: JSONValue, rules: DPoPRules) throws(DPoPRefusal) {
        id = try Self.required("jti", claims)
        guard id.count <= rules.maximumIDBytes else { throw .idTooLong }
        method = try Self.required("htm", claims)
        target = try Self.required("htu", claims)
        guard let issued = claims["iat"] else { throw .claim(.missing("iat")) }
        guard let date = NumericDate(issued) else { throw .claim(.malformed("iat")) }
        issuedAt = date
        tokenHash = try Self.required("ath", claims)
        nonce = try Self.string("nonce", claims)
    }

    private static func required(_ name: String, _ claims: JSONValue) throws(DPoPRefusal) -> ArraySlice<UInt8> {
        guard let value = try string(name, claims) else { throw .claim(.missing(name)) }
        return value
    }

    private static func string(_ name: String, _ claims: JSONValue) throws(DPoPRefusal) -> ArraySlice<UInt8>? {
        guard let value = claims[name] else { return nil }
        guard let bytes = value.utf8Slice, !bytes.isEmpty else { throw .claim(.malformed(name)) }
        return bytes
    }
}
