import Bytes
import Crypto
import JOSE
import JSON
import TestSupport

/// The JWS that `token` spells.
func readJWS(_ token: String, maximumBytes: Int = 16 * 1024) throws(JOSERefusal) -> CompactJWS {
    let bytes = Array(token.utf8)
    return try CompactJWS.parse(bytes.span, maximumBytes: maximumBytes)
}

/// The JWT that `token` spells.
func readJWT(_ token: String, maximumBytes: Int = 16 * 1024) throws(JOSERefusal) -> UncheckedJWT {
    let bytes = Array(token.utf8)
    return try UncheckedJWT.parse(bytes.span, maximumBytes: maximumBytes)
}

/// The key set that `text` spells.
func readKeySet(_ text: String) throws(JOSERefusal) -> KeySet {
    let bytes = Array(text.utf8)
    return try KeySet.parse(bytes.span)
}

/// The JSON value that `text` spells.
func readJSON(_ text: String) throws(JSONRefusal) -> JSONValue {
    let bytes = Array(text.utf8)
    return try JSONValue.parse(bytes.span)
}

/// base64url of text.
func base64URL(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return Base64URL.encode(bytes.span)
}

/// A token of these JSON texts with a signature of four octets: for readers that come before verifiers.
func unsigned(header: String = #"{"alg":"ES256"}"#, claims: String = "{}") -> String {
    base64URL(header) + "." + base64URL(claims) + ".AAAA"
}

/// Why a set of these keys does not verify `token`; nil when it does.
func refusal(
    of token: String, keys: [String], algorithms: [SignatureAlgorithm] = SignatureAlgorithm.allCases
) -> JOSERefusal? {
    do throws(JOSERefusal) {
        let set = try readKeySet(SigningKey.keySet(jwks: keys))
        _ = try VerificationKeys(set).verify(try readJWS(token), algorithms: algorithms)
        return nil
    } catch {
        return error
    }
}

/// What `token` says to the owner of these keys.
func decrypt(
    _ token: String, _ keys: [DecryptionJWK], secrets: [DecryptionSecret] = [], maximumBytes: Int = 16 * 1024
) throws(JWERefusal) -> CompactJWE.Decrypted {
    let bytes = Array(token.utf8)
    return try CompactJWE.decrypt(bytes.span, with: keys, secrets: secrets, maximumBytes: maximumBytes)
}

/// Why `token` is not decrypted with these keys; nil when it is.
func refusal(
    decrypting token: String, _ keys: [DecryptionJWK], secrets: [DecryptionSecret] = [], maximumBytes: Int = 16 * 1024
) -> JWERefusal? {
    do throws(JWERefusal) {
        _ = try decrypt(token, keys, secrets: secrets, maximumBytes: maximumBytes)
        return nil
    } catch {
        return error
    }
}

/// `plaintext`, encrypted to the owner of `key`.
func encrypt(
    _ plaintext: String, to key: JWK, _ algorithm: String, _ encoding: String, contentType: String? = "JWT"
) throws(JWERefusal) -> String {
    let bytes = Array(plaintext.utf8)
    let token = try CompactJWE.encrypt(
        bytes.span, to: key, algorithm: algorithm, encoding: encoding, contentType: contentType)
    return String(decoding: token, as: UTF8.self)
}

/// `plaintext`, encrypted for those who share `secret`.
func encrypt(_ plaintext: String, with secret: DecryptionSecret, _ encoding: String) throws(JWERefusal) -> String {
    let bytes = Array(plaintext.utf8)
    let token = try CompactJWE.encrypt(bytes.span, with: secret, encoding: encoding, contentType: nil)
    return String(decoding: token, as: UTF8.self)
}

/// The token with a header of this JSON text in the place of its own.
func replacingHeader(of token: String, with header: String) -> String {
    base64URL(header) + token.drop { $0 != "." }
}

extension PublishedJWE {
    /// The header's JSON text.
    var header: String {
        let segment = Array(compact.utf8.prefix { $0 != UInt8(ascii: ".") })
        return Base64URL.decode(segment.span).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The key with the name that the header has, or with one of its own.
    func keys() throws -> (keys: [DecryptionJWK], secrets: [DecryptionSecret]) {
        let keyID = try readJSON(header)["kid"]?.string
        switch key {
        case .pem(let text):
            let pem = Secret(Array(text.utf8))
            return ([try DecryptionJWK(pem: pem, algorithm: algorithm, keyID: keyID)], [])
        case .secret(let text):
            let text = Array(text.utf8)
            let secret = Secret(Base64URL.decode(text.span) ?? [])
            return ([], [try DecryptionSecret(secret, algorithm: algorithm, keyID: keyID)])
        }
    }
}
