/// Who wants an issuer's keys read once more, because a signature is by none that is at hand (JOSE-17).
///
/// Each has a budget of its own: made-up tokens cost nothing to send, and must not spend what a login needs that is
/// under way just when the issuer has a new key.
package enum KeyAsker: Sendable, Hashable, CaseIterable {
    /// Tokens that clients bring to routes, and signed words of the issuer about them: anybody can make such tokens.
    case accessToken
    /// Signed responses that are brought to the callbacks of logins: anybody can make those too.
    case response
    /// Logout tokens: anybody can post those, and must not spend what a login that comes back needs.
    case logoutToken
    /// Logins that find nothing known of the server: anybody can begin one.
    case metadata
    /// What the issuer itself has answered over its own connection, as the ID token to a code: nobody else can make
    /// that, and it is lost when it is not understood. It may always ask.
    case answer

    /// Whether the least time between two readings applies.
    var isBounded: Bool { self != .answer }
}
