import Bytes
import Crypto

/// Ties the return from the authorization server's logout to the browser that went there, once (LO-04).
package enum PostLogoutState {
    /// The cookie's name.
    package static let cookieName = "__Host-portcullis-logout"
    /// Seconds that the logout at the server may take.
    package static let lifetimeSeconds = 600

    /// A new state for the server's logout URL, in letters that no server writes in another way when it sends them back, and
    /// the value of `Set-Cookie` that remembers it.
    package static func start(client: String) -> (state: String, line: String) {
        let random = RandomBytes.fill(24)
        let state = Base64URL.encode(random.span)
        let value = Array(digest(state, client: client).base64URL.utf8)
        let line = SetCookie.lines(name: cookieName, value: value, sameSite: .lax, maxAge: lifetimeSeconds).first ?? ""
        return (state, line)
    }

    /// Whether the browser was sent to the server's logout with this state, for this client.
    package static func matches(_ state: String, client: String, in cookies: Span<UInt8>) -> Bool {
        guard case .one(let range) = CookieField.locate(cookieName, in: cookies),
            let expected = SHA256Digest(base64URL: cookies.extracting(range))
        else { return false }
        // Digests compare every bit (T-52).
        return expected == digest(state, client: client)
    }

    /// The line that makes the state a used one, for the answer to the return that matched it.
    package static func deletion() -> [String] {
        SetCookie.deletion(name: cookieName, sameSite: .lax)
    }

    /// The cookie holds the digest: a state that is in a URL, and so in logs and histories, does not make a cookie.
    private static func digest(_ state: String, client: String) -> SHA256Digest {
        let bytes = Array("logout\u{0}\(client)\u{0}\(state)".utf8)
        return SHA256.hash(bytes.span)
    }
}
