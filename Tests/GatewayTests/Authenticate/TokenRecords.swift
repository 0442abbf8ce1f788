import Crypto
import OAuth
import TestSupport

@testable import Gateway

/// Makes records for a cache and knows which of them are still in memory.
final class TokenRecords {
    typealias Record = UnsafeMutablePointer<TokenRecord>

    private let token: VerifiedAccessToken
    /// Each with one use of ours besides, so that it can be looked at after everybody else has let go.
    private var made: [Record] = []

    init(_ claims: [String: String?] = [:]) throws { token = try verifiedToken(claims) }

    /// A record with one use, for the cache to take.
    func make(_ digest: SHA256Digest, leeway: Int64 = 30, wordCount: Int = 2) -> Record {
        let record = TokenRecord.make(digest, token, issuer: 1, generation: 7, leeway: leeway, wordCount: wordCount)
        record.pointee.uses += 1
        made.append(record)
        return record
    }

    deinit {
        for record in made { TokenRecord.release(record) }
    }

    /// How many records somebody besides us still uses.
    var alive: Int { made.count { $0.pointee.uses > 1 } }

    /// A digest whose place in a small table is its first bytes', so that tests choose who collides.
    static func digest(slot: UInt16, _ number: UInt8) -> SHA256Digest {
        var bytes = [UInt8](repeating: number, count: 32)
        bytes[0] = UInt8(truncatingIfNeeded: slot)
        bytes[1] = UInt8(truncatingIfNeeded: slot >> 8)
        guard let digest = SHA256Digest(bytes.span) else { preconditionFailure("32 bytes are a digest") }
        return digest
    }

    static func digest(_ number: Int) -> SHA256Digest {
        let text = Array("token \(number)".utf8)
        return SHA256.hash(text.span)
    }
}

extension TokenCacheSettings {
    init(entries: Int, bytes: Int = .max / 2) {
        self.init()
        self.entries = entries
        self.bytes = bytes
    }
}
