import Access
import Crypto
import Gateway
import Testing

/// A configuration whose only route goes to this upstream, in flow style.
private func upstream(_ text: String) -> String {
    Sample(routes: "routes: [{ path: /, public: true, upstream: \(text) }]").text
}

@Suite struct `an upstream` {
    private func read(_ text: String) throws -> UpstreamSettings { try settings(of: upstream(text)).routes[0].upstream }

    @Test func `is a URL, a Unix socket, or several servers`() throws {
        #expect(try read("http://a.test").servers == [.address(host: "a.test", port: 80)])
        #expect(try read("unix:/run/app.sock").servers == [.unixSocket(path: "/run/app.sock")])
        #expect(try read("{ url: unix:/run/app.sock }").servers == [.unixSocket(path: "/run/app.sock")])
        let several = try read("{ url: [http://10.0.0.1:1, 'http://[::1]:2', unix:/run/app.sock] }")
        #expect(
            several.servers
                == [
                    .address(host: "10.0.0.1", port: 1), .address(host: "::1", port: 2),
                    .unixSocket(path: "/run/app.sock"),
                ])
        #expect(several.name == "10.0.0.1:1,[::1]:2,unix:/run/app.sock")
    }

    @Test func `is shown a certificate, and spoken to as securely as it is said`() throws {
        let plain = try read("https://a.test")
        #expect(plain.clientCertificate == nil && plain.minimumVersion == .tls12)
        let known = try read(
            "{ url: https://a.test, client_certificate: tls.crt, client_key: { file: tls.key }, minimum_version: \"1.3\" }"
        )
        #expect(known.clientCertificate == .init(certificateFile: "tls.crt", keyFile: "tls.key"))
        #expect(known.minimumVersion == .tls13)
    }
}

@Suite struct `the version of HTTP that an upstream speaks` {
    private func read(_ text: String) throws -> UpstreamSettings { try settings(of: upstream(text)).routes[0].upstream }

    @Test func `is 1.1 unless it is said`() throws {
        #expect(try read("http://a.test").version == .http1)
        #expect(try read("{ url: http://a.test, protocol: http1 }").version == .http1)
        #expect(try read("{ url: http://a.test, protocol: h2 }").version == .http2)
        #expect(try read("{ url: unix:/run/app.sock, protocol: h2 }").version == .http2)
        #expect(try read("{ url: https://a.test, protocol: auto }").version == .automatic)
    }

    @Test func `is not left to an upstream that cannot say it`() throws {
        #expect(
            refusal(of: upstream("{ url: http://a.test, protocol: auto }"))
                == """
                gateway.yaml:3:67: routes[0].upstream.protocol: expected h2 or http1 for an upstream without TLS, found auto
                    without TLS nothing tells which one is spoken: write  protocol: h2  or leave it out
                """)
        let unknown = refusal(of: upstream("{ url: http://a.test, protocol: h3 }"))
        #expect(unknown.contains("expected one of http1, h2, auto"))
    }

    @Test func `is 2 for what is called by gRPC`() throws {
        func route(_ upstream: String) -> String {
            Sample(routes: "routes: [{ path: /, public: true, grpc: true, upstream: \(upstream) }]").text
        }
        let read = try settings(of: route("{ url: http://a.test, protocol: h2 }")).routes[0]
        #expect(read.isGRPC && !read.passesRequestTrailers)
        #expect(
            refusal(of: route("http://a.test"))
                == """
                gateway.yaml:3:35: routes[0].grpc: expected an upstream with protocol: h2, found one without
                    write  upstream: { url: …, protocol: h2 }  or leave grpc out
                """)
        #expect(try settings(of: Sample.tokenRoute("request_trailers: pass")).routes[0].passesRequestTrailers)
    }
}

@Suite struct `a listener at a Unix socket` {
    private func listener(_ keys: String) -> String {
        Sample(listeners: "listeners: [{ address: unix:/run/web.sock, public_url: http://a.example\(keys) }]").text
    }

    @Test func `is for owner and group unless mode says otherwise`() throws {
        let plain = try settings(of: listener("")).listeners[0].address
        #expect(plain == SocketAddressSettings(unixPath: "/run/web.sock", permissions: 0o660))
        for mode in ["\"0600\"", "\"600\""] {
            #expect(try settings(of: listener(", mode: \(mode)")).listeners[0].address.permissions == 0o600)
        }
        #expect(try warnings(of: listener("")) == "")
    }

    @Test func `may stand among trusted terminators`() throws {
        let read = try settings(of: listener(", client_cert_from: [unix, 10.0.0.0/8]")).listeners[0]
        #expect(read.clientCertFieldFrom == ["unix", "10.0.0.0/8"])
    }
}

@Suite struct `keys of session tickets` {
    @Test func `are read in order`() throws {
        let text = Sample.listener(
            "tls: { certificate: tls.crt, key: tls.key, ticket_keys: [{ file: other.secret }, { file: long.secret }] }")
        let keys = try settings(of: text).listeners[0].tls?.ticketKeys.map { $0.reveal() }
        #expect(keys?.map(\.count) == [40, 32])
    }
}
