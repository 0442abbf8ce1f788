import TestTraits
import Testing

@testable import Sessions

/// Which lines a session's settings make of its cookie.
@Suite struct `the cookie of a session` {
    private func settings(_ domain: String?) -> SessionSettings {
        var settings = SessionSettings(cookieName: domain == nil ? "__Host-shop" : "__Secure-shop")
        settings.domain = domain
        return settings
    }

    private func cookies(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(.holds("SC-01")) func `of one host has no other place to be deleted at`() {
        let settings = settings(nil)
        #expect(settings.cookieLines([0x61]) == ["__Host-shop=a; Path=/; Secure; HttpOnly; SameSite=Lax"])
        #expect(settings.cookieDeletion.count == 4)
        #expect(settings.cookieDeletion[3] == "__Host-shop.3=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0")
        #expect(settings.strayDeletion(at: "https://a.example.com") == [])
        let brought = cookies("__Host-shop=x; __Secure-shop=y")
        #expect(settings.formerCookieName == nil && settings.formerDeletion(in: brought.span) == [])
    }

    @Test(.holds("SC-16")) func `of a domain is set and deleted there`() {
        let settings = settings("example.com")
        let attributes = "; Domain=example.com; Path=/; Secure; HttpOnly; SameSite=Lax"
        #expect(
            settings.cookieLines([0x61], replacing: 2) == [
                "__Secure-shop=a\(attributes)", "__Secure-shop.1=\(attributes); Max-Age=0",
            ])
        #expect(settings.cookieDeletion.count == 4)
        #expect(settings.cookieDeletion[1] == "__Secure-shop.1=\(attributes); Max-Age=0")
    }

    @Test(
        .holds("SC-16"), .refuses("SC-16"),
        arguments: [
            ("example.com", "https://example.com", ["-"]),
            ("example.com", "https://a.example.com", ["-", "a.example.com"]),
            ("example.com", "https://a.b.example.com:8443", ["-", "a.b.example.com", "b.example.com"]),
            ("b.example.com", "https://a.b.example.com", ["-", "a.b.example.com", "example.com"]),
        ])
    func `of a domain is told from all others that a browser could send, each of which is deleted`(
        domain: String, publicURL: String, places: [String]
    ) {
        let lines = settings(domain).strayDeletion(at: publicURL)
        #expect(lines.count == places.count * 4 && lines.allSatisfy { $0.hasSuffix("; Max-Age=0") })
        let found = stride(from: 0, to: lines.count, by: 4).map { index in
            lines[index].firstMatch(of: #/Domain=([^;]*)/#).map { String($0.1) } ?? "-"
        }
        #expect(found == places)
    }

    @Test(.holds("SC-16")) func `of before there was a domain is deleted where it comes, with its chunks`() {
        let settings = settings("example.com")
        #expect(settings.formerCookieName == "__Host-shop")
        let none = cookies("a=1; __Secure-shop=y; __host-shop=z")
        #expect(settings.formerDeletion(in: none.span) == [])
        let two = cookies("__Host-shop=x; __Host-shop.1=y")
        #expect(
            settings.formerDeletion(in: two.span) == [
                "__Host-shop=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
                "__Host-shop.1=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
            ])
    }
}
