import TestSupport
import TestTraits
import Testing

/// Plain HTTP where https is spoken: a sentence or a page in place of a reset, and nothing is served.
@Suite(.serialized) struct `plain HTTP where https is spoken` {
    private final class Stage: Sendable {
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        init() throws {
            upstream = try RecordingUpstream()
            let identity = try TestCertificate.authority(named: "Authority").issue(names: ["a.test"])
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - { address: "127.0.0.1:0", public_url: "https://a.test",
                      tls: { certificate: $FOLDER/a.crt, key: $FOLDER/a.key } }
                  - { address: "127.0.0.1:0", public_url: "https://a.test", redirect_to_https: true }
                admin: { address: "127.0.0.1:0" }
                routes:
                  - { path: /, upstream: "\(upstream.url)", public: true }
                  - { path: /.well-known/acme-challenge/, upstream: "\(upstream.url)", public: true }
                timeouts: { request_head: 8s }
                log: { level: debug }

                """, files: ["a.crt": identity.certificate, "a.key": identity.key], listeners: 2)
        }

        func exchange(_ listener: Int, _ message: String, to method: String = "GET") throws -> WireResponse {
            let client = try RawClient(port: gateway.ports[listener])
            try client.send(message)
            return try client.response(to: method)
        }
    }

    private static let shared = Shared { try Stage() }
    private let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    @Test(.holds("HTTP-73")) func `a port of TLS answers plain HTTP with a sentence, and people with a page`() throws {
        let client = try RawClient(port: stage.gateway.ports[0])
        try client.send("GET /a HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\n\r\n")
        let answer = try client.response()
        #expect(answer.status == 400 && text(answer.body) == "Plain HTTP is not served here: use https://a.test/\n")
        #expect(answer.fields.only("content-type") == "text/plain; charset=utf-8")
        #expect(client.isClosedByPeer())
        let page = try stage.exchange(0, "GET /a HTTP/1.1\r\nHost: a.test\r\nAccept: text/html\r\n\r\n")
        #expect(page.status == 400 && text(page.body).contains("This site is reached with https://"))
        #expect(text(page.body).contains("href=\"https://a.test/\">Go to the site"))
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(
        .refuses("HTTP-73"),
        arguments: [
            "POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc",
            "OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer x\r\n\r\n", "GET /a HTTP/1.0\r\n\r\n",
            "GET /.well-known/acme-challenge/x HTTP/1.1\r\nHost: a.test\r\n\r\n",
        ])
    func `a port of TLS serves none of it`(message: String) throws {
        let answer = try stage.exchange(0, message)
        #expect(answer.status == 400 && text(answer.body).hasPrefix("Plain HTTP is not served here"))
        #expect(stage.upstream.requests.isEmpty)
        #expect(try #require(stage.gateway.operatorLine { $0["cause"] == "plain_http" })["level"] != nil)
    }

    @Test(
        .refuses("HTTP-73"),
        arguments: [
            "A", "GET /a HTTP/1.1\r\nHost: a.test\r\n", "GET /a\u{0} HTTP/9.9\r\n\r\n", "PROXY TCP4 x\r\n\r\n",
        ])
    func `what is no request ends in a refusal, too`(message: String) throws {
        let answer = try stage.exchange(0, message)
        #expect([400, 408, 505].contains(answer.status) && stage.upstream.requests.isEmpty)
    }

    @Test(.holds("HTTP-73")) func `TLS is spoken with everybody else as before`() throws {
        let client = try RawClient(port: stage.gateway.ports[0], tls: TLSClientOptions(serverName: "a.test"))
        try client.send("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(try client.response().status == 200)
    }

    @Test(
        .holds("HTTP-73"),
        arguments: [
            ("/a/b?c=d%20e", "/a/b?c=d%20e"), ("/", "/"), ("//evil.test/x", "//evil.test/x"), ("/?", "/?"),
            ("http://evil.test/a?b", "/a?b"), ("http://evil.test", "/"), ("/a%0d%0aX:y", "/a%0d%0aX:y"),
        ])
    func `a listener sends GET and HEAD to https, at our own name`(target: String, location: String) throws {
        for method in ["GET", "HEAD"] {
            let answer = try stage.exchange(1, "\(method) \(target) HTTP/1.1\r\nHost: evil.test\r\n\r\n", to: method)
            #expect(answer.status == 308 && answer.fields.only("location") == "https://a.test" + location)
            #expect(answer.body.isEmpty && answer.fields.only("cache-control") == "no-store")
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(
        .refuses("HTTP-73"),
        arguments: [
            "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer x\r\n\r\n",
            "DELETE / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        ])
    func `what was read on the way is refused, and not sent on as if nothing had happened`(message: String)
        throws
    {
        let answer = try stage.exchange(1, message)
        #expect(answer.status == 400 && !answer.fields.contains("location"))
    }

    @Test(.holds("HTTP-73")) func `the questions of ACME servers are answered where a public route is for them`() throws
    {
        let path = "/.well-known/acme-challenge/aB-_9"
        #expect(try stage.exchange(1, "GET \(path) HTTP/1.1\r\nHost: a.test\r\n\r\n").status == 200)
        #expect(stage.upstream.requests.count == 1)
        stage.upstream.forget()
        for other in [
            "\(path)/../../../a", "/.well-known/acme-challenge/", "\(path)%2e", "/.well-known/acme-challengex/a",
        ] {
            #expect(try stage.exchange(1, "GET \(other) HTTP/1.1\r\nHost: a.test\r\n\r\n").status == 308, "\(other)")
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("HTTP-73", "ECO-66"), .refuses("HTTP-73"))
    func `leads to the site of its host, whichever port that was called at, and to no other`() throws {
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              - { address: "127.0.0.1:0", name: web, public_url: "https://own.test:8443", hosts: ["alias.test:8443"],
                  trusted_proxies: [127.0.0.1/32] }
              - { address: "127.0.0.1:0", name: plain, public_url: "https://own.test:8443", redirect_to_https: true }
            admin: { address: "127.0.0.1:0" }
            hosts:
              - { host: a.test }
              - { host: b.test, public_url: "https://b.test" }
              - { host: c.test, listeners: [web] }
              - { host: "*.d.test" }
            routes:
              - { host: a.test, path: /, upstream: "http://127.0.0.1:1", public: true }
              - { host: b.test, path: /, upstream: "http://127.0.0.1:1", public: true }
              - { host: c.test, path: /, upstream: "http://127.0.0.1:1", public: true }
              - { host: "*.d.test", path: /, upstream: "http://127.0.0.1:1", public: true }
              - { path: /, upstream: "http://127.0.0.1:1", public: true }
            log: { level: debug }

            """, listeners: 2)
        for (host, place) in [
            ("a.test", "a.test:8443"), ("a.test:80", "a.test:8443"), ("A.test:8080", "a.test:8443"),
            ("a.test:8443", "a.test:8443"), ("b.test", "b.test"), ("b.test:8080", "b.test"),
            ("x.d.test:8080", "x.d.test:8443"), ("own.test:8080", "own.test:8443"),
            // Nobody's name, or one that is served elsewhere alone, leads to nothing of its own.
            ("evil.test:8080", "own.test:8443"), ("evil.test", "own.test:8443"), ("c.test:8080", "own.test:8443"),
            ("a.test.evil.test:8080", "own.test:8443"), ("x.y.d.test:8080", "own.test:8443"),
        ] {
            let client = try RawClient(port: gateway.ports[1])
            try client.send("GET /p?q HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let answer = try client.response()
            #expect(answer.status == 308 && answer.fields.only("location") == "https://\(place)/p?q", "\(host)")
        }
    }
}
