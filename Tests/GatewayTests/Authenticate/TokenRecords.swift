import Access
import Crypto
import OAuth
import TestSupport

/// Records of verified tokens for those who use them; each with one use, its maker's.
struct TokenRecords {
    private let token: VerifiedAccessToken

    init(_ claims: [String: String?] = [:]) throws { token = try verifiedToken(claims) }

    func make(_ digest: SHA256Digest) -> TokenRecord {
        TokenRecord(digest, token, issuer: 1, generation: 7, leeway: 30, answers: [0, 0])
    }

    /// A digest of its own for each number.
    static func digest(_ number: Int) -> SHA256Digest {
        let text = Array("token \(number)".utf8)
        return SHA256.hash(text.span)
    }
}
