import Crypto
import JSON
import Sessions

@testable import Access
@testable import OAuth

/// A token of a user, with other claims as JSON.
func userToken(
    _ claims: String = "{}", clientID: String? = "client-1", notBefore: Int64? = nil, issuedAt: Int64? = 1_800_000_000,
    binding: TokenBinding = .none
) throws -> VerifiedAccessToken {
    var token = VerifiedAccessToken(
        issuer: "https://id.example/", subject: "user-1", clientID: clientID, tokenID: nil, audiences: ["api"],
        scopes: [], times: TokenTimes(expiresAt: 1_800_000_300, notBefore: notBefore, issuedAt: issuedAt),
        claims: try JSONValue.parse(Array(claims.utf8).span))
    token.binding = binding
    return token
}

/// Makes records for a cache and knows which of them are still in memory.
final class TokenRecords {
    private let token: VerifiedAccessToken
    /// Each with one use of ours besides, so that it can be looked at after everybody else has let go.
    private var made: [TokenRecord] = []

    init(_ claims: String = #"{"sub":"user-1"}"#) throws { token = try userToken(claims) }

    init(of token: VerifiedAccessToken) { self.token = token }

    /// A record with one use, for the cache to take.
    func make(_ digest: SHA256Digest, leeway: Int64 = 30, wordCount: Int = 2) -> TokenRecord {
        let answers = [UInt64](repeating: 0, count: wordCount)
        let record = TokenRecord(digest, token, issuer: 1, generation: 7, leeway: leeway, answers: answers)
        record.retain()
        made.append(record)
        return record
    }

    deinit {
        for record in made { record.release() }
    }

    /// How many records somebody besides us still uses.
    var alive: Int { made.count { $0.uses > 1 } }
}

/// What is in memory for as long as a record is: a store that the record's session alone refers to.
struct Witness {
    private final class Weak {
        weak var store: MemorySessionStore?
        init(_ store: MemorySessionStore) { self.store = store }
    }

    private let weak: Weak
    /// Tells witnesses apart.
    var identity: AnyObject { weak }
    let record: TokenRecord

    /// Whether the record is still in memory.
    var isThere: Bool { weak.store != nil }

    /// A record with one use, its maker's.
    init(_ digest: SHA256Digest = digest(0), usableUntil: Int64 = .max) throws {
        let store = MemorySessionStore(
            settings: SessionSettings(store: .memory, cookieName: "__Host-s"), client: "shop")
        weak = Weak(store)
        record = TokenRecord(
            digest, try userToken(), issuer: 0, generation: 0, leeway: 0, usableUntil: usableUntil, answers: [1])
        let session = Session(
            id: [1], client: "shop", issuer: "https://id.example/", subject: "user-1", claims: [], scopes: ["openid"],
            createdAt: 0, endsAt: 1000)
        record.attach(
            SessionState(session, login: 3, store: store, endings: 5, proofs: nil, usableUntil: usableUntil), cost: 100)
    }
}
