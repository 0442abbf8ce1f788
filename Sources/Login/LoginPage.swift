/// A page of ours that is no error.
package enum LoginPage: Sendable {
    /// Carries the URL's fragment through the login: its script goes on to this path with `&fragment=` added.
    case keepFragment(next: String)
    /// Keeps a form in the browser while its user logs in, then goes on to this path (the form as received).
    case keepForm(next: String, form: [UInt8], action: String)
    /// After a login that kept a form: sends it where it was meant to go.
    case sendForm(action: String)
    /// A page of our own origin after a callback, so that `SameSite=Strict` cookies are sent (SC-02).
    case goOn(to: String)
    /// Asks whether to log out (SC-10); the form posts to this path.
    case confirmLogout(action: String)
    /// Posts `id_token_hint` and the other parameters to the server's logout (LO-03).
    case postLogout(action: String, parameters: [(String, String)])
    case loggedOut
    /// Framed by the authorization server, empty (LO-11).
    case frontchannelDone(frameAncestors: String)
}
