package import Crypto

/// How the sessions of one client are kept.
package struct SessionSettings: Sendable {
    /// Where their state is.
    package enum Store: Sendable, Equatable {
        /// In the browser, sealed.
        case cookie
        /// In this process.
        case memory
        /// In a store that several gateways share.
        case shared
    }

    package enum SameSite: String, Sendable {
        case lax = "Lax"
        case strict = "Strict"
    }

    package var store: Store
    /// Where sessions are looked for besides, while they move.
    package var accepts: [Store] = []
    /// Begins with `__Host-`, or with `__Secure-` beside a domain (SC-01, SC-16).
    package var cookieName: String
    /// The domain whose hosts all get the cookie, in lower case; nil for the one that set it alone.
    package var domain: String?
    package var sameSite = SameSite.lax
    /// Without a request for so long the session is over.
    package var idle = Duration.seconds(1800)
    /// Whatever happens, after so long.
    package var absolute = Duration.seconds(28_800)
    /// Keys that seal cookies and login transactions, 32 bytes each: the first seals, all open (SC-15).
    ///
    /// Empty: a key of this process's own, which no replica shares and no restart survives.
    package var keys: [Secret]
    /// Sessions kept in memory at most, and endings remembered.
    package var limit = 100_000
    /// Whether a key of the shared store alone opens a session's refresh token there, so that it can be revoked when the
    /// session is ended without its cookie (SH-46).
    package var isRevocable = false
    /// Whether a route shows its upstream the ID token: then it is no hint that a session can do without.
    package var needsIDToken = false
    /// Whether sessions in memory that reach a limit are noted, for the audit log.
    package var notesExpired = false

    /// Whether sessions may be in a store that gateways share.
    package var readsStore: Bool { store == .shared || accepts.contains(.shared) }

    package init(store: Store = .cookie, cookieName: String, keys: [Secret] = []) {
        self.store = store
        self.cookieName = cookieName
        self.keys = keys
    }
}
