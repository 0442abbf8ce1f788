package import Crypto
import Sessions

/// A refresh token that was sealed to be revoked.
package struct RevocableToken: Sendable {
    /// The token.
    package let refreshToken: Secret
    /// Whether it was granted for when the user is away: it outlives what the server calls a session (LO-09).
    let isOffline: Bool
}

/// Seals a session's refresh token under a key of the ring alone, so that it can be revoked without the session's cookie
/// (SH-46).
///
/// That is less than the session's own seal: the value and a key are enough for this one token. It is done only where the
/// configuration says so.
struct RevocableSeal: Sendable {
    private let envelope: StoreEnvelope

    /// For the sessions of a client, which has this identifier at its issuer.
    init(ring: StoreKeyRing, client: String, clientID: String, format: StoreFormat = .newest) {
        envelope = StoreEnvelope(
            ring, purpose: Array("portcullis revocable token\u{0}\(client)\u{0}\(clientID)".utf8), format: format)
    }

    /// The value of a session's refresh token; nil where it has none.
    ///
    /// `nonce` are twelve random bytes.
    func seal(
        _ session: Session, under name: StoreName, nonce: [UInt8]
    ) throws(SessionStoreRefusal) -> [UInt8]? {
        guard let token = session.refreshToken else { return nil }
        let isOffline = session.scopes.contains("offline_access")
        do throws(CryptoRefusal) {
            return try envelope.seal(
                [isOffline ? 1 : 0] + token.reveal(), secret: Secret([]), salt: name.bytes, to: binding(name),
                nonce: nonce)
        } catch {
            throw .unavailable
        }
    }

    /// The token of a value; nil for what was not sealed under this name for this client.
    func open(_ value: [UInt8], under name: StoreName) -> RevocableToken? {
        guard value.count <= SessionSeal.limit,
            case .bytes(let bytes) = envelope.open(value, secret: Secret([]), salt: name.bytes, from: binding(name)),
            let first = bytes.first
        else { return nil }
        return RevocableToken(refreshToken: Secret(Array(bytes.dropFirst())), isOffline: first == 1)
    }

    private func binding(_ name: StoreName) -> StoreEnvelope.Binding {
        StoreEnvelope.Binding(name: name, generation: 0)
    }
}
