import Bytes

/// Counts the logins that ended in this browser, to break the loop of a browser that is sent back again and again (CF-12).
///
/// Ended ones, not begun ones: a browser that restores twenty tabs begins twenty logins at once. The cookie holds the
/// seconds at which logins ended, unsealed: who forges it makes a loop of their own browser, or lets it go on.
package enum EndedLogins {
    /// The cookie's name.
    package static let cookieName = "__Host-portcullis-ended"
    /// Logins that may end within the window before another one is refused.
    package static let limit = 5
    /// In seconds.
    package static let windowSeconds: Int64 = 60

    /// How many logins ended in the last minute, as far as the browser says.
    package static func count(in cookies: Span<UInt8>, now: Int64) -> Int {
        ends(in: cookies, now: now).count
    }

    /// Whether another login would be one too many.
    package static func isLoop(in cookies: Span<UInt8>, now: Int64) -> Bool {
        count(in: cookies, now: now) >= limit
    }

    /// The value of `Set-Cookie` that counts one more.
    package static func next(in cookies: Span<UInt8>, now: Int64) -> String {
        let ends = (ends(in: cookies, now: now) + [now]).suffix(limit + 1)
        let value = ends.map { String($0) }.joined(separator: ".")
        return SetCookie.lines(
            name: cookieName, value: Array(value.utf8), sameSite: .lax, maxAge: Int(windowSeconds)
        ).first ?? ""
    }

    /// Six numbers of ten digits, and the dots between them.
    private static let longest = (limit + 1) * 11 - 1

    /// The ends within the last minute, at most one more than `limit`.
    private static func ends(in cookies: Span<UInt8>, now: Int64) -> [Int64] {
        guard case .one(let range) = CookieField.locate(cookieName, in: cookies), range.count <= longest else {
            return []
        }
        let value = cookies.extracting(range)
        var ends: [Int64] = []
        var number: Int64 = 0
        var digits = 0
        for index in 0...value.count {
            if index < value.count, ASCII.isDigit(value[index]), digits < 10 {
                number = number * 10 + Int64(value[index] - 0x30)
                digits += 1
                continue
            }
            guard index == value.count || value[index] == UInt8(ascii: ".") else { return [] }
            // What lies ahead would be counted for as long as it does: a clock was set back, or somebody made it up.
            if digits > 0, number <= now, number > now - windowSeconds { ends.append(number) }
            number = 0
            digits = 0
        }
        return Array(ends.suffix(limit + 1))
    }
}
