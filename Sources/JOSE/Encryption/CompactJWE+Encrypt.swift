import Bytes
import Crypto
import JSON

extension CompactJWE {
    /// `plaintext`, for the owner of `key` alone.
    ///
    /// `algorithm` and `encoding` are names of RFC 7518 §4.1 and §5.1, `contentType` is `JWT` when a token is nested. The
    /// header has the key's `kid`.
    ///
    /// - Throws: `.algorithmNotAllowed`, `.encodingNotAllowed`, `.recipientKeyInvalid` for a key that is for something
    ///   else or unsound, `.notEncrypted` when the library fails. Nothing is ever returned unencrypted (JAR-10).
    public static func encrypt(
        _ plaintext: Span<UInt8>, to key: JWK, algorithm: String, encoding: String, contentType: String?
    ) throws(JWERefusal) -> [UInt8] {
        guard let management = KeyManagementAlgorithm(name: algorithm), !management.isSymmetric
        else { throw .algorithmNotAllowed(algorithm) }
        guard let encryption = ContentEncryption(name: encoding) else { throw .encodingNotAllowed(encoding) }
        guard key.fits(management), key.isSound else { throw .recipientKeyInvalid }
        let writer = JWEWriter(
            management: management, encryption: encryption, keyID: key.keyID, contentType: contentType)
        do throws(CryptoRefusal) {
            return try writer.encrypt(plaintext, to: key.material)
        } catch {
            throw .notEncrypted
        }
    }

    /// `plaintext`, for those who share `secret`; the algorithm is the secret's.
    ///
    /// - Throws: `.encodingNotAllowed`, also for `dir` with a secret that is not as long as the encoding's key.
    public static func encrypt(
        _ plaintext: Span<UInt8>, with secret: DecryptionSecret, encoding: String, contentType: String?
    ) throws(JWERefusal) -> [UInt8] {
        guard let encryption = ContentEncryption(name: encoding) else { throw .encodingNotAllowed(encoding) }
        if secret.management == .direct, secret.secret.count != encryption.cipher.keyLength {
            throw .encodingNotAllowed(encoding)
        }
        let writer = JWEWriter(
            management: secret.management, encryption: encryption, keyID: secret.keyID, contentType: contentType)
        do throws(CryptoRefusal) {
            return try writer.encrypt(plaintext, with: secret.secret)
        } catch {
            throw .notEncrypted
        }
    }
}

/// Writes one encrypted token.
private struct JWEWriter {
    let management: KeyManagementAlgorithm
    let encryption: ContentEncryption
    let keyID: String?
    let contentType: String?

    func encrypt(_ plaintext: Span<UInt8>, to material: JWK.Material) throws(CryptoRefusal) -> [UInt8] {
        if let hash = management.oaepHash, case .rsa(let modulus, let exponent) = material {
            let key = contentKey()
            let recipient = PrivateKey.PublicNumbers.rsa(modulus: modulus, exponent: exponent)
            return try write(plaintext, key, encryptedKey: recipient.encrypt(key, oaep: hash), ephemeral: nil)
        }
        let (ephemeral, peer) = try pair(for: material)
        let agreement = KeyAgreement(management: management, encryption: encryption)
        let agreed = try agreement.key(from: ephemeral.agree(with: peer))
        let published = JWK.Material(ephemeral.publicNumbers)
        guard management.wrappingKeyLength != nil else {
            return try write(plaintext, agreed, encryptedKey: [], ephemeral: published)
        }
        let key = contentKey()
        return try write(plaintext, key, encryptedKey: KeyWrap.wrap(key, with: agreed), ephemeral: published)
    }

    func encrypt(_ plaintext: Span<UInt8>, with secret: Secret) throws(CryptoRefusal) -> [UInt8] {
        if management == .direct { return try write(plaintext, secret, encryptedKey: [], ephemeral: nil) }
        let key = contentKey()
        return try write(plaintext, key, encryptedKey: KeyWrap.wrap(key, with: secret), ephemeral: nil)
    }

    private func contentKey() -> Secret { Secret(RandomBytes.fill(encryption.cipher.keyLength)) }

    /// A new key of the recipient's curve, used for this token only, and the recipient's numbers.
    private func pair(
        for material: JWK.Material
    ) throws(CryptoRefusal) -> (ephemeral: PrivateKey, peer: PrivateKey.PublicNumbers) {
        let kind: PrivateKey.Generated
        let peer: PrivateKey.PublicNumbers
        switch material {
        case .ellipticCurve(let curve, let x, let y):
            kind =
                switch curve {
                case .p256: .p256
                case .p384: .p384
                case .p521: .p521
                }
            peer = .ellipticCurve(curve, x: x, y: y)
        case .x25519(let bytes):
            kind = .x25519
            peer = .x25519(bytes)
        case .rsa, .ed25519: throw .notBuilt
        }
        do throws(SigningRefusal) {
            return (try PrivateKey.generate(kind), peer)
        } catch {
            throw .libraryFailed
        }
    }

    private func write(
        _ plaintext: Span<UInt8>, _ key: Secret, encryptedKey: [UInt8], ephemeral: JWK.Material?
    ) throws(CryptoRefusal) -> [UInt8] {
        var token: [UInt8] = []
        let header = header(ephemeral: ephemeral)
        Base64URL.append(header.span, to: &token)
        let nonce = RandomBytes.fill(encryption.cipher.nonceLength)
        let sealed = try encryption.cipher.seal(plaintext, key: key, nonce: nonce.span, additional: token.span)
        for segment in [encryptedKey, nonce, sealed.ciphertext, sealed.tag] {
            token.append(UInt8(ascii: "."))
            Base64URL.append(segment.span, to: &token)
        }
        return token
    }

    private func header(ephemeral: JWK.Material?) -> [UInt8] {
        var header = JSONWriter()
        header.beginObject()
        header.name("alg")
        header.string(management.name)
        header.name("enc")
        header.string(encryption.name)
        if let keyID {
            header.name("kid")
            header.string(keyID)
        }
        if let contentType {
            header.name("cty")
            header.string(contentType)
        }
        if let ephemeral {
            header.name("epk")
            JWKSetWriter.write(ephemeral, to: &header)
        }
        header.endObject()
        return header.bytes
    }
}
