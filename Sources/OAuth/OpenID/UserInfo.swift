// SPDX-License-Identifier: Apache-2.0
public import HTTPMessage
public import JOSE
public import JSON

/// What the userinfo endpoint says about a user, beside the ID token (OpenID Connect Core §5.3).
public enum UserInfo {
    /// Largest answer read, in bytes.
    public static let maximumBytes = 64 * 1024

    /// The claims of an answer about `subject`, the ID token's; `now` in seconds since 1970.
    ///
    /// A plain answer is believed because of whom it came from; one that is `application/jwt` is verified as an ID
    /// token is, by `rules` and the keys of the issuer they name.
    public static func read(
        _ response: FetchResponse, subject: String, rules: IDTokenRules, keys: VerificationKeys?,
        decryption: [DecryptionJWK] = [], now: Int64
    ) throws(UserInfoRefusal) -> JSONValue {
        throw .subjectMismatch
    }

    /// The JSON object a session keeps of its user: `iss`, `sub`, and those of `names` that somebody vouches for.
    ///
    /// The ID token is asked first, then the userinfo, then `previous`, the session's claims before a refresh. Of claims
    /// about the login itself only the ID token is asked, and of `_claim_names` and `_claim_sources` nobody (OIDC-15).
    /// With `requiresVerifiedEmail`, `email` is one that its own source says is verified, or absent (OIDC-13).
    public static func merge(
        idToken: VerifiedIDToken, userInfo: JSONValue? = nil, previous: JSONValue? = nil, names: [String],
        requiresVerifiedEmail: Bool
    ) -> [UInt8] {
        []
    }
}
