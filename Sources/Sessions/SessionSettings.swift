package import Crypto

/// How the sessions of one client are kept.
package struct SessionSettings: Sendable {
    /// Where their state is.
    package enum Store: Sendable, Equatable {
        /// In the browser, sealed.
        case cookie
        /// In this process.
        case memory
    }

    package enum SameSite: String, Sendable {
        case lax = "Lax"
        case strict = "Strict"
    }

    package var store: Store
    /// Begins with `__Host-` (SC-01).
    package var cookieName: String
    package var sameSite: SameSite
    /// Without a request for so long, in seconds, the session is over.
    package var idleSeconds: Int
    /// Whatever happens, after so long, in seconds.
    package var absoluteSeconds: Int
    /// Keys that seal cookies and login transactions, 32 bytes each: the first seals, all open (SC-15).
    ///
    /// Empty: a key of this process's own, which no replica shares and no restart survives.
    package var keys: [Secret]
    /// Sessions kept in memory at most, and endings remembered.
    package var limit: Int
    /// Whether sessions in memory that reach a limit are noted, for the audit log.
    package var notesExpired = false

    package init(
        store: Store = .cookie, cookieName: String, sameSite: SameSite = .lax, idleSeconds: Int = 1800,
        absoluteSeconds: Int = 28_800, keys: [Secret] = [], limit: Int = 100_000
    ) {
        self.store = store
        self.cookieName = cookieName
        self.sameSite = sameSite
        self.idleSeconds = idleSeconds
        self.absoluteSeconds = absoluteSeconds
        self.keys = keys
        self.limit = limit
    }
}
