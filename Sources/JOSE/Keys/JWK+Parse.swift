import Bytes
import Crypto
public import JSON

extension JWK {
    /// Reads a published key; what is not a usable public signature key is refused with its reason (JOSE-18).
    ///
    /// Whether the numbers make a sound key is decided by `makeVerificationKey`.
    public init(_ value: JSONValue) throws(KeyRefusal) {
        guard value.kind == .object else { throw .notObject }
        guard Self.isPublic(value) else { throw .privateMaterial }
        // First what it is for: of a key that encrypts nobody wants to hear that its algorithm or curve signs nothing.
        let use = try Self.use(value["use"])
        let material = try Material(value, agrees: false)
        let algorithm = try Self.algorithm(value["alg"])
        let keyOperations = try Self.keyOperations(value["key_ops"])
        let keyID = try Self.keyID(value["kid"])
        self.init(material: material, keyID: keyID, algorithm: algorithm, use: use, keyOperations: keyOperations)
        if let algorithm, algorithm.keyKind != kind { throw .algorithmMismatch }
    }

    /// RFC 7518 §6.2.2, §6.3.2, §6.4 and RFC 8037 §2: members that only a key's owner has.
    private static let privateMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"]

    /// Whether an object has no member that only a key's owner has.
    static func isPublic(_ value: JSONValue) -> Bool {
        privateMembers.allSatisfy { value[$0] == nil }
    }

    private static func algorithm(_ value: JSONValue?) throws(KeyRefusal) -> SignatureAlgorithm? {
        guard let value else { return nil }
        guard let name = value.string, let algorithm = SignatureAlgorithm(name: name) else { throw .algorithmUnknown }
        return algorithm
    }

    private static func use(_ value: JSONValue?) throws(KeyRefusal) -> String? {
        guard let value else { return nil }
        guard value.equals("sig") else { throw .notForSignatures }
        return "sig"
    }

    private static func keyOperations(_ value: JSONValue?) throws(KeyRefusal) -> [String]? {
        guard let value else { return nil }
        let operations = value.elements.compactMap(\.string)
        guard value.kind == .array, operations.count == value.count, Set(operations).count == operations.count
        else { throw .memberInvalid("key_ops") }
        guard operations.contains("verify") else { throw .notForVerifying }
        return operations
    }

    static func keyID(_ value: JSONValue?) throws(KeyRefusal) -> String? {
        guard let value else { return nil }
        guard let count = value.utf8Count, count <= 256 else { throw .keyIDInvalid }
        return value.string
    }
}

extension JWK.Material {
    /// The numbers of a published key: one that signs, or with `agrees` one that secrets are agreed on with.
    init(_ value: JSONValue, agrees: Bool) throws(KeyRefusal) {
        guard let type = value["kty"]?.string else { throw .keyTypeUnknown }
        if type == "oct" { throw .symmetric }
        switch JWK.KeyType(rawValue: type) {
        case .rsa:
            self = .rsa(modulus: try Self.bytes("n", of: value), exponent: try Self.bytes("e", of: value))
        case .ellipticCurve:
            guard let name = value["crv"]?.string, let curve = EllipticCurve(registeredName: name)
            else { throw .curveUnknown }
            self = .ellipticCurve(curve, x: try Self.bytes("x", of: value), y: try Self.bytes("y", of: value))
        case .octetKeyPair:
            // Ed448 and X448 share the key type (RFC 8037 §2); D-18 has Ed25519 only.
            guard let curve = value["crv"], curve.equals(agrees ? "X25519" : "Ed25519") else { throw .curveUnknown }
            let bytes = try Self.bytes("x", of: value)
            self = agrees ? .x25519(bytes) : .ed25519(bytes)
        case nil:
            throw .keyTypeUnknown
        }
    }

    private static func bytes(_ member: String, of value: JSONValue) throws(KeyRefusal) -> [UInt8] {
        guard let text = value[member]?.utf8, let bytes = Base64URL.decode(text.span)
        else { throw .memberInvalid(member) }
        return bytes
    }
}

extension EllipticCurve {
    /// The curve of RFC 7518 §6.2.1.1's name.
    init?(registeredName name: String) {
        guard let curve = Self.allCases.first(where: { $0.registeredName == name }) else { return nil }
        self = curve
    }

    /// RFC 7518 §6.2.1.1's name.
    var registeredName: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        }
    }
}
