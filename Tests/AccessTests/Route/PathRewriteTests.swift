import Bytes
import TestSupport
import TestTraits
import Testing

@testable import Access

/// Row ECO-68 for one path or value at a time.
@Suite struct `a path that the upstream knows by another name` {
    private static func rewrite(
        _ publicPrefix: String, _ upstreamPrefix: String, ignoresCase: Bool = false
    ) -> PathRewrite {
        PathRewrite(
            PathRewriteSettings(publicPrefix: publicPrefix, upstreamPrefix: upstreamPrefix), ignoresCase: ignoresCase,
            upstream: UpstreamSettings(
                servers: [.address(host: "app.internal", port: 80), .address(host: "::1", port: 3001)]))
    }

    private static func bytes<Result>(_ text: String, _ body: (Span<UInt8>) -> Result) -> Result {
        Array(text.utf8).withUnsafeBufferPointer { body($0.span) }
    }

    /// What an upstream gets; nil for a path that is refused.
    private static func sent(_ path: String, _ rewrite: borrowing PathRewrite) -> String? {
        bytes(path) { path in
            rewrite.rest(of: path) == nil ? nil : String(decoding: rewrite.rewritten(path), as: UTF8.self)
        }
    }

    @Test(
        .holds("ECO-68"),
        arguments: [
            ("/v1/a%2Fb", "/a%2Fb"), ("/v1", "/"), ("/v1/", "/"), ("/v1/a//b", "/a//b"), ("/v1/v1/a", "/v1/a"),
            ("/v1/%61", "/%61"), ("/v1/a;b", "/a;b"), ("/v1/%", "/%"), ("/v1/%25", "/%25"), ("/v1/a%5C", "/a%5C"),
        ])
    func `loses its prefix, and no byte of the rest changes`(path: String, sent: String) {
        #expect(Self.sent(path, Self.rewrite("/v1", "")) == sent)
    }

    @Test(.holds("ECO-68")) func `has the upstream's prefix in place of its own, or before itself`() {
        #expect(Self.sent("/v1/a", Self.rewrite("/v1", "/api/b")) == "/api/b/a")
        #expect(Self.sent("/v1", Self.rewrite("/v1", "/api")) == "/api")
        #expect(Self.sent("/v1//a", Self.rewrite("/v1", "/api")) == "/api//a")
        #expect(Self.sent("//a", Self.rewrite("", "/base")) == "/base//a")
        #expect(Self.sent("/V1/A", Self.rewrite("/v1", "", ignoresCase: true)) == "/A")
        #expect(Self.sent("/caf%c3%a9/a", Self.rewrite("/caf%C3%A9", "")) == "/a")
    }

    @Test(
        .refuses("ECO-68"),
        arguments: [
            "/v1x", "/v1x/a", "/v1;x/a", "/v1%2Fa", "/v", "/", "", "/V1/a", "//v1/a", "/%761/a", "/v1//evil.example",
            "/v1///evil.example", "/v1/\\evil.example", "/v1/%2Fevil.example", "/v1/%2fevil", "/v1/%5cevil",
            "/v1/%5Cevil",
            "/v1/%252Fevil", "/v1/%25255Cevil", "/v1/;/evil", "/v1/%3b/evil", "/v1\\evil", "/v1%5Cevil",
        ])
    func `is refused where the prefix is spelt otherwise, or what follows may name a server`(path: String) {
        #expect(Self.sent(path, Self.rewrite("/v1", "")) == nil)
    }

    // MARK: what an upstream says

    private static func mapped(_ found: MappedReference?, of text: String, _ publicPrefix: String) -> String? {
        guard let found else { return nil }
        let whole = Array(text.utf8)
        return String(decoding: whole[..<found.kept], as: UTF8.self) + (found.hasPrefix ? publicPrefix : "")
            + String(decoding: whole[found.rest...], as: UTF8.self)
    }

    private static func location(_ text: String, _ publicPrefix: String = "/v1", _ upstreamPrefix: String = "")
        -> String?
    {
        let rewrite = rewrite(publicPrefix, upstreamPrefix)
        return mapped(
            bytes(text) { rewrite.mapped(reference: $0, authorities: TextList(["shop.example", "shop.example:443"])) },
            of: text, publicPrefix)
    }

    @Test(
        .holds("ECO-68"),
        arguments: [
            ("/x", "/v1/x"), ("/", "/v1/"), ("/x?y=/z#w", "/v1/x?y=/z#w"), ("http://app.internal/x", "/v1/x"),
            ("HTTP://APP.internal:80/x", "/v1/x"), ("http://[::1]:3001/x?y", "/v1/x?y"), ("http://app.internal", "/v1"),
            ("https://shop.example/x", "https://shop.example/v1/x"), ("http://app.internal/v1/x", "/v1/x"),
            ("http://app.internal//evil.example", "/v1//evil.example"), ("/v1x", "/v1/v1x"),
        ])
    func `is told to clients as they know it`(said: String, told: String) {
        #expect(Self.location(said) == told)
    }

    @Test(
        .refuses("ECO-68"),
        arguments: [
            "", "x", "../x", "?x", "//evil.example/x", "/\\evil.example", "/v1/x", "/v1", "/v1?x",
            "http://other.example/x",
            "http://app.internal:81/x", "https://app.internal/x", "http://app.internal@evil.example/x",
            "http://app.internal\\@evil.example/x", "http://app.internal.evil.example/", "javascript:x", "http:///x",
            "https://shop.example/v1/x", "http:/x",
        ])
    func `stays as it is where it is another's, relative or known already`(said: String) {
        #expect(Self.location(said) == nil)
    }

    @Test(.refuses("ECO-68"), arguments: ["/base//evil.example", "/base/\\evil.example", "/base/\t/evil.example"])
    func `never becomes the name of a server where nothing stands before it`(said: String) {
        #expect(Self.location(said, "", "/base") == nil)
        #expect(Self.location("http://app.internal" + said, "", "/base") == nil)
        #expect(Self.location("/base/x", "", "/base") == "/x")
    }

    @Test(.holds("ECO-68")) func `is that of the longer prefix where one has the other in it`() {
        #expect(Self.location("/api/x", "/v1", "/api") == "/v1/x")
        #expect(Self.location("/api/v1/x", "/api/v1", "/api") == nil)
        #expect(Self.location("/api/y", "/api/v1", "/api") == "/api/v1/y")
        #expect(Self.location("/api/v1/x", "/api", "/api/v1") == "/api/x")
        #expect(Self.location("/other", "/v1", "/api") == nil)
        #expect(Self.location("/apix", "/v1", "/api") == nil)
    }

    @Test(
        .holds("ECO-68"), .refuses("ECO-68"),
        arguments: [
            ("/", "", "/v1"), ("/x", "", "/v1/x"), ("/v1/x", "", nil), ("x", "", nil), ("", "", nil),
            ("/api", "/api", "/v1"), ("/", "/api", "/v1"), ("/api/x", "/api", "/v1/x"), ("/api", "/api/b", "/v1"),
            ("/other", "/api", nil),
        ])
    func `is the path of cookies too, which never reach the routes beside it`(
        path: String, upstream: String, told: String?
    ) {
        let rewrite = Self.rewrite("/v1", upstream)
        #expect(Self.mapped(Self.bytes(path) { rewrite.mapped(cookiePath: $0) }, of: path, "/v1") == told)
    }
}
