// SPDX-License-Identifier: Apache-2.0
import Crypto
import Issuers
import Sessions

/// Gives tokens back that no session has a use for (RFC 7009), behind the user's back: a logout never waits for it.
final class RevocationQueue: Sendable {
    /// What came of one attempt.
    enum Outcome: Sendable, Equatable {
        /// Done, or nothing to be done: the server does not revoke tokens of that kind.
        case done
        /// Later, perhaps.
        case later(retryAfterSeconds: Int?, reason: String)
        /// Never.
        case refused(reason: String)
    }

    /// `token_type_hint`.
    enum Hint: String, Sendable {
        case refreshToken = "refresh_token"
        case accessToken = "access_token"
    }

    /// `revoke` asks the server of a client once; called on the executor.
    init(
        clock: any IssuerClock, executor: any TaskExecutor, limit: Int = 1024,
        revoke:
            @escaping @Sendable (_ client: Int, _ token: Secret, _ hint: Hint, _ proofKey: Secret?) async -> Outcome,
        onEvent: @escaping @Sendable (LoginService.Event) -> Void
    ) {}

    /// Revokes a session's tokens, the refresh token first; from any thread.
    ///
    /// `keepsRefreshToken` for a session with offline access that the server ended (LO-09).
    func revoke(_ session: Session, client: Int, keepsRefreshToken: Bool = false) {}

    /// Tries what is left once more, at once, and reports what could not be revoked.
    func stop() {}
}
