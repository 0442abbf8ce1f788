import Bytes
import Crypto

/// Bytes sealed for the store, for one purpose.
///
///     version (1) ‖ key id (4) ‖ nonce (12) ‖ AES-256-GCM( ciphertext ‖ tag (16) )
///
/// The key is made of a secret that is not in the store and of a key of the ring: whoever lacks one of the two, or the
/// value, opens nothing (SH-22). By the version it is
///
///     1   HKDF-SHA-256( secret ‖ key of the ring, salt: salt, info: purpose )
///     2   HMAC-SHA-256( HKDF-SHA-256( key of the ring, info: purpose ), length of the secret (4) ‖ secret ‖ salt )
///
/// The second is the extraction of RFC 5869 §2.2 with a key for salt. Of its four blocks two are the key's, and computed once;
/// of the first it takes nine, and ten with long names.
///
/// Version, name of the key, purpose and generation are authenticated with the value, so that none can be moved to another
/// name, handed to another client, or passed off as a newer state.
struct StoreEnvelope: Sendable {
    /// What a value belongs to, beside the purpose.
    struct Binding: Sendable {
        /// The key that it lies under.
        let name: StoreName
        let generation: UInt32
    }

    /// What became of a value that was to be opened.
    enum Opened: Sendable {
        case bytes([UInt8])
        /// It is not what was sealed for this.
        case unopened(Unopened)
        /// Written by a release that this one does not know.
        case unreadable(version: UInt8)
    }

    /// Why a value does not open.
    enum Unopened: Sendable, Equatable {
        /// The ring has no such key: one that was taken out, or that has not come to this replica yet.
        case keyUnknown
        /// Cut, changed, moved, or another's.
        case altered
    }

    /// A key of the ring, for this purpose.
    private struct Key: Sendable {
        let id: [UInt8]
        let seal: Secret
        let forPurpose: HMACSHA256

        init(_ key: StoreKeyRing.Key, purpose: [UInt8]) throws(CryptoRefusal) {
            id = key.id
            seal = key.seal
            forPurpose = try HMACSHA256(key: HKDF.derive(key.seal, info: purpose, count: StoreKeyRing.keyLength))
        }
    }

    /// What kind of values they are, and whose.
    private let purpose: [UInt8]
    /// The first seals.
    private let keys: [Key]
    private let format: StoreFormat

    /// Bytes by which a value is longer than what was sealed.
    static let overhead = header + AEADKey.tagLength
    private static let header = 1 + StoreKeyRing.idLength + AEADKey.nonceLength

    /// For values of a kind, written in this format.
    init(_ ring: StoreKeyRing, purpose: [UInt8], format: StoreFormat) {
        self.purpose = purpose
        self.format = format
        // Keys of the ring are as long as they have to be, or there would be no ring.
        keys = ring.keys.compactMap { try? Key($0, purpose: purpose) }
    }

    /// Seals with the first key; `nonce` are twelve random bytes.
    func seal(
        _ plaintext: [UInt8], secret: Secret, salt: [UInt8], to binding: Binding, nonce: [UInt8]
    ) throws(CryptoRefusal) -> [UInt8] {
        guard let first = keys.first else { throw .secretTooShort }
        let key = try key(first, secret, salt, format)
        let sealed = try key.seal(plaintext.span, nonce: nonce, additional: authenticated(format, binding).span)
        return [format.rawValue] + first.id + nonce + sealed
    }

    /// What was sealed with the same secret and salt for the same name, purpose and generation, in either format.
    func open(_ value: [UInt8], secret: Secret, salt: [UInt8], from binding: Binding) -> Opened {
        guard let version = value.first else { return .unopened(.altered) }
        guard let format = StoreFormat(rawValue: version) else { return .unreadable(version: version) }
        guard value.count >= StoreEnvelope.overhead else { return .unopened(.altered) }
        let id = value[1...StoreKeyRing.idLength]
        let nonce = Array(value[(1 + StoreKeyRing.idLength)..<StoreEnvelope.header])
        let authenticated = authenticated(format, binding)
        var isKeyKnown = false
        // Two keys may have one id: it is short, because every value has it.
        for known in keys where id.elementsEqual(known.id) {
            isKeyKnown = true
            guard let key = try? key(known, secret, salt, format) else { continue }
            let sealed = value.span.extracting(StoreEnvelope.header...)
            if let opened = key.open(sealed, nonce: nonce, additional: authenticated.span) { return .bytes(opened) }
        }
        return .unopened(isKeyKnown ? .altered : .keyUnknown)
    }

    private func key(
        _ key: Key, _ secret: Secret, _ salt: [UInt8], _ format: StoreFormat
    ) throws(CryptoRefusal) -> AEADKey {
        switch format {
        case .first:
            let material = Secret(secret.reveal() + key.seal.reveal())
            return try AEADKey(HKDF.derive(material, salt: salt, info: purpose, count: AEADKey.keyLength))
        case .second:
            // The secret's length is part of it: no secret and salt run together to another secret and salt.
            var message: [UInt8] = []
            message.reserveCapacity(4 + secret.count + salt.count)
            message.append(block: secret.reveal())
            message.append(copying: salt.span)
            let made = Secret(message)
            return try AEADKey(key.forPurpose.derive(made.reveal().span))
        }
    }

    private func authenticated(_ format: StoreFormat, _ binding: Binding) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + 4 + purpose.count + 4 + binding.name.bytes.count + 4)
        bytes.append(format.rawValue)
        bytes.append(block: purpose)
        bytes.append(block: binding.name.bytes)
        bytes.append(number: binding.generation)
        return bytes
    }
}
