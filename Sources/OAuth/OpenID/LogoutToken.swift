// SPDX-License-Identifier: Apache-2.0
public import JOSE

/// What an issuer says about the end of its own session, sent by itself and not by a browser (LO-06).
public struct LogoutToken: Sendable, Equatable {
    /// `iss`: exactly the configured issuer.
    public let issuer: String
    /// `sub`; at least one of `subject` and `sid` is there.
    public let subject: String?
    /// `sid`: only this session of the issuer's ended; nil: every one of the user's.
    public let sid: String?
    /// `jti`, for remembering that it was used (LO-08).
    public let tokenID: String
    /// `iat`, in seconds since 1970.
    public let issuedAt: Int64
    /// The first second since 1970 at which the token is refused for its age, allowances for clocks included: until
    /// then `tokenID` is to be remembered.
    public let usableUntil: Int64

    /// The member of `events` that makes a JWT a logout token.
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Seconds after `iat` for which a logout token is good, whatever its `exp` (LO-07).
    public static let longestLifetimeSeconds: Int64 = 300

    /// The bytes of `logout_token` in the body of a POST; other parameters are ignored (LO-05).
    public static func find(in body: [UInt8], contentType: String?) throws(LogoutTokenRefusal) -> [UInt8] {
        throw .missing
    }

    /// What the token says, when every check holds; `now` in seconds since 1970.
    public static func verify(
        _ token: Span<UInt8>, rules: LogoutTokenRules, keys: VerificationKeys?, decryption: [DecryptionJWK] = [],
        now: Int64
    ) throws(LogoutTokenRefusal) -> LogoutToken {
        throw .missing
    }
}
