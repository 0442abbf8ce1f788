import Foundation
import Testing
import TestSupport

/// A gateway with a vendor's example, in which nothing but addresses is another, and a server that behaves as documented.
final class VendorStage: Sendable {
    let server: VendorServer
    /// The upstreams of `/` and `/api/`.
    let upstream: RecordingUpstream
    let api: RecordingUpstream
    let gateway: GatewayProcess
    /// The example as it is in the file.
    let example: String
    private let authority: String

    /// The gateway's origin and name in every example.
    static let origin = "https://shop.example.com"
    private static let name = "shop.example.com"

    init(_ vendor: Vendor) throws {
        let authority = try TestCertificate.authority(named: "Authority of the example")
        self.authority = authority.certificate
        let secret = (0..<2).map { _ in String(UInt64.random(in: 1 << 60...UInt64.max), radix: 36) }.joined()
        server = try VendorServer(vendor, identity: authority.issue(names: ["127.0.0.1"]), secret: secret)
        upstream = try RecordingUpstream()
        api = try RecordingUpstream()
        example = try Self.text(of: vendor)
        let identity = try authority.issue(names: [Self.name])
        var files = [
            "tls.crt": identity.certificate, "tls.key": identity.key, "authority.crt": authority.certificate,
            "session.key": (0..<4).map { _ in String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16) }.joined(),
        ]
        for name in example.matches(of: #/\/run\/secrets\/([a-z0-9]+\.secret)/#) { files[String(name.1)] = secret }
        for name in example.matches(of: #/\/run\/secrets\/([a-z0-9]+-rsa\.key)/#) {
            files[String(name.1)] = try SigningKey.otherRSA.pem()
        }
        gateway = try GatewayProcess(
            Self.relocated(example, vendor, server: server.server.url, upstream: upstream.url, api: api.url),
            files: files)
    }

    /// The example's text with addresses on 127.0.0.1, and what a test needs beside it.
    private static func relocated(
        _ example: String, _ vendor: Vendor, server: String, upstream: String, api: String
    ) throws -> String {
        var text = example
        for (old, new) in [
            ("    url: \(vendor.origin)", "    certificate_authority: $FOLDER/authority.crt\n    url: \(server)"),
            ("0.0.0.0:8443", "127.0.0.1:0"), ("upstream: http://127.0.0.1:3000\n", "upstream: \(upstream)\n"),
            (
                example.contains("https://api.internal\n") ? "https://api.internal\n" : "http://127.0.0.1:3001\n",
                "\(api)\n"
            ),
            ("/run/tls/", "$FOLDER/"), ("/run/secrets/", "$FOLDER/"),
        ] {
            try #require(text.contains(old), "\(old) is not in the example \(vendor.name)")
            text = text.replacingOccurrences(old, with: new)
        }
        return text + """
            admin: { address: "127.0.0.1:0" }
            log: { level: debug, operator: stderr, access: stdout }

            """
    }

    private static func text(of vendor: Vendor) throws -> String {
        // Three folders above this file's is the project.
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        return try String(contentsOfFile: "\(root)/config/examples/\(vendor.name).yaml", encoding: .utf8)
    }

    /// One request on a connection of its own.
    func exchange(
        _ method: String = "GET", _ target: String, browser: CookieJar = CookieJar(), fields: [String] = [],
        body: String = ""
    ) throws -> WireResponse {
        let client = try RawClient(
            port: gateway.port, tls: TLSClientOptions(serverName: Self.name, authority: authority))
        defer { client.close() }
        let length = method == "POST" ? ["Content-Length: \(body.utf8.count)"] : []
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(Self.name)"] + browser.lines + fields + length
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try client.response(to: method)
    }

    /// A page that is opened: where the browser is sent, if it is.
    func open(_ target: String, _ browser: inout CookieJar) throws -> WireResponse {
        let response = try exchange("GET", target, browser: browser, fields: navigation + ["Accept: text/html"])
        browser.take(response)
        return response
    }

    /// Where the browser is sent at the server by somebody who opens this page of the app and is nobody yet.
    func authorizationURL(
        from page: String, _ browser: inout CookieJar, at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let start = try open(page, &browser)
        #expect(start.status == 303, "\(start.headText)", sourceLocation: location)
        var begun = try open(try #require(start.fields.only("location"), sourceLocation: location), &browser)
        // The page that looks for a fragment, whose script goes on.
        if begun.status == 200, let next = begun.bodyText.firstMatch(of: #/data-next="([^"]*)"/#) {
            begun = try open(String(next.1).replacingOccurrences("&amp;", with: "&"), &browser)
        }
        return try #require(
            begun.fields.only("location"), "\(begun.headText)\(gateway.diagnosis)", sourceLocation: location)
    }

    /// The part of one of our URLs that is behind the origin.
    func target(_ url: String, at location: SourceLocation = #_sourceLocation) throws -> String {
        try #require(url.hasPrefix(Self.origin + "/"), "\(url)", sourceLocation: location)
        return String(url.dropFirst(Self.origin.utf8.count))
    }

    /// A request of a program with this token.
    func call(_ token: String, _ target: String = "/api/orders") throws -> WireResponse {
        try exchange("GET", target, fields: ["Authorization: Bearer \(token)"])
    }
}

/// A user who opened a page and signed in at the server.
struct VendorVisit {
    var browser = CookieJar()
    /// The authorization URL's parameters, and those that the server acted on.
    let sent: [String: String]
    let parameters: [String: String]

    /// From a page of the app, by the login and the server, back to it.
    init(_ stage: VendorStage, at location: SourceLocation = #_sourceLocation) throws {
        let url = try stage.authorizationURL(from: "/page?x=1", &browser, at: location)
        sent = WireForm.parameters(url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? "")
        let answer = try stage.server.authorize(url)
        parameters = answer.parameters
        let back = try stage.open(try stage.target(answer.callback, at: location), &browser)
        try #require(back.status == 303, "\(back.headText)\(stage.gateway.diagnosis)", sourceLocation: location)
        #expect(back.fields.only("location") == "/page?x=1", "\(back.headText)", sourceLocation: location)
    }
}
