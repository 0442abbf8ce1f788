// SPDX-License-Identifier: Apache-2.0

/// Values of `Set-Cookie` (RFC 6265bis §4.1): always `Path=/; Secure; HttpOnly` and without `Domain` (SC-01).
package enum SetCookie {
    /// Which requests from other sites bring the cookie (RFC 6265bis §4.1.2.7).
    package enum SameSite: String, Sendable {
        case lax = "Lax"
        case strict = "Strict"
        /// For login transactions alone, where the server answers with a form that it has the browser post.
        case none = "None"

        /// The configured one of a session's cookie.
        package init(_ configured: SessionSettings.SameSite) {
            self = configured == .strict ? .strict : .lax
        }
    }

    /// What a browser keeps of one cookie at most: its name and value, in bytes (RFC 6265bis §5.7).
    package static let limit = 4096
    /// Cookies that a session is kept in at most (SC-07).
    package static let maximumChunks = 4

    /// The lines that set a value, split so that no cookie passes `limit`: `name`, `name.1`, `name.2`, `name.3`.
    ///
    /// With `maxAge` nil the cookie ends with the browser's session. `replacing` is how many chunks the browser has
    /// (`CookieField.chunks`): those that the value does not need are deleted.
    package static func lines(
        name: String, value: [UInt8], sameSite: SameSite, maxAge: Int? = nil, replacing: Int = 1
    ) -> [String] {
        []
    }

    /// The lines that delete a cookie and its chunks, `chunks` in all.
    package static func deletion(name: String, chunks: Int = 1, sameSite: SameSite) -> [String] {
        []
    }
}
