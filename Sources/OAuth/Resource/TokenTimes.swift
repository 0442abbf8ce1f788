/// When a token may be used, in whole seconds since 1970.
///
/// Fractions are rounded to the strict side: the end down, the beginnings up.
public struct TokenTimes: Sendable, Equatable {
    /// `exp`.
    public let expiresAt: Int64
    /// `nbf`.
    public let notBefore: Int64?
    /// `iat`.
    public let issuedAt: Int64?

    /// The later of `nbf` and `iat`, less the leeway: before then the token is refused (JOSE-28); 0 without either.
    public func usableFrom(leewaySeconds: Int64) -> Int64 {
        guard let from = [notBefore, issuedAt].compactMap(\.self).max() else { return 0 }
        return from - leewaySeconds
    }

    /// Times as they were found elsewhere, in whole seconds since 1970.
    public init(expiresAt: Int64, notBefore: Int64?, issuedAt: Int64?) {
        self.expiresAt = expiresAt
        self.notBefore = notBefore
        self.issuedAt = issuedAt
    }

    /// Why the token may not be used at `now`, or nil when it may (JOSE-28).
    ///
    /// A token from a cache is asked again for each request.
    @inlinable
    public func refusal(at now: Int64, leewaySeconds: Int) -> AccessTokenRefusal? {
        // The dates are within 2^53 and the leeway within 300, so nothing overflows.
        let leeway = Int64(min(max(leewaySeconds, 0), 300))
        guard now < expiresAt + leeway else { return .claim(.expired(secondsAgo: now - expiresAt)) }
        if let notBefore, now < notBefore - leeway { return .claim(.notYetValid(secondsLeft: notBefore &- now)) }
        if let issuedAt, now < issuedAt - leeway { return .claim(.issuedInFuture(secondsLeft: issuedAt &- now)) }
        return nil
    }
}
