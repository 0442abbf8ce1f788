// SPDX-License-Identifier: Apache-2.0

/// Ties the return from the authorization server's logout to the browser that went there, once (LO-04).
package enum PostLogoutState {
    /// The cookie's name.
    package static let cookieName = "__Host-portcullis-logout"
    /// Seconds that the logout at the server may take.
    package static let lifetimeSeconds = 600

    /// A new state for the server's logout URL, and the value of `Set-Cookie` that remembers it.
    package static func start(client: String) -> (state: String, line: String) {
        ("", "")
    }

    /// Whether the browser was sent to the server's logout with this state, for this client.
    package static func matches(_ state: String, client: String, in cookies: Span<UInt8>) -> Bool {
        false
    }

    /// The line that makes the state a used one: to be sent whether it matched or not.
    package static func deletion() -> [String] {
        SetCookie.deletion(name: cookieName, sameSite: .lax)
    }
}
