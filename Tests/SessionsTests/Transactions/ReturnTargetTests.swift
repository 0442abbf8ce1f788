import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Sessions

@Suite struct `a return target` {
    @Test(
        .holds("CF-09"),
        arguments: [
            ("/", "/"), ("/app?x=1", "/app?x=1"), ("/a/b/c", "/a/b/c"), ("/a//b", "/a//b"),
            ("/?q=//evil", "/?q=//evil"),
            ("/search?q=https://other.example/", "/search?q=https://other.example/"), ("/a%20b", "/a%20b"),
            ("/a?x=%0D%0A", "/a?x=%0D%0A"), ("/a?next=%2F%2Fx", "/a?next=%2F%2Fx"), ("/a b", "/a%20b"),
            ("/ä", "/%C3%A4"),
            (#"/a?q=b\c"#, "/a?q=b%5Cc"), ("/a#x", "/a#x"), ("/@user", "/@user"), ("/evil.com", "/evil.com"),
            ("/.well-known/x", "/.well-known/x"), ("/.portcullisx", "/.portcullisx"),
            ("/a/.portcullis/b", "/a/.portcullis/b"),
            ("/...", "/..."), ("/a%", "/a%"), ("/a%2", "/a%2"), ("/a%zz", "/a%zz"),
            ("/%252f%252fevil", "/%252f%252fevil"),
            (#"/a?"<x>"#, "/a?%22%3Cx%3E"), ("/a;b=c", "/a;b=c"),
        ])
    func `is a path on this origin, as it was`(text: String, expected: String) {
        #expect(ReturnTarget.accept(text) == expected)
    }

    @Test(
        .holds("CF-09"),
        arguments: [
            "", "//evil", #"/\evil"#, "/%2f%2fevil", "https:evil", "/%0d%0aSet-Cookie:x", "/%5cevil", "/%2Fevil",
            "///evil",
            "https://evil.example/", "evil", "javascript:alert(1)", "\\/evil", "/\t/evil", "/\n/evil", "/\u{0}",
            "/\u{7f}",
            "/%09/evil", "/%00", "/%7f", "/..//evil", "/.//evil", "/a/../../x", "/%2e%2e/x", "/%2e/x", "/a/%2E.", " /a",
            "?x=1", "#x", "/.portcullis", "/.portcullis/", "/.portcullis/logout/shop", "/.PORTCULLIS/logout",
            "/%2eportcullis/logout", "/.portcullis%2flogout", "/.portcullis;x/logout", "/.portcullis?x",
            "/.portcullis#x",
            "/a\r\nSet-Cookie: x", #"/a\b"#, #"/a/%5C../b"#,
        ])
    func `is the origin itself for what could lead elsewhere`(text: String) {
        #expect(ReturnTarget.accept(text) == "/")
    }

    @Test(.refuses("CF-09")) func `is not longer than two kibibytes, in either spelling`() {
        let longest = "/" + String(repeating: "a", count: 2047)
        #expect(ReturnTarget.accept(longest) == longest)
        #expect(ReturnTarget.accept(longest + "a") == "/")
        #expect(ReturnTarget.accept("/" + String(repeating: "ä", count: 400)) == "/", "2,401 bytes when it is written")
    }

    @Test(.holds("CF-09"), .refuses("CF-09"), arguments: HostileTarget.all)
    func `is kept or is the origin as the table says, and a browser agrees`(target: HostileTarget) {
        let accepted = ReturnTarget.accept(target.text)
        #expect((accepted == "/") == (target.verdict == .origin), "\(accepted)")
        expectOnOrigin(accepted, of: target.text)
        // Who is sent to the text, or to what a server on the way makes of it, stays here or was refused.
        for text in [target.text, target.text.removingEscapes] where !Self.staysHere(text) {
            #expect(accepted == "/", "a browser leaves this origin for \(text.debugDescription)")
        }
        #expect(Self.staysHere(accepted) && Self.staysHere(accepted.removingEscapes), "\(accepted)")
    }

    @Test func `has a table of four hundred targets and more, some of each verdict`() {
        let all = HostileTarget.all
        #expect(all.count >= 450, "T-35 asks for three hundred")
        #expect(Set(all.map(\.text)).count == all.count)
        #expect(all.count { $0.verdict == .kept } >= 30)
        #expect(all.count { !Self.staysHere($0.text) } >= 150, "the second reader leaves the origin next to never")
    }

    private static let page = BrowserURL(scheme: "https", host: "shop.example.com", path: "/.portcullis/callback/shop")

    private static func staysHere(_ text: String) -> Bool {
        BrowserURL(text, from: page).map { $0.scheme == page.scheme && $0.host == page.host } == true
    }

    @Test(arguments: [
        ("//evil", "https", "evil", "/"), ("///evil/x", "https", "evil", "/x"), (#"/\evil"#, "https", "evil", "/"),
        (#"\\evil"#, "https", "evil", "/"), ("/\t/evil", "https", "evil", "/"), (" //evil ", "https", "evil", "/"),
        ("http:evil", "http", "evil", "/"), ("http:/evil", "http", "evil", "/"), ("HTTPS://Evil", "https", "evil", "/"),
        ("https:evil", "https", "shop.example.com", "/.portcullis/callback/evil"),
        ("https:/evil", "https", "shop.example.com", "/evil"), (#"https:\\evil"#, "https", "evil", "/"),
        ("//shop.example.com@evil:8/x?y#z", "https", "evil", "/x"), ("//[::1]:8/", "https", "[::1]", "/"),
        ("//%65vil", "https", "evil", "/"), ("javascript:alert(1)", "javascript", "", "alert(1)"),
        ("/a/../b", "https", "shop.example.com", "/b"), ("/a/%2E%2e/b/.", "https", "shop.example.com", "/b/"),
        ("/%2f/evil", "https", "shop.example.com", "/%2f/evil"),
        ("x", "https", "shop.example.com", "/.portcullis/callback/x"),
        ("?x=//evil", "https", "shop.example.com", "/.portcullis/callback/shop"),
        ("/a:b", "https", "shop.example.com", "/a:b"),
    ])
    func `has a second reader, which goes where the URL standard says`(
        text: String, scheme: String, host: String, path: String
    ) {
        #expect(BrowserURL(text, from: Self.page) == BrowserURL(scheme: scheme, host: host, path: path))
    }

    @Test(arguments: ["//", "///", "//?x", "//a b", "//a%00b", "http://", "//a|b"])
    func `has a second reader, to which an impossible host is no address`(text: String) {
        #expect(BrowserURL(text, from: Self.page) == nil)
    }

    @Test(.holds("CF-09")) func `is on this origin whatever the text, and what was accepted is accepted again`() {
        var dice = Dice(5)
        let pieces = [
            "/", "//", "\\", "%2f", "%5c", "%2e", ".", "..", ":", "@", "?", "#", "https:", "evil.example", "%0d%0a",
            "\t",
            "\n", " ", "a", ".portcullis", ";", "%", "%25", "é", "\u{2215}", "\u{ff0f}", "%00", "javascript:", "&", "=",
        ]
        for _ in 0..<4000 {
            let text =
                (dice.next() % 4 == 0 ? "" : "/")
                + (0..<Int(dice.next() % 8)).map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
            let target = ReturnTarget.accept(text)
            expectOnOrigin(target, of: text)
            #expect(ReturnTarget.accept(target) == target, "\(text.debugDescription)")
            expectOnOrigin(ReturnTarget.accept(dice.bytes(Int(dice.next() % 20))), of: "random bytes")
        }
    }

    /// What no target may be, in the words of somebody else's reader of URLs too.
    private func expectOnOrigin(_ target: String, of text: String) {
        let shown = text.debugDescription
        #expect(target.hasPrefix("/") && !target.hasPrefix("//"), "\(shown)")
        #expect(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }, "\(shown)")
        #expect(target.utf8.count <= 2048)
        let path = target.prefix { $0 != "?" && $0 != "#" }
        let decoded = String(path).removingPercentEncoding ?? String(path)
        #expect(!decoded.hasPrefix("//") && !decoded.hasPrefix("/\\"), "\(shown)")
        #expect(!decoded.lowercased().hasPrefix("/.portcullis/") && decoded.lowercased() != "/.portcullis", "\(shown)")
        // What does not parse because of a lone `%` names no host either.
        if let url = URL(string: target, relativeTo: URL(string: "https://shop.example.com/.portcullis/callback/shop"))
        {
            #expect(url.absoluteURL.host == "shop.example.com" && url.absoluteURL.scheme == "https", "\(shown)")
        }
    }

    @Test(.holds("LO-04")) func `a landing after a logout is judged like any other target`() {
        #expect(ReturnTarget.accept("/goodbye") == "/goodbye")
        #expect(ReturnTarget.accept("//evil") == "/")
    }

    @Test(arguments: [("/route/3?x=1", "/route/3?x=1"), ("a b", "a%20b"), ("a\\b", "a%5Cb"), ("ä", "%C3%A4")])
    func `a fragment is written so that it stays one`(text: String, expected: String) {
        #expect(ReturnTarget.fragment(text) == expected)
    }

    @Test func `a fragment that is none, too long or has a line end is left out`() {
        for text in ["", "a\r\nb", "\u{0}", String(repeating: "a", count: 513), String(repeating: "ä", count: 100)] {
            #expect(ReturnTarget.fragment(text) == nil)
        }
        #expect(ReturnTarget.fragment(String(repeating: "a", count: 512))?.count == 512)
    }
}
