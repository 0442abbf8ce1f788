import Bytes
import Crypto
import Sessions

/// The cookie of a session in the store: it stays the same from the login to the end.
///
///     base64url( session id (16) ‖ secret (32) )
///
/// The identifier finds the session. The secret is half of the key that opens it, and stands nowhere but in the browser.
struct SharedCookie: Sendable {
    let id: [UInt8]
    /// By which the session is known here, and named in the store: asked for several times in a request.
    let idDigest: SHA256Digest
    let secret: Secret

    static let idLength = 16
    static let secretLength = 32
    private static let textLength = 64

    /// The two halves; nil unless they are as long as they have to be.
    init?(id: [UInt8], secret: Secret) {
        guard id.count == SharedCookie.idLength, secret.count == SharedCookie.secretLength else { return nil }
        self.id = id
        idDigest = SessionDigests.id(id)
        self.secret = secret
    }

    /// What a browser brought; nil for what no cookie of this store looks like.
    init?(_ value: Span<UInt8>) {
        guard let bytes = SharedCookie.decode(value) else { return nil }
        id = Array(bytes[..<SharedCookie.idLength])
        idDigest = SessionDigests.id(bytes.span.extracting(..<SharedCookie.idLength))
        secret = Secret(Array(bytes[SharedCookie.idLength...]))
    }

    /// Both halves in one piece, for whoever only looks for what is known of them; nil for what is no cookie.
    static func decode(_ value: Span<UInt8>) -> [UInt8]? {
        value.count == SharedCookie.textLength ? Base64URL.decode(value) : nil
    }

    /// What the session of these halves is known by here.
    static func key(_ halves: [UInt8]) -> NameDigest {
        NameDigest(SessionDigests.id(halves.span.extracting(..<idLength)))
    }

    /// The digest of the secret of these halves.
    static func secretDigest(_ halves: [UInt8]) -> SHA256Digest { SHA256.hash(halves.span.extracting(idLength...)) }

    /// The cookie's value.
    var text: [UInt8] {
        let bytes = id + secret.reveal()
        var text: [UInt8] = []
        Base64URL.append(bytes.span, to: &text)
        return text
    }
}
