import Bytes
import COpenSSL
public import JOSE

/// A private key made for tests: signs by every algorithm, publishes its public half as a JWK.
///
/// Also makes keys that nobody should accept, so that refusing them can be tested.
public final class SigningKey: @unchecked Sendable {
    /// What to generate.
    public enum Kind: Sendable, Hashable {
        case rsa(bits: UInt32)
        case p256, p384, p521, ed25519, ed448
    }

    /// What was generated.
    public let kind: Kind
    /// The `kid` it publishes, if any.
    public let keyID: String?
    let key: OpaquePointer

    /// Shared keys: generating RSA takes a good part of a second.
    public static let rsa = SigningKey(.rsa(bits: 2048), keyID: "rsa-1")
    /// Another RSA key.
    public static let otherRSA = SigningKey(.rsa(bits: 2048), keyID: "rsa-2")
    /// Too short for anything (JOSE-07).
    public static let weakRSA = SigningKey(.rsa(bits: 1024), keyID: "rsa-weak")
    /// A P-256 key.
    public static let p256 = SigningKey(.p256, keyID: "p256-1")
    /// Another P-256 key.
    public static let otherP256 = SigningKey(.p256, keyID: "p256-2")
    /// A P-384 key.
    public static let p384 = SigningKey(.p384, keyID: "p384-1")
    /// A P-521 key.
    public static let p521 = SigningKey(.p521, keyID: "p521-1")
    /// An Ed25519 key.
    public static let ed25519 = SigningKey(.ed25519, keyID: "ed25519-1")

    /// Generates a key.
    public init(_ kind: Kind, keyID: String? = nil) {
        let key: OpaquePointer? =
            switch kind {
            case .rsa(let bits): COpenSSL_RSA_gen(bits)
            case .p256: COpenSSL_EC_gen("P-256")
            case .p384: COpenSSL_EC_gen("P-384")
            case .p521: COpenSSL_EC_gen("P-521")
            case .ed25519: COpenSSL_ED25519_gen()
            case .ed448: COpenSSL_ED448_gen()
            }
        guard let key else { preconditionFailure("OpenSSL made no \(kind) key") }
        self.kind = kind
        self.keyID = keyID
        self.key = key
    }

    /// The same key under another name (or none).
    public init(renaming other: SigningKey, keyID: String?) {
        EVP_PKEY_up_ref(other.key)
        kind = other.kind
        self.keyID = keyID
        key = other.key
    }

    deinit { EVP_PKEY_free(key) }

    /// The algorithm one would choose for this key.
    public var algorithm: SignatureAlgorithm {
        switch kind {
        case .rsa: .rs256
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        case .ed25519, .ed448: .edDSA
        }
    }

    /// The required members of the public JWK, values base64url or names, without quotes.
    public var publicMembers: [(name: String, value: String)] {
        switch kind {
        case .rsa: [("kty", "RSA"), ("n", number("n")), ("e", number("e"))]
        case .p256: [("kty", "EC"), ("crv", "P-256"), ("x", number("qx", 32)), ("y", number("qy", 32))]
        case .p384: [("kty", "EC"), ("crv", "P-384"), ("x", number("qx", 48)), ("y", number("qy", 48))]
        case .p521: [("kty", "EC"), ("crv", "P-521"), ("x", number("qx", 66)), ("y", number("qy", 66))]
        case .ed25519: [("kty", "OKP"), ("crv", "Ed25519"), ("x", rawPublicKey())]
        case .ed448: [("kty", "OKP"), ("crv", "Ed448"), ("x", rawPublicKey())]
        }
    }

    /// The public JWK's JSON text; `members` are raw JSON values that add to its members or replace them.
    public func publicJWK(_ members: [String: String] = [:]) -> String {
        var all = publicMembers.map { ($0.name, "\"\($0.value)\"") }
        if let keyID { all.append(("kid", "\"\(keyID)\"")) }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            all.removeAll { $0.0 == name }
            all.append((name, value))
        }
        return "{" + all.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    /// A JWK Set's JSON text with these keys.
    public static func keySet(_ keys: [SigningKey]) -> String {
        keySet(jwks: keys.map { $0.publicJWK() })
    }

    /// A JWK Set's JSON text with these keys.
    public static func keySet(jwks: [String]) -> String {
        "{\"keys\":[" + jwks.joined(separator: ",") + "]}"
    }

    private func number(_ name: String, _ length: Int? = nil) -> String {
        var value: OpaquePointer?
        precondition(EVP_PKEY_get_bn_param(key, name, &value) == 1, "the key has no \(name)")
        defer { BN_free(value) }
        let count = length ?? Int(BN_num_bits(value) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        BN_bn2binpad(value, &bytes, Int32(count))
        return Base64URL.encode(bytes.span)
    }

    private func rawPublicKey() -> String {
        var count = 0
        EVP_PKEY_get_raw_public_key(key, nil, &count)
        var bytes = [UInt8](repeating: 0, count: count)
        EVP_PKEY_get_raw_public_key(key, &bytes, &count)
        return Base64URL.encode(bytes.span)
    }
}

extension SigningKey {
    /// How a PSS signature's salt is chosen.
    public enum Salt: Int32, Sendable {
        /// As long as the hash, as RFC 7518 wants.
        case hashLength = -1
        /// None: a signature that must be refused (JOSE-10).
        case empty = 0
    }

    /// Signs `message`; ECDSA gives R‖S.
    ///
    /// Any RSA algorithm works with an RSA key, and any curve with any ECDSA algorithm.
    public func sign(
        _ message: [UInt8], by algorithm: SignatureAlgorithm, salt: Salt = .hashLength
    ) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        precondition(EVP_DigestSignInit(context, &parameters, algorithm.digest, nil, key) == 1)
        switch algorithm {
        case .ps256, .ps384, .ps512:
            EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING)
            EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, salt.rawValue)
        case .rs256, .rs384, .rs512, .es256, .es384, .es512, .edDSA: break
        }
        var count = 0
        precondition(EVP_DigestSign(context, nil, &count, message, message.count) == 1)
        var signature = [UInt8](repeating: 0, count: count)
        precondition(EVP_DigestSign(context, &signature, &count, message, message.count) == 1)
        signature.removeLast(signature.count - count)
        switch algorithm {
        case .es256, .es384, .es512: return fixedLength(der: signature)
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .edDSA: return signature
        }
    }

    /// R‖S of a DER signature.
    private func fixedLength(der: [UInt8]) -> [UInt8] {
        let half =
            switch kind {
            case .p384: 48
            case .p521: 66
            case .p256, .rsa, .ed25519, .ed448: 32
            }
        var bytes = [UInt8](repeating: 0, count: 2 * half)
        der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            let signature = d2i_ECDSA_SIG(nil, &position, der.count)
            defer { ECDSA_SIG_free(signature) }
            bytes.withUnsafeMutableBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, Int32(half))
                BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + half, Int32(half))
            }
        }
        return bytes
    }
}

extension SignatureAlgorithm {
    fileprivate var digest: OpaquePointer? {
        switch self {
        case .rs256, .ps256, .es256: EVP_sha256()
        case .rs384, .ps384, .es384: EVP_sha384()
        case .rs512, .ps512, .es512: EVP_sha512()
        case .edDSA: nil
        }
    }
}
