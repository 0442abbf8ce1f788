// SPDX-License-Identifier: Apache-2.0
package import Crypto

/// Seals login transactions into cookies, one for each state, so that several logins of one browser go on side by side
/// and any replica can finish them (CF-03, CF-06, CF-07).
package struct TransactionSealer: Sendable {
    /// What became of the transaction that a callback's state belongs to.
    package enum Opened: Sendable {
        case found(LoginTransaction)
        /// This browser began no such login: no cookie, another browser's state, another client's, a forged one.
        case none
        /// It began one, more than ten minutes ago.
        case expired
    }

    /// Seconds that a login may take (REQUIREMENTS 0.4).
    package static let lifetimeSeconds = 600
    /// Login cookies that a browser is left with at most.
    package static let maximumCookies = 20
    /// Bytes of `Cookie` that they take at most.
    package static let maximumBytes = 3500
    /// What their names begin with.
    package static let prefix = "__Host-portcullis-login-"

    /// `keys` are those of `SessionSettings`; without any, this process's own.
    ///
    /// `binding` is what else must be the same at both ends, such as the issuer and the client's identifier there.
    package init(keys: [Secret], client: String, binding: String = "") throws(CryptoRefusal) {
    }

    /// The cookie's name for a state: the state's digest is in it, not the state.
    package static func cookieName(state: String) -> String {
        ""
    }

    /// The cookie that the browser keeps until the callback; with `SetCookie.lines(… maxAge: lifetimeSeconds)`.
    package func seal(
        _ transaction: LoginTransaction, state: String, redirectURI: String = ""
    ) throws(CryptoRefusal) -> (name: String, value: [UInt8]) {
        ("", [])
    }

    /// The transaction that the request's cookies have for a state; `state` may be anything a stranger sends.
    package func open(
        _ cookies: Span<UInt8>, state: String, redirectURI: String = "", now: Int64
    ) -> Opened {
        .none
    }

    /// The login cookies to delete so that with another one of `bytes` (its name and value) the limits are kept.
    ///
    /// The oldest go first: browsers send cookies in the order in which they were made (RFC 6265bis §5.8.3).
    package static func evictions(in cookies: Span<UInt8>, adding bytes: Int) -> [String] {
        []
    }
}
