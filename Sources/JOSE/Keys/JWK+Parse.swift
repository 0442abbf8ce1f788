// SPDX-License-Identifier: Apache-2.0
import Bytes
import Crypto
public import JSON

extension JWK {
    /// Reads a published key; what is not a usable public signature key is refused with its reason (JOSE-18).
    ///
    /// Whether the numbers make a sound key is decided by `makeVerificationKey`.
    public init(_ value: JSONValue) throws(KeyRefusal) {
        guard value.kind == .object else { throw .notObject }
        guard Self.privateMembers.allSatisfy({ value[$0] == nil }) else { throw .privateMaterial }
        let material = try Self.material(value)
        let algorithm = try Self.algorithm(value["alg"])
        let use = try Self.use(value["use"])
        let keyOperations = try Self.keyOperations(value["key_ops"])
        let keyID = try Self.keyID(value["kid"])
        self.init(material: material, keyID: keyID, algorithm: algorithm, use: use, keyOperations: keyOperations)
        if let algorithm, algorithm.keyKind != kind { throw .algorithmMismatch }
    }

    /// RFC 7518 §6.2.2, §6.3.2, §6.4 and RFC 8037 §2: members that only a key's owner has.
    private static let privateMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"]

    private static func material(_ value: JSONValue) throws(KeyRefusal) -> Material {
        guard let type = value["kty"]?.string else { throw .keyTypeUnknown }
        if type == "oct" { throw .symmetric }
        switch KeyType(rawValue: type) {
        case .rsa:
            return .rsa(modulus: try bytes("n", of: value), exponent: try bytes("e", of: value))
        case .ellipticCurve:
            guard let name = value["crv"]?.string, let curve = EllipticCurve(registeredName: name)
            else { throw .curveUnknown }
            return .ellipticCurve(curve, x: try bytes("x", of: value), y: try bytes("y", of: value))
        case .octetKeyPair:
            // Ed448, X25519 and X448 share the key type (RFC 8037 §2); D-18 has Ed25519 only.
            guard let curve = value["crv"], curve.equals("Ed25519") else { throw .curveUnknown }
            return .ed25519(try bytes("x", of: value))
        case nil:
            throw .keyTypeUnknown
        }
    }

    private static func bytes(_ member: String, of value: JSONValue) throws(KeyRefusal) -> [UInt8] {
        guard let text = value[member]?.utf8, let bytes = Base64URL.decode(text.span)
        else { throw .memberInvalid(member) }
        return bytes
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

    private static func keyID(_ value: JSONValue?) throws(KeyRefusal) -> String? {
        guard let value else { return nil }
        guard let count = value.utf8Count, count <= 256 else { throw .keyIDInvalid }
        return value.string
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
