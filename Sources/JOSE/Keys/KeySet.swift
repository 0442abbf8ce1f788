import Crypto
import JSON

/// A JWK Set: the keys of an issuer that may verify, why the others may not, and those to encrypt to it with
/// (RFC 7517 §5).
public struct KeySet: Sendable, Hashable {
    /// A key that was left out.
    public struct IgnoredKey: Sendable, Hashable {
        /// Its place in the document, from 0.
        public let position: Int
        /// Its `kid`, when that could be read.
        public let keyID: String?
        /// Why.
        public let reason: KeyRefusal
    }

    /// The usable keys in the order of the document.
    public let keys: [JWK]
    /// The others.
    public let ignored: [IgnoredKey]
    /// The keys to encrypt to their owner with, in the order of the document; among `ignored` too, since they verify
    /// nothing.
    public let encryptionKeys: [JWK]

    /// A set of keys already at hand.
    public init(keys: [JWK]) {
        self.keys = keys
        self.ignored = []
        self.encryptionKeys = []
    }

    private init(keys: [JWK], ignored: [IgnoredKey], encryptionKeys: [JWK]) {
        self.keys = keys
        self.ignored = ignored
        self.encryptionKeys = encryptionKeys
    }

    /// Keys of one set.
    static let maximumKeys = 100

    /// Reads a set of at most 100 keys and 256 KiB; a bad key is left out, a bad document refused (JOSE-18).
    public static func parse(_ bytes: Span<UInt8>) throws(JOSERefusal) -> KeySet {
        let document: JSONValue
        do throws(JSONRefusal) {
            document = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 256 * 1024))
        } catch {
            throw .keySetNotJSON(error)
        }
        guard document.kind == .object, let list = document["keys"], list.kind == .array
        else { throw .keySetWithoutKeys }
        guard list.count <= maximumKeys else { throw .keySetTooLarge }
        var keys: [JWK] = []
        var ignored: [IgnoredKey] = []
        var encryptionKeys: [JWK] = []
        for (position, value) in list.elements.enumerated() {
            do throws(KeyRefusal) {
                keys.append(try usableKey(value))
            } catch {
                ignored.append(IgnoredKey(position: position, keyID: value["kid"]?.string, reason: error))
                guard let key = try? JWK(encryption: value), key.isSound else { continue }
                encryptionKeys.append(key)
            }
        }
        return KeySet(keys: keys, ignored: ignored, encryptionKeys: encryptionKeys)
    }

    private static func usableKey(_ value: JSONValue) throws(KeyRefusal) -> JWK {
        let key = try JWK(value)
        do throws(CryptoRefusal) {
            // Made and dropped: a point off its curve shows only here, and here someone can be told.
            _ = try key.makeVerificationKey()
        } catch {
            throw .material(error)
        }
        return key
    }
}
