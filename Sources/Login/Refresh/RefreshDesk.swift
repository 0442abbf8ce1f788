// SPDX-License-Identifier: Apache-2.0
import Issuers
import Sessions

/// Refreshes sessions, each once however many requests of whichever worker wait for it (RF-01); one for the process.
final class RefreshDesk: Sendable {
    /// What the server made of a refresh.
    enum Answer: Sendable {
        /// The session with its new tokens.
        case session(Session)
        /// It does not refresh this session any more (RF-05, RF-07).
        case ended
        /// Nobody can say: it is down, or takes us for nobody (RF-06).
        case unavailable(retryAfterSeconds: Int?)
    }

    /// What the desk needs of one client.
    struct Client: Sendable {
        var store: any SessionStore
        /// Asks the server; called on the executor, once at a time for one session.
        var ask: @Sendable (Session) async -> Answer
        /// Tokens that nobody will use: the session ended while they were fetched (RF-08).
        var discard: @Sendable (Session) -> Void
    }

    init(
        clients: [Client], clock: any IssuerClock, executor: any TaskExecutor,
        onEvent: @escaping @Sendable (LoginService.Event) -> Void
    ) {}

    /// The session after its refresh, waited for 5 s at most; from any thread.
    func refresh(_ session: Session, value: [UInt8], client: Int) async -> LoginService.Refreshed { .unavailable }

    /// Nothing is refreshed any more, and whoever waits is told.
    func stop() {}
}
