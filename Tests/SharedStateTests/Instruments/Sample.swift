import Bytes
import Crypto
import Sessions

@testable import SharedState

/// Keys, names and sessions of the tests.
enum Sample {
    static let now: Int64 = 1_800_000_000
    static let issuer = "https://id.example/"
    static let client = "shop"

    static func key(_ number: UInt8 = 1) -> Secret { Secret((0..<32).map { number &+ $0 }) }

    static func ring(_ numbers: UInt8...) throws -> StoreKeyRing { try StoreKeyRing(numbers.map(key)) }

    static func names(_ prefix: String = "pc") throws -> StoreNames { StoreNames(prefix: prefix, ring: try ring(1)) }

    static func session(
        id: [UInt8] = RandomBytes.fill(16), subject: String = "alice", generation: UInt32 = 0, token: Int = 0
    ) -> Session {
        var session = Session(
            id: id, client: client, issuer: issuer, subject: subject,
            claims: Array(#"{"iss":"https://id.example/","sub":"alice"}"#.utf8), scopes: ["openid", "orders:read"],
            createdAt: now, endsAt: now + 28_800)
        session.serverSession = "s-1"
        session.refreshToken = Secret(Array("refresh-\(generation)".utf8))
        session.generation = generation
        if token > 0 { session.accessToken = Secret([UInt8](repeating: 0x2E, count: token)) }
        return session
    }

    static func cookie(of session: Session) throws -> SharedCookie {
        guard let cookie = SharedCookie(id: session.id, secret: Secret(RandomBytes.fill(32))) else {
            throw StoreRefusal.unexpected
        }
        return cookie
    }

    static func nonce() -> [UInt8] { RandomBytes.fill(12) }

    static func random(_ count: Int) -> [UInt8] { RandomBytes.fill(count) }

    /// Where nothing is yet.
    static func unusedName() throws -> StoreName { try names().session(RandomBytes.fill(16)) }
}

extension OpenedSession {
    var session: Session? { if case .session(let session) = self { session } else { nil } }
    var unopened: StoreEnvelope.Unopened? { if case .unopened(let reason) = self { reason } else { nil } }
    var unreadable: UInt8? { if case .unreadable(let version) = self { version } else { nil } }
}

extension String {
    /// The bytes of a text in UTF-8.
    var bytes: [UInt8] { Array(utf8) }
}
