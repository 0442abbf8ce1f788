// SPDX-License-Identifier: Apache-2.0
package import HTTPMessage
package import Issuers
package import JOSE
package import OAuth
package import Sessions

/// Logins, refreshes and logouts of all login clients; one for the whole process.
///
/// Requests come as values and answers go as values: whoever has the sockets carries them. Works on one executor, from
/// which it reports; the functions may be called from any thread.
///
///     start ─▶ push (PAR) ─▶ 303 to the server … callback ─▶ exchange ─▶ ID token ─▶ session ─▶ 303 back
package final class LoginService: Sendable {
    /// Where the service looks things up; every closure gets the issuer's index.
    package struct Sources: Sendable {
        package var metadata: @Sendable (Int) -> ServerMetadata?
        package var keys: @Sendable (Int) -> IssuerKeys?
        /// Waits until the issuer's keys and metadata were read once more, or that failed, or was too recent.
        package var refresh: @Sendable (Int) async -> Void

        package init(
            metadata: @escaping @Sendable (Int) -> ServerMetadata?, keys: @escaping @Sendable (Int) -> IssuerKeys?,
            refresh: @escaping @Sendable (Int) async -> Void
        ) {
            self.metadata = metadata
            self.keys = keys
            self.refresh = refresh
        }
    }

    /// What a refresh came to.
    package enum Refreshed: Sendable {
        /// The session as it is now; `value` is its cookie's, where the browser is to get another.
        case session(Session, value: [UInt8]?)
        /// The session is over: the server does not refresh it any more, or it was ended (RF-05, RF-07).
        case ended
        /// Nobody can say; a token that is still valid may be used until it expires (RF-06).
        case unavailable
    }

    /// What the operator is told beside the answers.
    package enum Event: Sendable {
        case loggedIn(client: Int)
        case loggedOut(client: Int)
        /// A refresh, and how it ended: `refreshed`, `ended`, `unavailable`.
        case refreshed(client: Int, outcome: String)
        /// The server does not take us for the client, or ours for its request: somebody has to act (CA-15, PAR-05).
        case alarm(client: Int, LoginRefusal, detail: LoginDetail)
        /// Tokens could not be revoked, even later (RV-01).
        case revocationFailed(client: Int, reason: String)
        /// Sessions ended: tunnels and streams of theirs are to be looked at (LO-09).
        case sessionsEnded
    }

    /// The stores of the login clients, in their order: workers look sessions up there.
    package let stores: [any SessionStore]
    let settings: [LoginSettings]

    package init(
        settings: [LoginSettings], clients: [ClientSettings], issuers: [IssuerSettings], fetching: any Fetching,
        clock: any IssuerClock, executor: any TaskExecutor, sources: Sources,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.settings = settings
        stores = []
    }

    /// Answers a request to one of the paths of logins; runs on the executor.
    package func answer(_ request: LoginRequest) async -> LoginAnswer {
        LoginAnswer(.refused(.serverUnavailable, detail: LoginDetail(expected: "", found: "", check: "")))
    }

    /// Refreshes a session's tokens, once for all who ask at the same time (RF-01); `value` is its cookie's.
    package func refresh(_ session: Session, value: [UInt8], client: Int) async -> Refreshed { .unavailable }

    /// The keys of all clients, to be published at the JWK Set URL: public members only (MD-30).
    package var publishedKeys: [JWK] { [] }

    /// Ends what is under way, and reports which tokens were not revoked (OPS-08).
    package func stop() {}
}
