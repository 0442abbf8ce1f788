import Bytes
public import JSON

/// A JWS's protected header: what a stranger claims about a token, good for looking keys up and nothing else.
///
/// `jku`, `x5u`, `x5c`, `x5t` and `jwk` are never read: a key that a token brings or points to proves only that its
/// sender has a key (RFC 8725 §3.10; JOSE-13).
public struct JWSHeader: Sendable {
    /// `alg` as written.
    public let algorithmName: String
    /// `alg` when it is a signature algorithm this library has.
    public let algorithm: SignatureAlgorithm?
    /// `kid`: an opaque name, at most 256 bytes (JOSE-14).
    public let keyID: String?
    /// `typ` as written.
    public let type: String?
    /// Every parameter.
    public let parameters: JSONValue

    /// Reads a header as it stands in a token, in base64url.
    public init(segment: Span<UInt8>) throws(JOSERefusal) {
        guard let bytes = Base64URL.decode(segment) else { throw .notBase64URL }
        try self.init(owned: bytes)
    }

    /// Reads a header; every parameter that decides anything must have its type, and `crit` must be absent.
    init(owned bytes: consuming [UInt8]) throws(JOSERefusal) {
        let limits = JSONLimits(bytes: CompactJWS.maximumHeaderBytes)
        let parameters: JSONValue
        do throws(JSONRefusal) {
            parameters = try JSONValue.parse(owned: bytes, limits: limits)
        } catch {
            throw error == .tooLong ? .headerTooLarge : .headerNotJSON(error)
        }
        guard parameters.kind == .object else { throw .headerNotObject }
        guard let algorithmName = parameters["alg"]?.string else { throw .algorithmInvalid }
        if let critical = parameters["crit"] { throw CriticalParameters.refusal(critical, in: parameters) }
        self.algorithmName = algorithmName
        self.algorithm = SignatureAlgorithm(name: algorithmName)
        self.type = try Self.type(parameters["typ"])
        self.keyID = try Self.keyID(parameters["kid"])
        self.parameters = parameters
    }

    private static func type(_ value: JSONValue?) throws(JOSERefusal) -> String? {
        guard let value else { return nil }
        guard let type = value.string else { throw .typeInvalid }
        return type
    }

    private static func keyID(_ value: JSONValue?) throws(JOSERefusal) -> String? {
        guard let value else { return nil }
        guard let count = value.utf8Count, count <= 256, let keyID = value.string else { throw .keyIDInvalid }
        return keyID
    }

    /// Whether `typ` is the media type `application/<subtype>`, however it is cased and with or without its prefix.
    ///
    /// RFC 7515 §4.1.9 lets a sender leave `application/` out; media types ignore case (JOSE-19).
    public func hasType(_ subtype: String) -> Bool {
        guard let type else { return false }
        let prefix = "application/".utf8
        var rest = Substring(type).utf8
        if rest.count > prefix.count, Self.equalIgnoringCase(rest.prefix(prefix.count), prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        return Self.equalIgnoringCase(rest, subtype.utf8)
    }

    private static func equalIgnoringCase(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) -> Bool {
        one.elementsEqual(other) { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
