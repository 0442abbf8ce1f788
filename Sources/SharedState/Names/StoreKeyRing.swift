package import Crypto

/// The keys of what is in the store: the first seals and names, all open and are asked for.
///
/// Each configured key is only what others are derived from: one that names, one that is mixed into the key of every
/// session, and a number by which a sealed value says whose it is.
package struct StoreKeyRing: Sendable {
    /// One configured key.
    struct Key: Sendable {
        /// What sealed values call it; tells nothing of the key.
        let id: [UInt8]
        /// Half of what seals a session: the other half is in its cookie.
        let seal: Secret
        /// Names what could be guessed.
        let names: HMACSHA256

        init(_ secret: Secret) throws(CryptoRefusal) {
            guard secret.count == StoreKeyRing.keyLength else { throw .keyLength }
            id = try Key.derive(secret, "id", count: StoreKeyRing.idLength).reveal()
            seal = try Key.derive(secret, "seal", count: StoreKeyRing.keyLength)
            names = try HMACSHA256(key: try Key.derive(secret, "names", count: StoreKeyRing.keyLength))
        }

        private static func derive(_ secret: Secret, _ purpose: String, count: Int) throws(CryptoRefusal) -> Secret {
            try HKDF.derive(secret, info: Array("portcullis shared state\u{0}\(purpose)".utf8), count: count)
        }
    }

    /// The key that seals.
    let first: Key
    /// All of them, the first first.
    let keys: [Key]

    static let keyLength = 32
    static let idLength = 4

    /// Refuses a key that is not 32 bytes, and a ring without any.
    package init(_ secrets: [Secret]) throws(CryptoRefusal) {
        var keys: [Key] = []
        for secret in secrets { keys.append(try Key(secret)) }
        guard let first = keys.first else { throw .secretTooShort }
        self.first = first
        self.keys = keys
    }
}
