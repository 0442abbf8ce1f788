import Crypto
import JOSE
import JSON

/// Opens what an authorization server signed, and perhaps encrypted, for this client.
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
        guard !mustBeEncrypted || CompactJWE.isJWE(token) else { throw .notEncrypted }
        let jwt = try Self.takeApart(token, decryption: decryption, limits: limits ?? JSONLimits(bytes: maximumBytes))
        try checkType(jwt.header)
        return jwt
    }

    /// The same before it is known what the token must be; whoever asks checks that, and `typ`, later.
    static func takeApart(
        _ token: Span<UInt8>, decryption: [DecryptionJWK], limits: JSONLimits
    ) throws(EnvelopeRefusal) -> UncheckedJWT {
        guard CompactJWE.isJWE(token) else { return try parse(token, limits) }
        guard !decryption.isEmpty else { throw .noDecryptionKey }
        let inner: [UInt8]
        do throws(JWERefusal) {
            inner = try CompactJWE.decrypt(token, with: decryption, maximumBytes: limits.bytes).signedToken()
        } catch {
            throw .encryption(error)
        }
        return try parse(inner.span, limits)
    }

    /// A token that says what it is for is good for nothing else (RFC 8725 §3.11).
    func checkType(_ header: JWSHeader) throws(EnvelopeRefusal) {
        guard header.type == nil ? mayLackType : types.contains(where: header.hasType)
        else { throw .typeNotAccepted(header.type) }
    }

    private static func parse(_ token: Span<UInt8>, _ limits: JSONLimits) throws(EnvelopeRefusal) -> UncheckedJWT {
        do throws(JOSERefusal) {
            return try UncheckedJWT.parse(token, limits: limits)
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
            // An algorithm that nobody agreed on is no reason to read keys.
            guard let algorithm = jwt.header.algorithm, algorithms.contains(algorithm)
            else { throw .algorithmNotAllowed(jwt.header.algorithmName) }
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
