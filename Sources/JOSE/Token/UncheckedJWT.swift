public import JSON

/// A JWT taken apart: its claims are whatever its sender wrote (RFC 7519 §7.2).
///
/// Until its signature holds, only `header.algorithm`, `keyID`, `type` and `unverifiedIssuer` may be used, and those
/// only to look something up in a table that was there before (JOSE-33).
public struct UncheckedJWT: Sendable {
    /// The signed envelope.
    public let jws: CompactJWS
    /// The claims, believed by nobody yet.
    public let claims: JSONValue

    /// Takes `token` apart; JSON that two readers could read differently is refused (JOSE-03, JOSE-04).
    public static func parse(_ token: Span<UInt8>, maximumBytes: Int) throws(JOSERefusal) -> UncheckedJWT {
        try parse(token, limits: JSONLimits(bytes: maximumBytes))
    }

    /// The same with other limits for the claims; those of bytes are the token's too.
    public static func parse(_ token: Span<UInt8>, limits: JSONLimits) throws(JOSERefusal) -> UncheckedJWT {
        let jws = try CompactJWS.parse(token, maximumBytes: limits.bytes)
        let claims: JSONValue
        do throws(JSONRefusal) {
            claims = try JSONValue.parse(owned: jws.payload, limits: limits)
        } catch {
            throw .claimsNotJSON(error)
        }
        guard claims.kind == .object else { throw .claimsNotObject }
        return UncheckedJWT(jws: jws, claims: claims)
    }

    /// The header.
    public var header: JWSHeader { jws.header }

    /// `iss` as written, for finding the configured issuer of exactly that name.
    public var unverifiedIssuer: String? { claims["iss"]?.string }
}
