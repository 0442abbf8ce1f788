/// Values of `Set-Cookie` (RFC 6265bis §4.1): always `Path=/; Secure; HttpOnly`, and without `Domain` but for a session's
/// where the operator says so (SC-01, SC-16).
package enum SetCookie {
    /// Which requests from other sites bring the cookie (RFC 6265bis §4.1.2.7).
    package enum SameSite: String, Sendable, CaseIterable {
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
    /// The longest time that a browser keeps a cookie for, in seconds (RFC 6265bis §5.5).
    private static let greatestAge = 400 * 86_400

    /// The lines that set a value, split so that no cookie passes `limit`: `name`, `name.1`, `name.2`, `name.3`.
    ///
    /// With `maxAge` nil the cookie ends with the browser's session. `replacing` is how many chunks the browser has
    /// (`CookieField.chunks`): those that the value does not need are deleted. None for a value beyond `capacity`. With
    /// `domain` nil the cookie is this host's alone.
    package static func lines(
        name: String, value: [UInt8], sameSite: SameSite, maxAge: Int? = nil, replacing: Int = 1,
        domain: String? = nil
    ) -> [String] {
        func line(_ name: String, _ value: String, _ maxAge: Int?) -> String {
            self.line(name, value, sameSite, maxAge, domain)
        }
        let nameCount = name.utf8.count
        guard value.count <= capacity(name: name) else { return [] }
        var lines: [String] = []
        var start = 0
        var isFull = false
        repeat {
            let room = room(lines.count, nameCount: nameCount)
            let end = min(value.count, start + room)
            isFull = end - start == room
            lines.append(
                line(chunkName(name, lines.count), String(decoding: value[start..<end], as: UTF8.self), maxAge))
            start = end
        } while start < value.count
        // A chunk as long as can be says that another one follows: what an earlier value left there must not.
        let used = lines.count
        let left = min(maximumChunks, max(replacing, isFull ? used + 1 : used))
        for chunk in used..<max(used, left) { lines.append(line(chunkName(name, chunk), "", 0)) }
        return lines
    }

    /// The lines that delete a cookie and its chunks, `chunks` in all, with the attributes it was set with.
    package static func deletion(
        name: String, chunks: Int = 1, sameSite: SameSite, domain: String? = nil
    ) -> [String] {
        (0..<min(max(1, chunks), maximumChunks)).map { line(chunkName(name, $0), "", sameSite, 0, domain) }
    }

    /// How long a value may be that is kept in so many cookies.
    package static func capacity(name: String, cookies: Int = maximumChunks) -> Int {
        (0..<min(cookies, maximumChunks)).reduce(0) { $0 + room($1, nameCount: name.utf8.count) }
    }

    /// How long the value of one chunk may be.
    static func room(_ chunk: Int, nameCount: Int) -> Int {
        max(1, limit - nameCount - (chunk == 0 ? 0 : 2))
    }

    private static func chunkName(_ name: String, _ chunk: Int) -> String {
        chunk == 0 ? name : "\(name).\(chunk)"
    }

    private static func line(
        _ name: String, _ value: String, _ sameSite: SameSite, _ maxAge: Int?, _ domain: String?
    ) -> String {
        let home = domain.map { "; Domain=\($0)" } ?? ""
        let attributes = "\(home); Path=/; Secure; HttpOnly; SameSite=\(sameSite.rawValue)"
        guard let maxAge else { return "\(name)=\(value)\(attributes)" }
        return "\(name)=\(value)\(attributes); Max-Age=\(min(max(0, maxAge), greatestAge))"
    }
}
