import Foundation
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

    @Test(.holds("CF-09")) func `is judged the same by those who read URLs, for every hostile payload there is`() {
        let payloads = HostileTargets.all
        #expect(payloads.count >= 300, "T-35 asks for three hundred")
        var kept = 0
        for payload in payloads {
            let target = ReturnTarget.accept(payload)
            expectOnOrigin(target, of: payload)
            if target != "/" { kept += 1 }
        }
        #expect(kept < payloads.count / 4, "\(kept) were taken for paths")
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

/// Ways to make a path lead elsewhere, combined.
enum HostileTargets {
    static let all: [String] = {
        let starts = [
            "//", "///", "////", "/\\", "\\/", "\\\\", "/%2f", "/%2F", "/%5c", "/%5C", "%2f%2f", "%2f/", "/%2f%2f",
            "/%2f%5c", "/\t/", "/\n/", "/\r/", "\t//", " //", "/ /", "/%09/", "/%0a/", "/%0d/", "/./", "/..//", "/.//",
            "/%2e/", "/%2e%2e//", "/;/", "/\u{0}/", "/\u{b}/", "https:", "https:/", "https://", "http://", "HTTPS://",
            "https:\\\\", "ftp://", "javascript:", "data:", "vbscript:", "//user@", "//user:pw@", "/%2f/", "/\u{2028}/",
            "//%2f", "/%c0%af", "/%25%32%66/", "?//", "#//", ".//", "..//", "@", ":", "/%0d%0aLocation:%20https://",
            "/\r\nLocation: https://",
        ]
        let hosts = [
            "evil.example", "evil.example/%2e%2e", "evil.example?x", "evil.example#x", "%65vil.example", "[::1]/",
            "shop.example.com@evil.example", "evil.example%00.shop.example.com",
        ]
        let single = [
            "", " ", "\u{0}", "https:evil", "/%0d%0aSet-Cookie:a=b", "/%0aSet-Cookie:a=b", "/\r\nSet-Cookie: a=b",
            "/.portcullis/",
            "/.portcullis/logout/shop", "/%2eportcullis/logout/shop", "/.portcullis%2flogout/shop",
            "/./.portcullis/login/shop",
            "/a/../.portcullis/logout/shop", "//.portcullis/logout/shop", "/.Portcullis/logout/shop",
            String(repeating: "/", count: 3000), "/" + String(repeating: "a", count: 5000), "javascript:alert(1)//",
            "data:text/html,<script>alert(1)</script>", "\u{ff0f}\u{ff0f}evil.example", "/\\\u{0}/evil", "mailto:a@b",
        ]
        return starts.flatMap { start in hosts.map { start + $0 } } + single
    }()
}
