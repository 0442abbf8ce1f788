import Issuers
import Login
import OAuth
import Sessions
package import SharedState

/// A login client whose sessions are in the store, for an operator's command.
package struct SharedClient: Sendable {
    /// Its name in the configuration.
    package let name: String
    /// The name that the configuration has for its issuer.
    package let issuerName: String
    /// The issuer, as its tokens name it.
    package let issuer: String
    private let session: SessionSettings

    /// All of a configuration, in its order.
    package static func all(of settings: GatewaySettings) -> [SharedClient] {
        settings.logins.compactMap { login in
            guard login.session.store == .shared || login.session.accepts.contains(.shared) else { return nil }
            return SharedClient(
                name: login.name, issuerName: settings.issuers[settings.clients[login.client].issuer].name,
                issuer: login.idToken.issuer, session: login.session)
        }
    }

    /// Its sessions in a store.
    package func sessions(in store: SharedStore) -> StoredSessions {
        StoredSessions(store, client: name, session)
    }

    /// The one of several whose sessions may live longest.
    package static func longest(of clients: [SharedClient]) -> SharedClient? {
        clients.max { $0.session.absolute < $1.session.absolute }
    }
}
