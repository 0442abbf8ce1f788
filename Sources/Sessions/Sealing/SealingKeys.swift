import Bytes
import Crypto

/// The keys that seal one kind of cookie of one client: the first seals, all open (SC-15).
///
///     base64url( version ‖ key id (2) ‖ nonce (12) ‖ ciphertext ‖ tag (16) )
///
/// Each configured key is only what others are derived from: one for every purpose and client, so that a cookie is worth
/// nothing at another client even where the operator gave both the same key. What else a cookie belongs to is
/// authenticated with it (SC-04).
///
/// Nonces are random: after 2³² cookies of one key two of them could be the same. A hundred thousand sessions, written
/// once a minute without pause, take a month for that, which is when a key should long have been rotated.
struct SealingKeys: Sendable {
    enum Purpose: String {
        case session = "session cookie"
        case transaction = "login transaction"
    }

    private struct Key: Sendable {
        let id: [UInt8]
        let key: AEADKey
        /// What is authenticated with everything that it seals.
        let context: [UInt8]
    }

    private let keys: [Key]

    /// What a sealed value has beside what was sealed, before it is encoded.
    private static let overhead = 1 + idLength + AEADKey.nonceLength + AEADKey.tagLength
    private static let version: UInt8 = 1
    private static let idLength = 2

    /// Refuses a key that is not 32 bytes; without any, takes this process's own.
    ///
    /// `bound` are names that must be the same when a value is opened, such as the cookie's.
    init(_ secrets: [Secret], purpose: Purpose, client: String, bound: [String] = []) throws(CryptoRefusal) {
        var context = FieldWriter()
        context.byte(SealingKeys.version)
        context.text(purpose.rawValue)
        context.text(client)
        context.texts(bound)
        var keys: [Key] = []
        for secret in secrets.isEmpty ? [SealingKeys.ofThisProcess] : secrets {
            guard secret.count == AEADKey.keyLength else { throw .keyLength }
            let name = Array("portcullis \(SealingKeys.version) \(purpose.rawValue)".utf8)
            let id = try HKDF.derive(secret, info: name + Array("\u{0}id".utf8), count: SealingKeys.idLength).reveal()
            let derived = try HKDF.derive(
                secret, info: name + Array("\u{0}key\u{0}\(client)".utf8), count: AEADKey.keyLength)
            keys.append(Key(id: id, key: try AEADKey(derived), context: context.bytes + id))
        }
        self.keys = keys
    }

    /// The text that stands for `plaintext`, which opens with the same `additional` alone.
    func seal(_ plaintext: [UInt8], additional: [UInt8] = []) throws(CryptoRefusal) -> [UInt8] {
        // There is one: without configured keys it is the process's.
        guard let key = keys.first else { throw .notBuilt }
        let nonce = RandomBytes.fill(AEADKey.nonceLength)
        let authenticated = additional.isEmpty ? key.context : key.context + additional
        let sealed = try key.key.seal(plaintext.span, nonce: nonce, additional: authenticated.span)
        let bytes = [SealingKeys.version] + key.id + nonce + sealed
        var text: [UInt8] = []
        Base64URL.append(bytes.span, to: &text)
        return text
    }

    /// What was sealed; nil, without a hint why, for everything that these keys did not seal so.
    func open(_ text: Span<UInt8>, additional: [UInt8] = []) -> [UInt8]? {
        // Longer than all chunks of a session: nothing that was ever sealed here.
        guard text.count <= SealingKeys.longest, let bytes = Base64URL.decode(text) else { return nil }
        guard bytes.count >= SealingKeys.overhead, bytes[0] == SealingKeys.version else { return nil }
        let nonceStart = 1 + SealingKeys.idLength
        let start = nonceStart + AEADKey.nonceLength
        let nonce = Array(bytes[nonceStart..<start])
        // Two keys may have one id: ids are short so that cookies are.
        for key in keys where bytes[1..<nonceStart].elementsEqual(key.id) {
            let authenticated = additional.isEmpty ? key.context : key.context + additional
            let sealed = bytes.span.extracting(start...)
            if let opened = key.key.open(sealed, nonce: nonce, additional: authenticated.span) { return opened }
        }
        return nil
    }

    /// Whether a value names one of these keys; says nothing of whether it opens.
    func isKeyKnown(of text: Span<UInt8>) -> Bool {
        guard text.count <= SealingKeys.longest, let bytes = Base64URL.decode(text),
            bytes.count >= SealingKeys.overhead, bytes[0] == SealingKeys.version
        else { return false }
        return keys.contains { bytes[1..<(1 + SealingKeys.idLength)].elementsEqual($0.id) }
    }

    /// How long the text is that so many bytes are sealed to.
    static func sealedCount(_ count: Int) -> Int {
        ((count + overhead) * 4 + 2) / 3
    }

    private static let longest = SetCookie.limit * SetCookie.maximumChunks

    /// For configurations without keys: no replica shares it, no restart survives it, a reloaded configuration keeps it.
    private static let ofThisProcess = Secret(RandomBytes.fill(AEADKey.keyLength))
}
