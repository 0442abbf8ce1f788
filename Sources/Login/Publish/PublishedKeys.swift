package import Issuers
package import JOSE
import OAuth

/// The keys that authorization servers know this gateway's clients by (MD-30, MD-31).
///
/// A `JWK` has no private member: nothing here could publish one.
package enum PublishedKeys {
    /// Public halves of all keys that clients sign and decrypt with, and of those that will or did; each once.
    ///
    /// A key that two clients have, or that signs both request objects and assertions, is one key. Of two keys with
    /// one name only the first is published; a configuration with such does not load.
    package static func keys(of settings: [LoginSettings], clients: [ClientSettings]) -> [JWK] {
        var keys: [JWK] = []
        for key in all(of: settings, clients: clients)
        where !keys.contains(where: { equal($0.keyID, key.keyID) || $0 == key }) {
            keys.append(key)
        }
        return keys
    }

    /// In the order in which they are used: those of the clients first.
    private static func all(of settings: [LoginSettings], clients: [ClientSettings]) -> [JWK] {
        var keys: [JWK] = []
        for client in clients {
            if case .privateKeyJWT(let key) = client.credentials.method { keys.append(key.published) }
        }
        for login in settings {
            if let key = login.keys.requestObject { keys.append(key.published) }
            keys += login.keys.decryption.map(\.published)
            keys += login.keys.published
        }
        return keys
    }

    private static func equal(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return false }
        return one.utf8.elementsEqual(other.utf8)
    }
}
