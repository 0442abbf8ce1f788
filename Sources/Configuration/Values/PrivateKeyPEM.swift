import Crypto
import JOSE

/// Private keys that sign, read by the code that uses them.
enum PrivateKeyPEM {
    static let maximumBytes = 64 * 1024

    /// The key of a PEM text, or nil after the problem has been noted.
    ///
    /// `place` is that of the key, `algorithm` the one that it must fit and where that was said.
    static func read(
        _ bytes: [UInt8], at place: Place, _ algorithm: (algorithm: SignatureAlgorithm, place: Place)? = nil,
        keyID: String? = nil, noting problems: ProblemList
    ) -> SigningJWK? {
        do throws(SigningRefusal) {
            return try SigningJWK(pem: Secret(bytes), algorithm: algorithm?.algorithm, keyID: keyID)
        } catch .algorithmMismatch {
            let name = algorithm?.algorithm.name ?? ""
            problems.error(
                at: algorithm?.place ?? place, expected: "an algorithm that fits the key", found: name,
                remedy: "leave algorithm out: it follows from the key; \(name) needs another kind of key")
        } catch {
            problems.error(
                at: place, expected: "a private key in PEM", found: error.words,
                remedy: error.remedy(making: "openssl ecparam -name prime256v1 -genkey -noout"))
        }
        return nil
    }

    /// The same for a key that decrypts.
    static func readDecryption(
        _ bytes: [UInt8], at place: Place, _ algorithm: PlacedText?, keyID: String?, noting problems: ProblemList
    ) -> DecryptionJWK? {
        do throws(SigningRefusal) {
            return try DecryptionJWK(pem: Secret(bytes), algorithm: algorithm?.text, keyID: keyID)
        } catch .algorithmMismatch {
            problems.error(
                at: algorithm?.place ?? place, expected: "an algorithm that fits the key", found: algorithm?.text ?? "",
                remedy: "leave algorithm out: it follows from the key; RSA-OAEP is for RSA, ECDH-ES for the curves")
        } catch .keyTypeNotAccepted {
            problems.error(
                at: place, expected: "a private key that can decrypt: RSA, P-256, P-384, P-521 or X25519",
                found: "another kind of key", remedy: "make one with  openssl genrsa 3072")
        } catch {
            problems.error(
                at: place, expected: "a private key in PEM", found: error.words,
                remedy: error.remedy(making: "openssl genrsa 3072"))
        }
        return nil
    }
}

extension SigningRefusal {
    /// What the operator does about it: `command` makes another key.
    fileprivate func remedy(making command: String) -> String {
        self == .encrypted ? PEMText.withoutPassphrase : "make one with  \(command)"
    }

    /// What the operator reads of a file that holds no usable key.
    fileprivate var words: String {
        switch self {
        case .notPrivateKey: "no private key in PEM"
        case .encrypted: PEMText.encrypted
        case .severalKeys: "more than one private key"
        case .keyTypeNotAccepted: "a key that is not RSA, P-256, P-384, P-521 or Ed25519"
        case .modulusLength(let bits): "an RSA key of \(bits) bits, not of 2048 to 8192"
        case .exponentNotAllowed: "an RSA key with an exponent that is not accepted"
        case .inconsistent: "a private key that does not belong to its public half"
        case .algorithmMismatch: "a key of another kind"
        case .notGenerated, .libraryFailed: "a key that OpenSSL refuses"
        }
    }
}
