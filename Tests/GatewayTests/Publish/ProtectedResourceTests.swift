import Access
import Issuers
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Gateway

private let issuers = [
    issuer("main", "https://id.example/"), issuer("other", "https://other.example/realm"),
]

private func issuer(_ name: String, _ url: String) -> IssuerSettings {
    IssuerSettings(name: name, url: url, rules: AccessTokenRules(issuer: url))
}

private func document(
    _ token: TokenSettings, _ identifier: String = "https://api.example/orders", certificates: Bool = false
) throws -> String {
    let resource = try #require(ProtectedResource(identifier))
    return String(
        decoding: resource.document(token, issuers: issuers, takesClientCertificates: certificates), as: UTF8.self)
}

@Suite struct `a protected resource` {
    @Test(
        .holds("MD-21"),
        arguments: [
            ("https://resource.example.com", "https://resource.example.com/.well-known/oauth-protected-resource"),
            ("https://resource.example.com/", "https://resource.example.com/.well-known/oauth-protected-resource"),
            (
                "https://resource.example.com/resource1",
                "https://resource.example.com/.well-known/oauth-protected-resource/resource1"
            ),
            ("https://api.example/a/b/", "https://api.example/.well-known/oauth-protected-resource/a/b/"),
            ("https://api.example:8443/mcp", "https://api.example:8443/.well-known/oauth-protected-resource/mcp"),
            ("https://api.example/x?y=z", "https://api.example/.well-known/oauth-protected-resource/x?y=z"),
            ("https://[2001:db8::1]/x", "https://[2001:db8::1]/.well-known/oauth-protected-resource/x"),
            ("HTTPS://API.example/X", "https://api.example/.well-known/oauth-protected-resource/X"),
        ])
    func `has its metadata where RFC 9728 §3.1 inserts it`(identifier: String, url: String) throws {
        #expect(try #require(ProtectedResource(identifier)).metadataURL == url)
    }

    @Test(
        .holds("MD-21"),
        arguments: [
            "", "orders", "/orders", "urn:example:orders", "https://api.example/#x", "https://u@h/", "https:///x",
        ])
    func `is an absolute URL without fragment`(identifier: String) {
        #expect(ProtectedResource(identifier) == nil)
    }

    @Test(
        .holds("MD-22"),
        arguments: [
            ("https://api.example/x", ["api.example", "api.example:443"]),
            ("http://api.example:80/x", ["api.example", "api.example:80"]),
            ("http://api.example:443", ["api.example:443"]),
            ("https://[::1]", ["[::1]", "[::1]:443"]),
        ])
    func `is answered for at its own authority`(identifier: String, authorities: [String]) throws {
        #expect(try #require(ProtectedResource(identifier)).authorities == authorities)
    }

    @Test(.holds("MD-20", "MD-23"), .refuses("MD-20", "MD-23")) func `says nothing that would be empty`() throws {
        #expect(
            try document(TokenSettings(issuers: ["main"], audiences: ["x"])) == """
                {"resource":"https://api.example/orders","authorization_servers":["https://id.example/"],\
                "bearer_methods_supported":["header"]}
                """)
    }

    @Test(.holds("MD-23", "MCP-05"))
    func `says what the route asks for, whatever the method, and nothing of refresh tokens`() throws {
        var token = TokenSettings(
            issuers: ["other", "main"], audiences: ["x"], scopes: ["a", "offline_access"],
            scopesByMethod: ["POST": ["w", "a"], "GET": ["r"], "HEAD": ["offline_access"]])
        token.schemes = [.dpop, .bearer]
        token.dpop = DPoPSettings(algorithms: [.edDSA, .es256])
        token.authorizationDetails = [AuthorizationDetailsRule(type: "t2")]
        token.authorizationDetailsByMethod = [
            "POST": [AuthorizationDetailsRule(type: "t1"), AuthorizationDetailsRule(type: "t2", actions: ["a"])]
        ]
        token.resource = ResourceSettings(name: "All \"orders\"")
        #expect(
            try document(token, certificates: true) == """
                {"resource":"https://api.example/orders",\
                "authorization_servers":["https://other.example/realm","https://id.example/"],\
                "scopes_supported":["a","r","w"],"bearer_methods_supported":["header"],\
                "dpop_signing_alg_values_supported":["EdDSA","ES256"],\
                "tls_client_certificate_bound_access_tokens":true,\
                "authorization_details_types_supported":["t2","t1"],"resource_name":"All \\"orders\\""}
                """)
        let announced = ["GET", "POST", "DELETE", "HEAD"].map { token.rights.announcedScopes(for: $0) }
        #expect(announced == [["r"], ["w", "a"], ["a"], []])
    }

    @Test(.holds("MCP-05"), arguments: ["GET", "HEAD", "POST", "DELETE"])
    func `asks for every scope but offline_access, which the token may have or not`(method: String) {
        let token = TokenSettings(
            issuers: ["main"], audiences: ["x"], scopes: ["offline_access", "a", "offline_access:x"],
            scopesByMethod: ["POST": ["offline_access"], "GET": ["b", "offline_access", "c"]])
        let expected = ["GET": ["b", "c"], "HEAD": ["b", "c"], "POST": [], "DELETE": ["a", "offline_access:x"]]
        #expect(token.rights.announcedScopes(for: method) == expected[method])
    }

    @Test(.holds("MCP-01", "MD-23"), .refuses("MCP-01", "MD-23"))
    func `names at least one server, and no other than the route's`() throws {
        let one = try document(TokenSettings(issuers: ["other"], audiences: ["x"]))
        #expect(one.contains(#""authorization_servers":["https://other.example/realm"]"#))
        let unknown = try document(TokenSettings(issuers: ["other", "missing"], audiences: ["x"]))
        #expect(unknown.contains(#""authorization_servers":["https://other.example/realm"]"#))
    }

    @Test(.holds("MD-23")) func `says that proofs are required where nothing else is accepted`() throws {
        var token = TokenSettings(issuers: ["main"], audiences: ["x"])
        token.schemes = [.dpop]
        let text = try document(token)
        #expect(text.contains(#""dpop_bound_access_tokens_required":true"#))
        token.schemes = [.bearer]
        #expect(!(try document(token).contains("dpop_")))
    }
}

private func listener(_ url: String, _ authorities: [String], certificates: Bool = false) -> ListenerSettings {
    var tls = TLSSettings(certificates: [])
    if certificates { tls.clientCertificates = ClientCertificateSettings(isRequired: false) }
    return ListenerSettings(
        address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: url, authorities: authorities, tls: tls)
}

private func settings(_ listeners: [ListenerSettings], _ routes: [(path: String, ResourceSettings?)]) -> GatewaySettings
{
    GatewaySettings(
        workers: 1, listeners: listeners,
        admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)),
        issuers: issuers,
        routes: routes.map { path, resource in
            var token = TokenSettings(issuers: ["main"], audiences: ["x"])
            token.resource = resource
            return RouteSettings(
                name: path, path: path, upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: .token(token))
        })
}

private func found(
    _ published: PublishedDocuments, _ path: String, at authority: String, listener: Int = 0, query: String = ""
) -> String? {
    let index = authority.withBytes { authority in
        path.withBytes { path in
            query.withBytes {
                published.find(
                    site: listener, authority: authority.span, path: path.span, query: $0.span)
            }
        }
    }
    guard let index, let value = try? JSONValue.parse(owned: published.documents[index].body) else { return nil }
    return value["resource"]?.string
}

@Suite struct `the published documents` {
    private let wellKnown = ReservedPath.protectedResourceMetadata

    @Test(.holds("MD-21")) func `are one a route, at the URL made from its identifier`() {
        let published = PublishedDocuments(
            settings(
                [listener("https://api.example", ["api.example", "api.example:443"])],
                [
                    ("/orders/", ResourceSettings()), ("/mcp", ResourceSettings()), ("/", ResourceSettings()),
                    ("/x", nil),
                ]))
        #expect(found(published, "\(wellKnown)/orders/", at: "api.example") == "https://api.example/orders/")
        #expect(found(published, "\(wellKnown)/mcp", at: "API.example:443") == "https://api.example/mcp")
        #expect(found(published, wellKnown, at: "api.example") == "https://api.example/")
        for path in ["/orders", "/mcp/", "/x", "/", "/unknown", "/orders/1", "/MCP"] {
            #expect(found(published, wellKnown + path, at: "api.example") == nil, "\(path)")
        }
    }

    @Test(.holds("MD-22")) func `are each listener's own, and an identifier's where its host is answered for`() {
        let listeners = [
            listener("https://a.example", ["a.example"]), listener("https://b.example", ["b.example", "c.example"]),
        ]
        let settings = settings(
            listeners,
            [("/own", ResourceSettings()), ("/named", ResourceSettings(identifier: "https://c.example/api"))])
        let published = PublishedDocuments(settings)
        #expect(found(published, "\(wellKnown)/own", at: "a.example") == "https://a.example/own")
        #expect(found(published, "\(wellKnown)/own", at: "b.example", listener: 1) == "https://b.example/own")
        #expect(found(published, "\(wellKnown)/api", at: "a.example") == nil)
        #expect(found(published, "\(wellKnown)/api", at: "c.example", listener: 1) == "https://c.example/api")
        #expect(
            PublishedDocuments.metadataURLs(of: settings.routes[0], settings) == [
                "https://a.example\(wellKnown)/own", "https://b.example\(wellKnown)/own",
            ])
        #expect(
            PublishedDocuments.metadataURLs(of: settings.routes[1], settings) == [
                "https://c.example\(wellKnown)/api", "https://c.example\(wellKnown)/api",
            ])
    }

    @Test(.holds("MD-21")) func `of two hosts with one path are told apart by Host`() {
        let published = PublishedDocuments(
            settings(
                [listener("https://a.example", ["a.example", "b.example"])],
                [
                    ("/1", ResourceSettings(identifier: "https://a.example/api")),
                    ("/2", ResourceSettings(identifier: "https://b.example/api")),
                ]))
        #expect(found(published, "\(wellKnown)/api", at: "a.example") == "https://a.example/api")
        #expect(found(published, "\(wellKnown)/api", at: "b.example") == "https://b.example/api")
    }

    @Test(.holds("MD-21")) func `of an identifier with a query are found with it alone`() {
        let published = PublishedDocuments(
            settings(
                [listener("https://a.example", ["a.example"])],
                [("/1", ResourceSettings(identifier: "https://a.example/api?k=1"))]))
        #expect(found(published, "\(wellKnown)/api", at: "a.example", query: "k=1") == "https://a.example/api?k=1")
        #expect(found(published, "\(wellKnown)/api", at: "a.example", query: "k=2") == nil)
        #expect(found(published, "\(wellKnown)/api", at: "a.example") == nil)
    }

    @Test(.holds("MD-23")) func `name certificate-bound tokens where the listener asks for certificates`() {
        let published = PublishedDocuments(
            settings(
                [
                    listener("https://a.example", ["a.example"], certificates: true),
                    listener("https://b.example", ["b.example"]),
                ],
                [("/1", ResourceSettings())]))
        let texts = published.documents.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(texts.map { $0.contains("tls_client_certificate_bound_access_tokens") } == [true, false])
    }

    @Test(.refuses("MD-20")) func `are refused at start when one could not be answered with`() {
        func check(_ count: Int) throws {
            var settings = settings([listener("https://a.example", ["a.example"])], [("/1", ResourceSettings())])
            guard case .token(var token) = settings.routes[0].access else { return }
            token.rights.scopes = (0..<count).map { "scope:number:\($0)" }
            settings.routes[0].access = .token(token)
            try PublishedDocuments(settings).check()
        }
        #expect(throws: Never.self) { try check(100) }
        #expect(throws: GatewayFailure.self) { try check(10_000) }
    }

    @Test(.refuses("MD-22")) func `are pointed to by nobody where nothing is published`() {
        let settings = settings([listener("https://a.example", ["a.example"])], [("/1", nil)])
        #expect(PublishedDocuments(settings).documents.isEmpty)
        #expect(PublishedDocuments.metadataURLs(of: settings.routes[0], settings) == [""])
    }
}

@Suite struct `a reserved path` {
    @Test(
        .holds("MD-25"),
        arguments: [
            "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/",
            "/.well-known/oauth-protected-resource/a/b", "//.well-known/oauth-protected-resource",
            "/.well-known//oauth-protected-resource/x", "/%2Ewell-known/oauth-protected-resource",
            "/.well%2Dknown/oauth%2dprotected-resource/x", "/%2ewell-known/%6Fauth-protected-resource",
        ])
    func `is the well-known one in every spelling`(path: String) {
        #expect(path.withBytes { ReservedPath($0.span) } == .protectedResource)
    }

    @Test(
        .holds("MD-25"),
        arguments: ["/.portcullis", "/.portcullis/", "/.portcullis/jwks.json", "//.portcullis/x", "/%2Eportcullis/x"])
    func `is the gateway's own in every spelling`(path: String) {
        #expect(path.withBytes { ReservedPath($0.span) } == .gateway)
    }

    @Test(
        .refuses("MD-25"),
        arguments: [
            "/.well-known/oauth-protected-resources", "/.well-known", "/.well-known/openid-configuration", "/",
            "/a/.well-known/oauth-protected-resource", "/.portcullisx", "/.Portcullis", "/.", "/%", "//", "/%2",
        ])
    func `is no other path`(path: String) {
        #expect(path.withBytes { ReservedPath($0.span) } == nil)
    }
}
