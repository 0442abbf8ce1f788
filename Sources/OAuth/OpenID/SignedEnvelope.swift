import Crypto
import JOSE
import JSON

/// Opens what an OpenID provider signed, and perhaps encrypted, for this client.
struct SignedEnvelope {
    /// How it must be signed.
    let signature: IDTokenRules.Signature
    /// Whether only encrypted tokens are taken (OIDC-11).
    let mustBeEncrypted: Bool
    /// Bytes of the token, and of what is encrypted in it.
    let maximumBytes: Int
    /// The values of `typ` that are taken, beside its absence.
    let types: [String]
    /// Whether `typ` may be absent.
    let mayLackType: Bool
    /// Of the claims, where they are others than any token's of that size.
    var limits: JSONLimits?

    /// The signed token, out of its encryption where it has one (JOSE-24: signed first, then encrypted, and once).
    ///
    /// Nothing in it is believed before `verify`. Its issuer is looked at even so: whoever names another one must not
    /// make us read this one's keys again (LO-12).
    func open(_ token: Span<UInt8>, decryption: [DecryptionJWK]) throws(EnvelopeRefusal) -> UncheckedJWT {
        guard token.count <= maximumBytes else { throw .tooLarge }
        let jwt: UncheckedJWT
        if CompactJWE.isJWE(token) {
            let inner = try decrypt(token, with: decryption)
            jwt = try parse(inner.span)
        } else {
            guard !mustBeEncrypted else { throw .notEncrypted }
            jwt = try parse(token)
        }
        // A token that says what it is for is good for nothing else (RFC 8725 §3.11).
        guard jwt.header.type == nil ? mayLackType : types.contains(where: jwt.header.hasType)
        else { throw .typeNotAccepted(jwt.header.type) }
        return jwt
    }

    /// The signed token inside an encrypted one.
    private func decrypt(_ token: Span<UInt8>, with keys: [DecryptionJWK]) throws(EnvelopeRefusal) -> [UInt8] {
        guard !keys.isEmpty else { throw .noDecryptionKey }
        do throws(JWERefusal) {
            return try CompactJWE.decrypt(token, with: keys, maximumBytes: maximumBytes).signedToken()
        } catch {
            throw .encryption(error)
        }
    }

    private func parse(_ token: Span<UInt8>) throws(EnvelopeRefusal) -> UncheckedJWT {
        do throws(JOSERefusal) {
            return try UncheckedJWT.parse(token, limits: limits ?? JSONLimits(bytes: maximumBytes))
        } catch {
            switch error {
            case .encrypted: throw .noDecryptionKey
            case .tooLarge: throw .tooLarge
            default: throw .malformed(error)
            }
        }
    }

    /// Refuses unless the issuer signed it; the hash that belongs to the algorithm it did so by.
    func verify(_ jwt: UncheckedJWT, keys: VerificationKeys?) throws(EnvelopeRefusal) -> HashFunction {
        switch signature {
        case .algorithms(let algorithms):
            guard let keys else { throw .keysMissing }
            do throws(JOSERefusal) {
                _ = try keys.verify(jwt.jws, algorithms: algorithms)
            } catch {
                throw Self.refusal(error, jwt.header)
            }
        case .secret(let algorithm, let secret):
            guard let key = try? algorithm.key(secret) else { throw .secretTooShort }
            do throws(JOSERefusal) {
                try jwt.jws.verify(algorithm, key)
            } catch {
                throw Self.refusal(error, jwt.header)
            }
        }
        return hash(jwt.header)
    }

    private static func refusal(_ cause: JOSERefusal, _ header: JWSHeader) -> EnvelopeRefusal {
        switch cause {
        case .algorithmNotAllowed: .algorithmNotAllowed(header.algorithmName)
        case .unknownKey: .unknownKey(keyID: header.keyID)
        case .tooManyKeys: .tooManyKeys
        case .signatureInvalid: .signatureInvalid
        default: .malformed(cause)
        }
    }

    /// The hash of OpenID Connect Core §3.1.3.6; for Ed25519 it is the one inside, SHA-512.
    private func hash(_ header: JWSHeader) -> HashFunction {
        switch signature {
        case .secret(.hs256, _): .sha256
        case .secret(.hs384, _): .sha384
        case .secret(.hs512, _): .sha512
        case .algorithms:
            switch header.algorithm {
            case .rs384, .ps384, .es384: .sha384
            case .rs512, .ps512, .es512, .edDSA: .sha512
            case .rs256, .ps256, .es256, nil: .sha256
            }
        }
    }
}
