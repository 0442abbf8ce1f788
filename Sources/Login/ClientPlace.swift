// SPDX-License-Identifier: Apache-2.0
package import HTTPMessage
package import Issuers
package import OAuth
package import Sessions

/// One login client with all that its logins, refreshes and logouts have in common: what is configured, where its
/// sessions are, and its requests to its own authorization server.
package struct ClientPlace: Sendable {
    /// The client's place among the login clients.
    package let index: Int
    package let settings: LoginSettings
    package let client: ClientSettings
    package let issuer: IssuerSettings
    package let store: any SessionStore
    package let fetching: any Fetching
    package let clock: any IssuerClock
    package let sources: LoginService.Sources
    package let onEvent: @Sendable (LoginService.Event) -> Void

    package init(
        index: Int, settings: LoginSettings, client: ClientSettings, issuer: IssuerSettings,
        store: any SessionStore, fetching: any Fetching, clock: any IssuerClock, sources: LoginService.Sources,
        onEvent: @escaping @Sendable (LoginService.Event) -> Void
    ) {
        self.index = index
        self.settings = settings
        self.client = client
        self.issuer = issuer
        self.store = store
        self.fetching = fetching
        self.clock = clock
        self.sources = sources
        self.onEvent = onEvent
    }

    /// Seconds since 1970.
    package var now: Int64 { clock.now().wallSeconds }

    /// What the server says about itself, as far as it is known.
    package var metadata: ServerMetadata? { sources.metadata(client.issuer) }

    /// The keys of the server, as far as they are known.
    package var keys: IssuerKeys? { sources.keys(client.issuer) }

    /// The client's identifier at the server.
    package var clientID: String { client.credentials.clientID }
}

// MARK: names and addresses

extension ClientPlace {
    /// The paths of one client under the reserved prefix.
    package enum Path: String, Sendable {
        case login
        case callback
        case logout
        case loggedOut = "logged-out"
        case session
        case backchannelLogout = "backchannel-logout"
        case frontchannelLogout = "frontchannel-logout"
    }

    /// `/.portcullis/<path>/<client>`.
    package func path(_ path: Path) -> String { "/.portcullis/\(path.rawValue)/\(settings.name)" }

    /// The one redirect URI of this client at that public URL: never derived from what a browser sends (CF-02).
    package func redirectURI(_ publicURL: String) -> String { publicURL + path(.callback) }

    package var cookieName: String { settings.session.cookieName }
}
