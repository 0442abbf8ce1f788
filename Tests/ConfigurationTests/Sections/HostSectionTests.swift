import Access
import Gateway
import TestTraits
import Testing

@testable import Configuration

@Suite struct `hosts of a configuration` {
    private static func text(
        _ hosts: String, _ routes: [String],
        listeners: String = "address: 127.0.0.1:8443, public_url: https://shop.example.com"
    ) -> String {
        let lines = routes.map { "  - { \($0), upstream: http://127.0.0.1:3000, public: true }" }
        return "listeners: [{ \(listeners) }]\nhosts: [\(hosts)]\nroutes:\n\(lines.joined(separator: "\n"))\n"
    }

    @Test(.holds("ECO-66")) func `have the scheme and port of the first listener that serves, unless they say another`()
        throws
    {
        let settings = try settings(
            of: Self.text(
                "{ host: A.example.com }, { host: \"*.example.com\" }, { host: b.example.com, public_url: https://b.example.com }",
                [
                    "host: a.example.com, path: /", "host: \"*.Example.com\", path: /", "host: B.example.com, path: /",
                    "path: /",
                ],
                listeners: "address: 127.0.0.1:80, public_url: https://r.example, redirect_to_https: true }, "
                    + "{ address: 127.0.0.1:8443, public_url: https://shop.example.com:8443"))
        #expect(settings.hosts.map(\.name) == ["a.example.com", "*.example.com", "b.example.com"])
        #expect(
            settings.hosts.map(\.publicURL) == [
                "https://a.example.com:8443", "https://*.example.com:8443", "https://b.example.com",
            ])
        #expect(
            settings.hosts.map(\.authorities) == [
                ["a.example.com:8443"], [".example.com:8443"], ["b.example.com", "b.example.com:443"],
            ])
        #expect(settings.routes.map(\.host) == [0, 1, 2, nil])
        #expect(settings.routes.map(\.name) == ["a.example.com/", "*.example.com/", "b.example.com/", "/"])
    }

    @Test(.holds("ECO-66"), .refuses("ECO-66")) func `have a scheme that a listener which serves them has`() throws {
        func text(_ url: String) -> String {
            Self.text(
                "{ host: a.example.com, listeners: [two]\(url) }", ["host: a.example.com, path: /"],
                listeners: "address: 127.0.0.1:8080, name: one, public_url: http://one.example }, "
                    + "{ address: 127.0.0.1:8444, name: two, public_url: https://two.example:8444")
        }
        #expect(try settings(of: text("")).hosts.map(\.publicURL) == ["https://a.example.com:8444"])
        #expect(
            try settings(of: text(", public_url: https://a.example.com")).hosts.map(\.publicURL)
                == ["https://a.example.com"])
        #expect(
            refusal(of: text(", public_url: http://a.example.com:8444"))
                .contains("expected the scheme of a listener that serves it"))
    }

    @Test(.holds("ECO-67")) func `are served where they say, by the listeners' names`() throws {
        let settings = try settings(
            of: Self.text(
                "{ host: a.example.com, listeners: [two] }, { host: b.example.com }",
                ["host: a.example.com, path: /", "host: b.example.com, path: /"],
                listeners: "address: 127.0.0.1:8443, name: one, public_url: https://one.example }, "
                    + "{ address: 127.0.0.1:8444, name: two, public_url: https://two.example"))
        #expect(settings.hosts.map(\.listeners) == [[1], nil])
        #expect((0..<2).map { settings.listener($0, answers: "a.example.com") } == [false, true])
        #expect((0..<2).map { settings.listener($0, answers: "b.example.com") } == [true, true])
    }

    @Test(.refuses("ECO-96")) func `are not told to have no routes where these are in a file that does not load`() {
        let text = Sample(rest: "include: [a.yaml]\nhosts: [{ host: a.example.com }]").text
        func found(_ routes: String) -> String {
            refusal(of: text, from: .scripted(files: ["a.yaml": Fixture.file(routes)]))
        }
        let route = "path: /, upstream: http://127.0.0.1:3000, public: true"
        #expect(found("routes: [").contains("a.yaml:"))
        #expect(!found("routes: [").contains("a host that a route names"))
        #expect(found("routes: [{ \(route.replacing("/,", with: "/x/,")) }]").contains("a host that a route names"))
    }

    @Test(.holds("ECO-65")) func `and methods and fields tell routes of one path apart`() throws {
        let routes = try settings(
            of: Self.text(
                "{ host: a.example.com }",
                [
                    "host: a.example.com, path: /x, name: get, methods: [GET]", "host: a.example.com, path: /x",
                    "host: a.example.com, path: /x, name: kind, fields: { X-Kind: two words }", "path: /x",
                ])
        ).routes
        #expect(routes.map(\.field) == [nil, nil, RouteFieldSettings(name: "x-kind", value: "two words"), nil])
    }

    @Test(.holds("ECO-65")) func `have paths with wildcards, which routes are named after`() throws {
        let routes = try settings(
            of: Self.text("{ host: a.example.com }", ["host: a.example.com, path: /api/*/x", "path: /*/"])
        ).routes
        #expect(routes.map(\.path) == ["/api/*/x", "/*/"])
        #expect(routes.map(\.name) == ["a.example.com/api/*/x", "/*/"])
    }

    @Test(.holds("ECO-66"), .refuses("ECO-66")) func `have their certificates in a folder`() throws {
        let listeners = "address: 127.0.0.1:8443, public_url: https://a.example, tls: { certificate_folder: hosts }"
        let text = Self.text("{ host: b.example }", ["host: b.example, path: /"], listeners: listeners)
        var files = Fixture.files
        for name in ["hosts/b.crt", "hosts/a.crt"] { files[name] = Fixture.file(Fixture.certificate) }
        for name in ["hosts/b.key", "hosts/a.key"] { files[name] = Fixture.file(Fixture.key) }
        var sources = ConfigurationSources.scripted(files: files)
        sources.names = { $0 == "hosts" ? .success([".", "b.crt", "b.key", "a.key", "a.crt", "note"]) : .success([]) }
        let certificates = try settings(of: text, from: sources).listeners[0].tls?.certificates
        #expect(certificates?.map(\.certificateFile) == ["hosts/a.crt", "hosts/b.crt"])
        #expect(certificates?.map(\.keyFile) == ["hosts/a.key", "hosts/b.key"])
        sources.names = { _ in .success(["c.crt"]) }
        #expect(refusal(of: text, from: sources).contains("hosts/c.key"))
        sources.names = { _ in .success((0..<4096).map { "\($0).crt" }) }
        #expect(refusal(of: text, from: sources).contains("fewer than 4096 files in the folder"))
        sources.names = { _ in .success(["note"]) }
        #expect(refusal(of: text, from: sources).contains("NAME.crt beside NAME.key"))
    }
}
