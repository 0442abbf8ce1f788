/// What `Set-Cookie` says of a session: its cookie is of one host, or of all hosts of a domain (SC-01, SC-16).
extension SessionSettings {
    /// The lines that give the browser a value of the session's cookie, which has so many chunks of it.
    package func cookieLines(_ value: [UInt8], replacing chunks: Int = 1) -> [String] {
        SetCookie.lines(
            name: cookieName, value: value, sameSite: SetCookie.SameSite(sameSite), replacing: chunks, domain: domain)
    }

    /// The lines that delete the session's cookie, with all that there can be of it.
    package var cookieDeletion: [String] { deletion(cookieName, of: domain) }

    /// The lines that delete cookies of its name which a browser sends besides it to the host of this URL.
    ///
    /// They are of that host alone, or of another domain that it is under. None where the session's own is of one host. What
    /// has another path stays: a browser tells no path, and deletes by it.
    package func strayDeletion(at publicURL: String) -> [String] {
        guard let domain else { return [] }
        let others = Self.domains(above: publicURL).filter { $0 != domain }
        return deletion(cookieName, of: nil) + others.flatMap { deletion(cookieName, of: $0) }
    }

    /// The lines that delete the cookie that the session had at this host before there was a domain, where the request
    /// brings one.
    package func formerDeletion(in cookies: Span<UInt8>) -> [String] {
        guard let name = formerCookieName else { return [] }
        let chunks = CookieField.chunks(of: name, in: cookies)
        return chunks == 0
            ? [] : SetCookie.deletion(name: name, chunks: chunks, sameSite: SetCookie.SameSite(sameSite))
    }

    /// The name that the cookie has without a domain; nil where it has none.
    package var formerCookieName: String? {
        domain == nil ? nil : Self.hostPrefix + cookieName.dropFirst(Self.domainPrefix.utf8.count)
    }

    /// What the name of a cookie of one host begins with (RFC 6265bis §4.1.3.2).
    package static let hostPrefix = "__Host-"
    /// What the name of a cookie of a domain begins with (RFC 6265bis §4.1.3.1).
    package static let domainPrefix = "__Secure-"

    private func deletion(_ name: String, of domain: String?) -> [String] {
        SetCookie.deletion(
            name: name, chunks: SetCookie.maximumChunks, sameSite: SetCookie.SameSite(sameSite), domain: domain)
    }

    /// The host of a URL and every domain above it that has two labels at least.
    private static func domains(above publicURL: String) -> [String] {
        guard let start = publicURL.firstRange(of: "://")?.upperBound else { return [] }
        var labels = publicURL[start...].prefix { $0 != ":" && $0 != "/" }.split(separator: ".")[...]
        var domains: [String] = []
        while labels.count > 1 {
            domains.append(labels.joined(separator: "."))
            labels = labels.dropFirst()
        }
        return domains
    }
}
