import Crypto
import Sessions

/// What a sealed session in the store turned out to be.
enum OpenedSession: Sendable {
    case session(Session)
    /// One that was altered is none (SH-22): whoever reads this tells nobody why, counts it, and raises an alarm.
    ///
    /// Of a value whose key this replica does not know nobody here can say: keys come to replicas one after another (SH-26).
    case unopened(StoreEnvelope.Unopened)
    /// Genuine, and not understood here: never "none", or a rolling upgrade would sign people out (SH-26).
    case unreadable(version: UInt8)
}

/// Seals the sessions of one client for the store, and opens them (SH-22).
///
///     key    of the cookie's secret, the session's identifier, a key of the ring, and a label with the client
///     value  a StoreEnvelope of SessionCodec's fields, bound to name, client and generation
///
/// It takes all three to read a session: the value, a key of the ring, and the cookie.
struct SessionSeal: Sendable {
    private let envelope: StoreEnvelope
    private let client: String

    /// The longest value that is kept (SH-25).
    static let limit = 64 * 1024

    /// With the identifier that the client has at its issuer, opens nothing that was sealed under another one.
    init(ring: StoreKeyRing, client: String, clientID: String = "", format: StoreFormat = .newest) {
        self.client = client
        envelope = StoreEnvelope(ring, purpose: SessionSeal.purpose(client, clientID), format: format)
    }

    /// The value of a session whose cookie has this secret; `nonce` are twelve random bytes.
    ///
    /// Refuses one that is too large, with what of it takes how much (SH-25).
    func seal(
        _ session: Session, secret: Secret, under name: StoreName, nonce: [UInt8]
    ) throws(SessionStoreRefusal) -> [UInt8] {
        let fields = SessionCodec.encode(session)
        let bytes = fields.count + StoreEnvelope.overhead
        guard bytes <= SessionSeal.limit else {
            throw .tooLarge(bytes: bytes, limit: SessionSeal.limit, parts: SessionSize.parts(of: session))
        }
        do {
            return try envelope.seal(
                fields, secret: secret, salt: session.id, to: binding(name, session.generation), nonce: nonce)
        } catch {
            // The library has no memory, or worse: sessions are neither there nor gone.
            throw .unavailable
        }
    }

    /// The session of a cookie, from the value and the generation that lie under `name`.
    func open(
        _ value: [UInt8], for cookie: SharedCookie, under name: StoreName, generation: UInt32
    ) -> OpenedSession {
        // Nothing that long was ever sealed.
        guard value.count <= SessionSeal.limit else { return .unopened(.altered) }
        switch envelope.open(value, secret: cookie.secret, salt: cookie.id, from: binding(name, generation)) {
        case .unopened(let reason): return .unopened(reason)
        case .unreadable(let version): return .unreadable(version: version)
        case .bytes(let fields):
            // Whoever sealed it had the keys: fields that are not understood are those of another release.
            guard let session = SessionCodec.decode(fields, client: client, expecting: cookie.id, cookie.idDigest)
            else {
                return .unreadable(version: value[0])
            }
            guard session.id == cookie.id, session.generation == generation else { return .unopened(.altered) }
            return .session(session)
        }
    }

    static func purpose(_ client: String, _ clientID: String = "") -> [UInt8] {
        Array("portcullis shared session\u{0}\(client)\(clientID.isEmpty ? "" : "\u{0}\(clientID)")".utf8)
    }

    private func binding(_ name: StoreName, _ generation: UInt32) -> StoreEnvelope.Binding {
        StoreEnvelope.Binding(name: name, generation: generation)
    }
}
