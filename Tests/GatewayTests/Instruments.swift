import JOSE
import OAuth
import TestSupport

/// Numbers that a seed decides, so that a failure comes back (SplitMix64).
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// An access token that was really minted and really verified; `claims` are raw JSON values.
func verifiedToken(_ claims: [String: String?] = [:]) throws -> VerifiedAccessToken {
    let mint = TokenMint()
    let text = Array(mint.accessToken(claims: claims).utf8)
    let keys = VerificationKeys(try KeySet.parse(Array(mint.keySet.utf8).span))
    return try UncheckedAccessToken(text.span, maximumBytes: 64 * 1024)
        .verify(
            with: keys, rules: AccessTokenRules(issuer: mint.issuer, maximumTokenBytes: 64 * 1024), now: mint.now)
}

extension String {
    /// Its bytes, for as long as `body` runs.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        Array(utf8).withUnsafeBufferPointer(body)
    }
}
