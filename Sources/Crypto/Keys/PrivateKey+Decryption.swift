/// The hash of RSAES-OAEP's padding, and of its mask (RFC 7518 §4.3).
public enum OAEPHash: UInt8, Sendable, CaseIterable, Hashable {
    /// `RSA-OAEP`: collisions of SHA-1 do not matter here (RFC 8017 §B.1).
    case sha1
    /// `RSA-OAEP-256`.
    case sha256
}

extension PrivateKey {
    /// What was encrypted to this RSA key; nil, whatever the reason, when it was not.
    ///
    /// Who tells anybody that it was nil makes an oracle (Manger 2001): go on with random bytes instead.
    public func decrypt(_ ciphertext: Span<UInt8>, oaep hash: OAEPHash) -> Secret? {
        // One spelling: the library would also take numbers without zeros in front.
        guard case .rsa(let modulus, _) = publicNumbers, ciphertext.count == modulus.count else { return nil }
        return key.decryptOAEP(ciphertext, hash: hash).map { Secret($0) }
    }

    /// The secret that the owner of `peer` and this key's owner share (SEC 1 §3.3.1, RFC 7748 §6.1).
    ///
    /// - Throws: `.pointNotOnCurve` unless `peer` is a point of this key's curve, `.notBuilt` when everybody would know
    ///   the secret: an X25519 point of small order gives zeros (RFC 7748 §6.1; JOSE-25).
    public func agree(with peer: PublicNumbers) throws(CryptoRefusal) -> Secret {
        switch (publicNumbers, peer) {
        case (.ellipticCurve(let ours, _, _), .ellipticCurve(let theirs, _, _)) where ours == theirs: break
        case (.x25519, .x25519): break
        default: throw .pointNotOnCurve
        }
        guard let peer = EVPPeer(peer) else { throw .pointNotOnCurve }
        let secret = try key.agree(with: peer)
        let zeros = [UInt8](repeating: 0, count: secret.count)
        guard !secret.isEmpty, !ConstantTime.equal(secret.span, zeros.span) else { throw .notBuilt }
        return Secret(secret)
    }
}

extension PrivateKey.PublicNumbers {
    /// `message`, for the owner of this RSA key alone.
    ///
    /// - Throws: `.notBuilt` unless these are the numbers of an RSA key, `.libraryFailed` when the message is too long.
    public func encrypt(_ message: Secret, oaep hash: OAEPHash) throws(CryptoRefusal) -> [UInt8] {
        guard case .rsa = self, let peer = EVPPeer(self) else { throw .notBuilt }
        let bytes = message.reveal()
        guard let ciphertext = peer.encryptOAEP(bytes.span, hash: hash) else { throw .libraryFailed }
        return ciphertext
    }
}
