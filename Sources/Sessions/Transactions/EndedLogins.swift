// SPDX-License-Identifier: Apache-2.0

/// Counts the logins that ended in this browser, to break the loop of a browser that is sent back again and again (CF-12).
///
/// Ended ones, not begun ones: a browser that restores twenty tabs begins twenty logins at once.
package enum EndedLogins {
    /// The cookie's name.
    package static let cookieName = "__Host-portcullis-ended"
    /// Logins that may end within the window before another one is refused.
    package static let limit = 5
    /// In seconds.
    package static let windowSeconds: Int64 = 60

    /// How many logins ended in the last minute, as far as the browser says.
    package static func count(in cookies: Span<UInt8>, now: Int64) -> Int {
        0
    }

    /// Whether another login would be one too many.
    package static func isLoop(in cookies: Span<UInt8>, now: Int64) -> Bool {
        count(in: cookies, now: now) >= limit
    }

    /// The value of `Set-Cookie` that counts one more.
    package static func next(in cookies: Span<UInt8>, now: Int64) -> String {
        ""
    }
}
