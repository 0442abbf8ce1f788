import HTTPMessage
import TestTraits
import Testing

@testable import OAuth

@Suite struct `where metadata is asked for` {
    private func candidates(_ issuer: String, _ form: MetadataRequest.Form) throws -> [String] {
        MetadataRequest.candidates(issuer: try IssuerIdentifier(issuer), form: form)
    }

    // RFC 8414 §3.1 and OpenID Connect Discovery §4.1 give these examples.
    @Test(
        .holds("MD-02"),
        arguments: [
            ("https://example.com", "https://example.com/.well-known/oauth-authorization-server"),
            ("https://example.com/", "https://example.com/.well-known/oauth-authorization-server"),
            ("https://example.com/issuer1", "https://example.com/.well-known/oauth-authorization-server/issuer1"),
            ("https://example.com/issuer1/", "https://example.com/.well-known/oauth-authorization-server/issuer1"),
            ("https://example.com:8443/a/b", "https://example.com:8443/.well-known/oauth-authorization-server/a/b"),
            ("https://[2001:db8::1]/a", "https://[2001:db8::1]/.well-known/oauth-authorization-server/a"),
        ])
    func `oauth inserts the suffix between host and path`(issuer: String, url: String) throws {
        #expect(try candidates(issuer, .oauth) == [url])
    }

    @Test(
        .holds("MD-02"),
        arguments: [
            ("https://example.com", "https://example.com/.well-known/openid-configuration"),
            ("https://example.com/", "https://example.com/.well-known/openid-configuration"),
            ("https://example.com/issuer1", "https://example.com/issuer1/.well-known/openid-configuration"),
            ("https://example.com/issuer1/", "https://example.com/issuer1/.well-known/openid-configuration"),
            ("https://example.com:8443/a/b", "https://example.com:8443/a/b/.well-known/openid-configuration"),
        ])
    func `oidc appends the suffix`(issuer: String, url: String) throws {
        #expect(try candidates(issuer, .openIDConnect) == [url])
    }

    @Test(.holds("MD-02")) func `automatic tries three locations in order for an issuer with a path`() throws {
        #expect(
            try candidates("https://example.com/tenant1", .automatic) == [
                "https://example.com/.well-known/oauth-authorization-server/tenant1",
                "https://example.com/.well-known/openid-configuration/tenant1",
                "https://example.com/tenant1/.well-known/openid-configuration",
            ])
    }

    @Test(.holds("MD-02"), arguments: ["https://example.com", "https://example.com/"])
    func `automatic tries two locations for an issuer without a path`(issuer: String) throws {
        #expect(
            try candidates(issuer, .automatic) == [
                "https://example.com/.well-known/oauth-authorization-server",
                "https://example.com/.well-known/openid-configuration",
            ])
    }

    @Test(.refuses("MD-02")) func `a fixed form never tries the other form of an issuer with a path`() throws {
        let oauth = try candidates("https://example.com/t", .oauth)
        let openIDConnect = try candidates("https://example.com/t", .openIDConnect)
        #expect(!oauth.contains { $0.hasPrefix("https://example.com/t/") })
        #expect(!openIDConnect.contains { $0.hasPrefix("https://example.com/.well-known/") })
    }

    @Test(.holds("MD-02")) func `the operator's spelling of the host is kept`() throws {
        #expect(
            try candidates("https://ID.Example.com/A", .openIDConnect)
                == ["https://ID.Example.com/A/.well-known/openid-configuration"])
    }
}

@Suite struct `an issuer identifier` {
    @Test(
        .holds("MD-01"),
        arguments: ["https://id.example.com", "https://id.example.com/", "https://id.example.com:444/a/b%20c"])
    func `is a URL of scheme https`(text: String) throws {
        #expect(try IssuerIdentifier(text).text == text)
    }

    @Test(.holds("MD-01"), .refuses("MD-01")) func `may be http only where that was asked for by name`() throws {
        #expect(throws: MetadataRefusal.issuerNotHTTPS) { try IssuerIdentifier("http://127.0.0.1:4593/api") }
        #expect(
            try IssuerIdentifier("http://127.0.0.1:4593/api", schemes: .insecureHTTPAllowed).uri.effectivePort == 4593)
    }

    @Test(
        .refuses("MD-01"),
        arguments: [
            ("http://id.example.com", .issuerNotHTTPS), ("ftp://id.example.com", .issuerNotHTTPS),
            ("https://id.example.com?x", .issuerWithQueryOrFragment),
            ("https://id.example.com/?", .issuerWithQueryOrFragment),
            ("https://id.example.com/#", .issuerWithQueryOrFragment),
            ("https://id.example.com/a#b", .issuerWithQueryOrFragment),
            ("", .issuerNotURL), ("id.example.com", .issuerNotURL), ("https:", .issuerNotURL),
            ("https://", .issuerNotURL),
            ("https:///a", .issuerNotURL), ("https://a@id.example.com", .issuerNotURL),
            ("https://id.example.com ", .issuerNotURL),
            ("//id.example.com/", .issuerNotURL), ("https://id.exämple.com/", .issuerNotURL),
        ] as [(String, MetadataRefusal)])
    func `is refused when it is anything else`(text: String, refusal: MetadataRefusal) {
        #expect(throws: refusal) { try IssuerIdentifier(text) }
    }

    @Test(.refuses("MD-01"), arguments: ["ftp://127.0.0.1/", "file:///a", "javascript://a/"])
    func `is no other scheme even where http is allowed`(text: String) {
        #expect(throws: MetadataRefusal.self) { try IssuerIdentifier(text, schemes: .insecureHTTPAllowed) }
    }
}
