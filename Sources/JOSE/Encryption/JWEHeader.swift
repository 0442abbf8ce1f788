import Bytes
import Crypto
import JSON

/// A JWE's protected header, read for decrypting (RFC 7516 §4).
///
/// Never read: `p2c` and `p2s`, by which a sender would decide how long we compute (JOSE-23); `jku`, `x5u`, `jwk` and
/// their like, by which it would decide what we fetch (JOSE-13).
struct JWEHeader {
    /// `alg`.
    let management: KeyManagementAlgorithm
    /// `enc`.
    let encryption: ContentEncryption
    /// `kid`: an opaque name, at most 256 bytes.
    let keyID: String?
    /// `cty`.
    let contentType: String?
    /// `epk`, when `alg` agrees on a key; whether it is on its curve is not known yet.
    let ephemeralKey: PrivateKey.PublicNumbers?
    /// `apu` and `apv`, decoded.
    let partyInfo: (producer: [UInt8], recipient: [UInt8])

    /// Reads the header of a token; the cheap refusals come first, and no key has been touched after the last.
    init(segment: Span<UInt8>) throws(JWERefusal) {
        guard let bytes = Base64URL.decode(segment) else { throw .notBase64URL }
        let parameters: JSONValue
        do throws(JSONRefusal) {
            parameters = try JSONValue.parse(owned: bytes, limits: JSONLimits(bytes: CompactJWS.maximumHeaderBytes))
        } catch {
            throw error == .tooLong ? .headerTooLarge : .headerNotJSON(error)
        }
        guard parameters.kind == .object else { throw .headerNotObject }
        guard let algorithm = parameters["alg"]?.string else { throw .parameterInvalid("alg") }
        guard let management = KeyManagementAlgorithm(name: algorithm) else { throw .algorithmNotAllowed(algorithm) }
        guard let encoding = parameters["enc"]?.string else { throw .parameterInvalid("enc") }
        guard let encryption = ContentEncryption(name: encoding) else { throw .encodingNotAllowed(encoding) }
        if let critical = parameters["crit"] {
            let refusal = CriticalParameters.refusal(critical, in: parameters)
            throw refusal == .criticalNotUnderstood ? .criticalNotUnderstood : .criticalInvalid
        }
        guard parameters["zip"] == nil else { throw .compressed }
        if let type = parameters["typ"], type.kind != .string { throw .parameterInvalid("typ") }
        self.management = management
        self.encryption = encryption
        keyID = try Self.text("kid", of: parameters, maximumBytes: 256)
        contentType = try Self.text("cty", of: parameters, maximumBytes: CompactJWS.maximumHeaderBytes)
        ephemeralKey = management.agrees ? try Self.ephemeralKey(parameters["epk"]) : nil
        partyInfo = (try Self.bytes("apu", of: parameters), try Self.bytes("apv", of: parameters))
    }

    private static func text(
        _ name: String, of parameters: JSONValue, maximumBytes: Int
    ) throws(JWERefusal) -> String? {
        guard let value = parameters[name] else { return nil }
        guard let count = value.utf8Count, count <= maximumBytes, let text = value.string
        else { throw .parameterInvalid(name) }
        return text
    }

    private static func bytes(_ name: String, of parameters: JSONValue) throws(JWERefusal) -> [UInt8] {
        guard let value = parameters[name] else { return [] }
        guard let text = value.utf8, let bytes = Base64URL.decode(text.span) else { throw .parameterInvalid(name) }
        return bytes
    }

    private static func ephemeralKey(_ value: JSONValue?) throws(JWERefusal) -> PrivateKey.PublicNumbers {
        guard let value, value.kind == .object, JWK.isPublic(value) else { throw .ephemeralKeyInvalid }
        do throws(KeyRefusal) {
            switch try JWK.Material(value, agrees: true) {
            case .ellipticCurve(let curve, let x, let y): return .ellipticCurve(curve, x: x, y: y)
            case .x25519(let bytes): return .x25519(bytes)
            case .rsa, .ed25519: throw .curveUnknown
            }
        } catch {
            throw .ephemeralKeyInvalid
        }
    }
}
