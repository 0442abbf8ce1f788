import Crypto

/// Bytes sealed for the store.
///
///     version (1) ‖ key id (4) ‖ nonce (12) ‖ AES-256-GCM( ciphertext ‖ tag (16) )
///
/// The key is made of a secret that is not in the store and of a key of the ring: whoever lacks one of the two, or the
/// value, opens nothing (SH-22). Version, name of the key, purpose and generation are authenticated with the value, so
/// that none can be moved to another name, handed to another client, or passed off as a newer state.
struct StoreEnvelope: Sendable {
    /// What a value belongs to.
    struct Binding: Sendable {
        /// What kind of value it is, and whose.
        let purpose: [UInt8]
        /// The key that it lies under.
        let name: StoreName
        let generation: UInt32

        fileprivate func authenticated(version: UInt8) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1 + 4 + purpose.count + 4 + name.bytes.count + 4)
            bytes.append(version)
            bytes.append(block: purpose)
            bytes.append(block: name.bytes)
            bytes.append(number: generation)
            return bytes
        }
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

    let ring: StoreKeyRing

    /// Bytes by which a value is longer than what was sealed.
    static let overhead = header + AEADKey.tagLength
    private static let header = 1 + StoreKeyRing.idLength + AEADKey.nonceLength

    /// Seals with the first key; `nonce` are twelve random bytes.
    func seal(
        _ plaintext: [UInt8], secret: Secret, salt: [UInt8], to binding: Binding, nonce: [UInt8]
    ) throws(CryptoRefusal) -> [UInt8] {
        let version = StoreFormat.newest.rawValue
        let key = try StoreEnvelope.key(ring.first, secret, salt, binding)
        let sealed = try key.seal(
            plaintext.span, nonce: nonce, additional: binding.authenticated(version: version).span)
        return [version] + ring.first.id + nonce + sealed
    }

    /// What was sealed with the same secret and salt for the same name, purpose and generation.
    func open(_ value: [UInt8], secret: Secret, salt: [UInt8], from binding: Binding) -> Opened {
        guard let version = value.first else { return .unopened(.altered) }
        guard StoreFormat(rawValue: version) != nil else { return .unreadable(version: version) }
        guard value.count >= StoreEnvelope.overhead else { return .unopened(.altered) }
        let id = value[1...StoreKeyRing.idLength]
        let nonce = Array(value[(1 + StoreKeyRing.idLength)..<StoreEnvelope.header])
        let authenticated = binding.authenticated(version: version)
        var isKeyKnown = false
        // Two keys may have one id: it is short, because every value has it.
        for known in ring.keys where id.elementsEqual(known.id) {
            isKeyKnown = true
            guard let key = try? StoreEnvelope.key(known, secret, salt, binding) else { continue }
            let sealed = value.span.extracting(StoreEnvelope.header...)
            if let opened = key.open(sealed, nonce: nonce, additional: authenticated.span) { return .bytes(opened) }
        }
        return .unopened(isKeyKnown ? .altered : .keyUnknown)
    }

    private static func key(
        _ key: StoreKeyRing.Key, _ secret: Secret, _ salt: [UInt8], _ binding: Binding
    ) throws(CryptoRefusal) -> AEADKey {
        let material = Secret(secret.reveal() + key.seal.reveal())
        return try AEADKey(HKDF.derive(material, salt: salt, info: binding.purpose, count: AEADKey.keyLength))
    }
}
