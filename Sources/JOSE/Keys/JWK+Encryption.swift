import Crypto
import JSON

extension JWK {
    /// Reads a published key that is said to be for encrypting to its owner, by `use` or by `key_ops` (JAR-10).
    ///
    /// A key that says nothing of what it is for is refused: it is the one that its owner signs with.
    init(encryption value: JSONValue) throws(KeyRefusal) {
        guard value.kind == .object else { throw .notObject }
        guard Self.isPublic(value) else { throw .privateMaterial }
        let operations = try Self.encryptionOperations(value["key_ops"])
        if let use = value["use"] {
            guard use.equals("enc") else { throw .notForEncrypting }
        } else if operations == nil {
            throw .notForEncrypting
        }
        var algorithm: KeyManagementAlgorithm?
        if let name = value["alg"] {
            algorithm = name.string.flatMap { KeyManagementAlgorithm(name: $0) }
            guard algorithm != nil else { throw .algorithmUnknown }
        }
        self.init(
            material: try Material(value, agrees: true), keyID: try Self.keyID(value["kid"]), use: "enc",
            keyOperations: operations, encryptionAlgorithm: algorithm)
        if let algorithm, !algorithm.fits(kind) { throw .algorithmMismatch }
    }

    private static func encryptionOperations(_ value: JSONValue?) throws(KeyRefusal) -> [String]? {
        guard let value else { return nil }
        let operations = value.elements.compactMap(\.string)
        guard value.kind == .array, operations.count == value.count, Set(operations).count == operations.count
        else { throw .memberInvalid("key_ops") }
        // RFC 7517 §4.3; a public key for ECDH-ES has none of its own, and servers write what the private one does.
        let known = ["encrypt", "wrapKey", "deriveKey", "deriveBits"]
        guard operations.contains(where: known.contains) else { throw .notForEncrypting }
        return operations
    }

    /// Whether the numbers make a key that is neither weak nor misspelt nor off its curve.
    var isSound: Bool {
        if case .x25519(let bytes) = material { return bytes.count == 32 }
        return (try? makeVerificationKey()) != nil
    }
}
