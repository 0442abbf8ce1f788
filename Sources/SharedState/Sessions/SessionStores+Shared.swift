package import Crypto
package import Sessions

/// What it takes to keep sessions in the shared store.
package struct SharedSessions: Sendable {
    let store: SharedStore
    let executor: any TaskExecutor

    /// What is done beside requests runs on `executor`.
    package init(_ store: SharedStore, executor: any TaskExecutor) {
        self.store = store
        self.executor = executor
    }
}

extension SessionStores {
    /// Makes the store that a client's settings name, the shared one among them, and those that sessions move from.
    ///
    /// Refuses keys that are not 32 bytes, and a shared store where none is configured. Otherwise as the one of `Sessions`.
    package static func make(
        _ settings: SessionSettings, for client: SharedSessionClient, in sessions: SharedSessions?,
        continuing previous: (any SessionStore)? = nil
    ) throws(CryptoRefusal) -> any SessionStore {
        let moving = previous as? MovingSessionStore
        guard settings.store == .shared || settings.accepts.contains(.shared) else {
            return try make(
                settings, client: client.name, clientID: client.identifier, issuer: client.issuer,
                continuing: moving?.cookies ?? previous)
        }
        guard let sessions else { throw .notBuilt }
        let shared = SharedSessionStore(
            sessions.store, settings: settings, for: client, executor: sessions.executor,
            continuing: moving?.shared ?? previous as? SharedSessionStore)
        guard settings.store == .cookie || settings.accepts.contains(.cookie) else { return shared }
        let cookies = try CookieSessionStore(
            settings: settings, client: client.name, clientID: client.identifier, issuer: client.issuer,
            continuing: moving?.cookies ?? previous as? CookieSessionStore)
        return MovingSessionStore(cookies: cookies, shared: shared, movesIntoStore: settings.store == .shared)
    }
}
