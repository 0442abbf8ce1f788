// SPDX-License-Identifier: Apache-2.0
import Bytes
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
