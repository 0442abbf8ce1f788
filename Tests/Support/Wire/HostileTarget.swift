/// A text that somebody gives for a page to come back to, and what must become of it.
package struct HostileTarget: Sendable, CustomStringConvertible {
    package enum Verdict: Sendable {
        /// It may lead elsewhere: the origin takes its place.
        case origin
        /// It is a path of this origin, however it looks: it is kept, escaped where it must be.
        case kept
    }

    package let text: String
    package let verdict: Verdict

    package var description: String { "\(text.prefix(60).debugDescription) → \(verdict)" }

    package static let all =
        starts.flatMap { start in
            hosts.map { host in
                let isKept = start.verdict == .kept && host.verdict == .kept
                return HostileTarget(text: start.text + host.text, verdict: isKept ? .kept : .origin)
            }
        } + alone

    private static func origin(_ texts: String...) -> [HostileTarget] {
        texts.map { HostileTarget(text: $0, verdict: .origin) }
    }

    private static func kept(_ texts: String...) -> [HostileTarget] {
        texts.map { HostileTarget(text: $0, verdict: .kept) }
    }

    /// Ways to begin an address of another host.
    private static let starts =
        origin(
            "//", "///", "////", "/\\", "\\/", "\\\\", "/%2f", "/%2F", "/%5c", "/%5C", "%2f%2f", "%2f/", "/%2f%2f",
            "/%2f%5c", "/\t/", "/\n/", "/\r/", "\t//", " //", "/%09/", "/%0a/", "/%0d/", "/./", "/..//", "/.//",
            "/%2e/", "/%2e%2e//", "/\u{0}/", "/\u{b}/", "https:", "https:/", "https://", "http://", "HTTPS://",
            "https:\\\\", "http:", "ftp://", "javascript:", "data:", "vbscript:", "//user@", "//user:pw@", "/%2f/",
            "//%2f", "?//", "#//", ".//", "..//", "@", ":", "/%0d%0aLocation:%20https://", "/\r\nLocation: https://")
        + kept("/ /", "/;/", "/\u{2028}/", "/%c0%af", "/%25%32%66/", "/%252f", "/:", "/@", "/https://", "/x//")

    /// Ways to write a host, and what it may end with.
    private static let hosts =
        kept(
            "evil.example", "evil.example?x", "evil.example#x", "%65vil.example", "[::1]/",
            "shop.example.com@evil.example")
        + origin("evil.example/%2e%2e", "evil.example%00.shop.example.com")

    /// What is not combined.
    private static let alone =
        origin(
            "", " ", "\u{0}", "/%0d%0aSet-Cookie:a=b", "/%0aSet-Cookie:a=b", "/\r\nSet-Cookie: a=b", "/.portcullis/",
            "/.portcullis/logout/shop", "/%2eportcullis/logout/shop", "/.portcullis%2flogout/shop",
            "/./.portcullis/login/shop", "/a/../.portcullis/logout/shop", "//.portcullis/logout/shop",
            "/.Portcullis/logout/shop", "/.portcullis;a/logout/shop", "/.portcullis", "/.portcullis?x",
            "/.portcullis#x",
            String(repeating: "/", count: 3000), "/" + String(repeating: "a", count: 5000), "javascript:alert(1)//",
            "data:text/html,<script>alert(1)</script>", "\u{ff0f}\u{ff0f}evil.example", "/\\\u{0}/evil", "mailto:a@b",
            "evil.example", "/a/..", "/a/%2e%2e/%2e%2e//evil", "/a\\..\\b", "/%\u{0}")
        + kept(
            "/%", "/%zz", "/a", "/a?return_to=//evil.example", "/a#//evil.example", "/a?x=https://evil.example",
            "/.portcullisx/logout", "/a/.portcullis/logout", "/\u{ff0f}evil.example", "/evil.example", "/..evil", "/..."
        )
}
