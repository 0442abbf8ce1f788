import Crypto

/// The keys that a JWE may have been encrypted to, and what each makes of its encrypted key.
package struct ContentKeys {
    private enum Holder {
        case key(PrivateKey)
        case secret(Secret)
    }

    private let header: JWEHeader
    private let holders: [Holder]

    /// Keys tried for a token at most: each costs up to a millisecond, and any sender can ask.
    package static let maximumAttempts = 3

    /// Those of `keys` and `secrets` that are for the header's `alg`, `enc` and `epk`, and have its `kid` when it names
    /// one.
    init(
        for header: JWEHeader, among keys: [DecryptionJWK], _ secrets: [DecryptionSecret]
    ) throws(JWERefusal) {
        var holders: [Holder] = []
        var hasKeyOfAnotherCurve = false
        for key in keys where key.management == header.management && Self.equal(key.keyID, header.keyID) {
            guard header.ephemeralKey?.isOfSameCurve(as: key.key.publicNumbers) ?? true else {
                hasKeyOfAnotherCurve = true
                continue
            }
            holders.append(.key(key.key))
        }
        for secret in secrets where secret.management == header.management {
            if let keyID = secret.keyID, !Self.equal(keyID, header.keyID) { continue }
            let length = header.management.wrappingKeyLength ?? header.encryption.cipher.keyLength
            guard secret.secret.count == length else { continue }
            holders.append(.secret(secret.secret))
        }
        if holders.isEmpty { throw hasKeyOfAnotherCurve ? .ephemeralKeyInvalid : .unknownKey }
        guard holders.count <= Self.maximumAttempts else { throw .tooManyKeys }
        self.header = header
        self.holders = holders
    }

    /// The content's key by each holder.
    ///
    /// Where the encrypted key does not fit there are random bytes instead, by which the content will not decrypt either:
    /// a sender does not learn which of the two it was (RFC 7516 §11.5).
    func open(_ encryptedKey: Span<UInt8>) throws(JWERefusal) -> [Secret] {
        guard header.management.sendsNoKey == (encryptedKey.count == 0) else { throw .encryptedKeyInvalid }
        var keys: [Secret] = []
        for holder in holders {
            let length = header.encryption.cipher.keyLength
            let substitute = Secret(RandomBytes.fill(length))
            guard let key = try open(encryptedKey, holder), key.count == length else {
                keys.append(substitute)
                continue
            }
            keys.append(key)
        }
        return keys
    }

    private func open(_ encryptedKey: Span<UInt8>, _ holder: Holder) throws(JWERefusal) -> Secret? {
        switch holder {
        case .secret(let secret):
            return header.management == .direct ? secret : KeyWrap.unwrap(encryptedKey, with: secret)
        case .key(let key):
            if let hash = header.management.oaepHash { return key.decrypt(encryptedKey, oaep: hash) }
            let agreed = try agreedKey(key)
            return header.management == .ecdhES ? agreed : KeyWrap.unwrap(encryptedKey, with: agreed)
        }
    }

    private func agreedKey(_ key: PrivateKey) throws(JWERefusal) -> Secret {
        guard let peer = header.ephemeralKey else { throw .ephemeralKeyInvalid }
        let agreement = KeyAgreement(
            management: header.management, encryption: header.encryption, partyInfo: header.partyInfo)
        do throws(CryptoRefusal) {
            return try agreement.key(from: key.agree(with: peer))
        } catch {
            throw .ephemeralKeyInvalid
        }
    }

    /// Byte by byte; a header without a name is for every key.
    private static func equal(_ keyID: String, _ wanted: String?) -> Bool {
        guard let wanted else { return true }
        return keyID.utf8.elementsEqual(wanted.utf8)
    }
}

extension PrivateKey.PublicNumbers {
    fileprivate func isOfSameCurve(as other: Self) -> Bool {
        switch (self, other) {
        case (.ellipticCurve(let one, _, _), .ellipticCurve(let other, _, _)): one == other
        case (.x25519, .x25519): true
        default: false
        }
    }
}
