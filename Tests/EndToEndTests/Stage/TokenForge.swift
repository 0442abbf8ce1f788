import Glibc
import TestSupport

/// Makes access tokens of one issuer: ordinary ones, and ones that are wrong in exactly one way.
struct TokenForge: Sendable {
    let issuer: String
    let key: SigningKey
    static let audience = "https://api.test/orders"

    /// A token as RFC 9068 describes it, with claims changed (JSON text) or left out (nil).
    func token(
        _ claims: [String: String?] = [:], header: [String: String?] = [:], signedBy other: SigningKey? = nil
    ) -> String {
        let ordinary: [String: String?] = [
            "sub": quoted("alice"), "scope": quoted("orders:read"),
            "jti": quoted(String(UInt64.random(in: 0...UInt64.max), radix: 36)),
            // Longer than any suite takes that makes its tokens at its beginning.
            "exp": moment(3600),
        ]
        let mint = TokenMint(
            issuer: issuer, audience: Self.audience, key: other ?? key, now: Int64(time(nil)))
        return mint.accessToken(header: header, claims: ordinary.merging(claims) { $1 })
    }

    /// `Authorization: Bearer` with a token, as a field line without CRLF.
    func bearer(_ claims: [String: String?] = [:], header: [String: String?] = [:]) -> String {
        "Authorization: Bearer " + token(claims, header: header)
    }
}

/// A JSON string of plain text.
func quoted(_ value: String) -> String { "\"\(value)\"" }

/// Seconds since 1970, moved by `seconds`.
func moment(_ seconds: Int) -> String { "\(Int(time(nil)) + seconds)" }
