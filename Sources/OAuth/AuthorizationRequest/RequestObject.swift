import Bytes
public import Crypto
public import JOSE
import JSON

/// Why there is no request object; the login ends, and nothing unsigned or unencrypted is sent in its place.
public enum RequestObjectRefusal: Error, Sendable, Equatable {
    /// `jti` is empty, longer than 64 bytes, or has characters that base64url does not (JAR-05).
    case identifierInvalid
    /// A lifetime below one second, or one that makes `exp` lie more than an hour after `nbf` (JAR-05).
    case lifetimeNotAllowed
    /// The key gave no signature.
    case notSigned(SigningRefusal)
    /// The server publishes no key that the configured encryption can use (JAR-10).
    case noEncryptionKey
    /// The signed object could not be encrypted.
    case notEncrypted(JWERefusal)
}

extension AuthorizationParameters {
    /// Seconds by which `nbf` lies back, for servers whose clock does (JAR-05).
    static let clockDifferenceSeconds: Int64 = 10
    /// Seconds from `nbf` to `exp` at most (FAPI 2.0 Message Signing §5.3.2).
    static let longestValiditySeconds: Int64 = 3600
    /// Bytes of `jti` at most.
    static let maximumIdentifierBytes = 64

    /// The signed request object that says all of this (RFC 9101 §4), encrypted where the settings say so.
    ///
    /// `issuer` is the server's, byte for byte as its metadata has it (JAR-03). `identifier` is random and made for
    /// this object. `encryptionKeys` are the server's with `use` = `enc`; `now` is in seconds since 1970.
    public func requestObject(
        issuer: String, signedBy key: SigningJWK, now: Int64, identifier: String, encryptionKeys: [JWK] = []
    ) throws(RequestObjectRefusal) -> [UInt8] {
        let claims = try claims(issuer: issuer, now: now, identifier: identifier)
        let object: [UInt8]
        do throws(SigningRefusal) {
            object = try CompactJWS.sign(claims.span, type: settings.objectType.rawValue, by: key)
        } catch {
            throw .notSigned(error)
        }
        guard let encryption = settings.encryption else { return object }
        return try Self.encrypt(object, by: encryption, to: encryptionKeys)
    }

    /// JAR-10: signed first, then encrypted (RFC 9101 §4): what is inside is known to be ours.
    ///
    /// Somebody asked for secrecy, so that without a key there is no request rather than one that anybody can read.
    private static func encrypt(
        _ object: [UInt8], by encryption: AuthorizationRequestSettings.Encryption, to keys: [JWK]
    ) throws(RequestObjectRefusal) -> [UInt8] {
        guard let algorithm = KeyManagementAlgorithm(name: encryption.algorithm), !algorithm.isSymmetric,
            let key = keys.first(where: { isForEncryption($0) && $0.fits(algorithm) })
        else { throw .noEncryptionKey }
        do throws(JWERefusal) {
            return try CompactJWE.encrypt(
                object.span, to: key, algorithm: encryption.algorithm, encoding: encryption.encoding,
                contentType: "JWT")
        } catch {
            throw .notEncrypted(error)
        }
    }

    /// A key that is not said to be for encryption may be one that signs.
    private static func isForEncryption(_ key: JWK) -> Bool {
        key.use.map { $0.utf8.elementsEqual("enc".utf8) } ?? (key.encryptionAlgorithm != nil)
    }

    /// Neither `sub`, with which a server could take the object for a client assertion, nor `request` or
    /// `request_uri` (RFC 9101 §4, §10.8; JAR-04).
    private func claims(
        issuer: String, now: Int64, identifier: String
    ) throws(RequestObjectRefusal) -> [UInt8] {
        guard Self.isIdentifier(identifier) else { throw .identifierInvalid }
        let lifetime = Int64(settings.objectLifetime.wholeSeconds)
        guard (1...Self.longestValiditySeconds - Self.clockDifferenceSeconds).contains(lifetime)
        else { throw .lifetimeNotAllowed }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [("iss", clientID), ("aud", issuer), ("jti", identifier)] {
            writer.name(name)
            writer.string(value)
        }
        for (name, seconds) in [
            ("iat", now), ("nbf", now - Self.clockDifferenceSeconds), ("exp", now + lifetime),
        ] {
            writer.name(name)
            writer.integer(seconds)
        }
        for (name, value) in values {
            writer.name(name)
            Self.write(value, to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ value: Value, to writer: inout JSONWriter) {
        switch value {
        case .text(let text): writer.string(text)
        case .number(let number): writer.integer(Int64(number))
        case .structure(let structure): writer.value(structure)
        case .list(let texts):
            // RFC 8707 §2.1: several of them are an array, for a claim occurs once.
            if texts.count == 1 { return writer.string(texts[0]) }
            writer.beginArray()
            for text in texts { writer.string(text) }
            writer.endArray()
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...maximumIdentifierBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}
