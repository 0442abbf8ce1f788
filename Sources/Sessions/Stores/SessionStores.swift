package import Crypto

/// Makes the store that a client's settings name.
package enum SessionStores {
    /// Refuses keys that are not 32 bytes, and a shared store, which is made elsewhere.
    ///
    /// Sessions are of users of `issuer` alone, who signed in at the client `clientID` there. `previous` is the store that
    /// this client has had until now, under the same cookie name, for the same issuer and the same `clientID`: one of the
    /// same kind goes on with its sessions and with what it remembers.
    package static func make(
        _ settings: SessionSettings, client: String, clientID: String = "", issuer: String? = nil,
        continuing previous: (any SessionStore)? = nil
    ) throws(CryptoRefusal) -> any SessionStore {
        switch settings.store {
        case .cookie:
            try CookieSessionStore(
                settings: settings, client: client, clientID: clientID, issuer: issuer,
                continuing: previous as? CookieSessionStore)
        case .memory:
            MemorySessionStore(settings: settings, client: client, continuing: previous as? MemorySessionStore)
        case .shared: throw .notBuilt
        }
    }
}
