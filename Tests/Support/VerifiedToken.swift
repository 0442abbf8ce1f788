import JOSE
public import OAuth

/// An access token that was really minted and really verified; `claims` are raw JSON values.
public func verifiedToken(_ claims: [String: String?] = [:]) throws -> VerifiedAccessToken {
    let mint = TokenMint()
    let text = Array(mint.accessToken(claims: claims).utf8)
    let keys = VerificationKeys(try KeySet.parse(Array(mint.keySet.utf8).span))
    return try UncheckedAccessToken(text.span, maximumBytes: 64 * 1024)
        .verify(
            with: keys, rules: AccessTokenRules(issuer: mint.issuer, maximumTokenBytes: 64 * 1024), now: mint.now)
}

extension String {
    /// Its bytes, for as long as `body` runs.
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        Array(utf8).withUnsafeBufferPointer(body)
    }
}
