import Bytes
import Crypto
import Foundation
import Synchronization

@testable import Sessions

/// Sessions and what they are made of.
enum Sample {
    static let now: Int64 = 1_800_000_000
    static let issuer = "https://id.example/"

    static func key(_ number: UInt8 = 1) -> Secret { Secret([UInt8](repeating: number, count: 32)) }

    static func settings(
        _ store: SessionSettings.Store = .cookie, name: String = "__Host-portcullis-shop", idle: Int = 1800,
        absolute: Int = 28_800, keys: [Secret] = [key()], limit: Int = 100_000
    ) -> SessionSettings {
        var settings = SessionSettings(store: store, cookieName: name, keys: keys)
        settings.idle = .seconds(idle)
        settings.absolute = .seconds(absolute)
        settings.limit = limit
        return settings
    }

    static func session(
        subject: String = "alice", sid: String? = "s-1", createdAt: Int64 = now, endsAt: Int64? = nil,
        accessToken: Int = 0, idToken: Int = 0, id: [UInt8] = RandomBytes.fill(16)
    ) -> Session {
        var session = Session(
            id: id, client: "shop", issuer: issuer, subject: subject,
            claims: Array(#"{"iss":"https://id.example/","sub":"alice"}"#.utf8), scopes: ["openid", "orders:read"],
            createdAt: createdAt, endsAt: endsAt ?? createdAt + 28_800)
        session.serverSession = sid
        session.accessToken = accessToken > 0 ? token(accessToken) : nil
        session.accessTokenIssuedAt = createdAt
        session.accessTokenExpiresAt = createdAt + 300
        session.proofKey = Secret([UInt8](repeating: 7, count: 32))
        session.refreshToken = Secret(Array("refresh-0".utf8))
        session.idToken = idToken > 0 ? token(idToken) : nil
        return session
    }

    /// So many bytes in base64url with two dots, as a JWT has them; random, so that nothing makes them shorter.
    static func token(_ count: Int) -> Secret {
        let parts = [0, 0, 0].map { _ in
            let random = RandomBytes.fill(max(3, count / 12 * 3))
            return Base64URL.encode(random.span)
        }
        return Secret(Array(parts.joined(separator: ".").utf8))
    }

    /// The same session after a refresh.
    static func refreshed(_ session: Session, at time: Int64 = now) -> Session {
        var next = session
        next.generation += 1
        next.accessTokenIssuedAt = time
        next.accessTokenExpiresAt = time + 300
        next.refreshToken = Secret(Array("refresh-\(next.generation)".utf8))
        return next
    }
}

extension Session {
    /// Everything of it, for comparisons in tests.
    var image: [String] {
        [
            "\(id)", client, issuer, subject, serverSession ?? "-", "\(claims)", "\(scopes)", "\(createdAt)",
            "\(seenAt)",
            "\(endsAt)", "\(accessToken?.reveal() ?? [])", "\(accessTokenIssuedAt)", "\(accessTokenExpiresAt)",
            "\(proofKey?.reveal() ?? [])", "\(refreshToken?.reveal() ?? [])", "\(idToken?.reveal() ?? [])",
            "\(nonceDigest ?? [])", "\(generation)", "\(isConfirmed)",
            "\(accessToken == nil)\(proofKey == nil)\(refreshToken == nil)\(idToken == nil)",
        ]
    }
}

extension SessionLookup {
    var session: Session? {
        guard case .found(let session, _) = self else { return nil }
        return session
    }

    var successor: [UInt8]? {
        guard case .found(_, let successor) = self else { return nil }
        return successor
    }
}

extension Sequence {
    /// What the body makes of each, one after the other.
    func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}

/// Runs the body on so many threads at once, and waits for all of them.
func onThreads<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) -> [Result] {
    let results = Mutex<[Int: Result]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { thread in
        let result = body(thread)
        results.withLock { $0[thread] = result }
    }
    return results.withLock { results in (0..<count).compactMap { results[$0] } }
}

/// Numbers that look random and are the same in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
