// SPDX-License-Identifier: Apache-2.0
package import Crypto

/// Makes the store that a client's settings name.
package enum SessionStores {
    /// Refuses keys that are not 32 bytes.
    package static func make(_ settings: SessionSettings, client: String) throws(CryptoRefusal) -> any SessionStore {
        switch settings.store {
        case .cookie: try CookieSessionStore(settings: settings, client: client)
        case .memory: try MemorySessionStore(settings: settings, client: client)
        }
    }
}
