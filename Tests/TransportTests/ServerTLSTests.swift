import COpenSSL
import Glibc
import TestSupport
import TestTraits
import Testing
import Transport

private typealias Stream = Transport.ByteStream

/// A server's stream and a client of another make at its other end.
private struct Meeting {
    var server: Stream
    let client: ForeignClient
    let outcome: (server: Int, client: Int)

    init(
        _ tls: ServerTLS, serverName: String? = nil, version: Int32? = nil, suites: String? = nil,
        protocols: [String] = []
    ) throws {
        let pair = try SocketPair()
        client = try ForeignClient(
            pair.there, serverName: serverName, version: version, suites: suites, protocols: protocols)
        guard let server = tls.open(pair.here) else { throw WireFailure.tls("open") }
        self.server = server
        let outcomes = shakeHands(server, client.stream)
        outcome = (outcomes.one, outcomes.other)
    }

    var isAgreed: Bool { outcome == (0, 0) }
}

@Suite struct `a server's TLS` {
    @Test(
        .holds("HTTP-21"),
        arguments: [
            ("a.example", "a.example"), ("A.Example", "a.example"), ("b.example", "b.example"),
            ("www.c.example", "c.example"), ("c.example", "c.example"), ("unknown.example", "a.example"),
            ("a.b.c.example", "a.example"), (nil, "a.example"),
        ] as [(String?, String)])
    func `shows the certificate that SNI names, or the first`(serverName: String?, expected: String) throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(
            identities: [
                files.identity("a.example"), files.identity("b.example"),
                files.identity("c.example", "*.c.example"),
            ], minimumVersion: .tls12)
        var meeting = try Meeting(tls, serverName: serverName)
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        #expect(meeting.client.peerName == expected)
    }

    @Test(.holds("HTTP-21")) func `finds the certificate of a name among many, in the order that they have`()
        throws
    {
        let files = try CertificateFiles()
        let many = try (0..<40).map { try files.identity("host\($0).example", "*.sub\($0).example") }
        let tls = try ServerTLS(
            identities: many + [
                files.identity("f*.odd.example"), files.identity("last.example", "host7.example", "www.sub7.example"),
            ], minimumVersion: .tls12)
        for (name, expected) in [
            ("host0.example", "host0.example"), ("HOST7.example", "host7.example"),
            ("host39.example", "host39.example"),
            ("www.sub7.example", "host7.example"), ("last.example", "last.example"),
            ("foo.odd.example", "f*.odd.example"),
            ("a.b.sub7.example", "host0.example"), ("unknown.example", "host0.example"),
        ] {
            var meeting = try Meeting(tls, serverName: name)
            defer { meeting.server.close() }
            #expect(meeting.client.peerName == expected, "\(name)")
        }
    }

    @Test(.holds("HTTP-21"), .refuses("HTTP-21")) func `knows whether a host is the name of the handshake`() throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(identities: [files.identity("a.example")], minimumVersion: .tls12)
        var named = try Meeting(tls, serverName: "A.example")
        defer { named.server.close() }
        for (host, agrees) in [
            ("a.example", true), ("A.EXAMPLE", true), ("b.example", false), ("a.example.", false), ("a.exampl", false),
            ("", false), ("aa.example", false),
        ] {
            #expect(Array(host.utf8).withUnsafeBufferPointer { named.server.serverNameAgrees(with: $0.span) } == agrees)
        }
        var unnamed = try Meeting(tls)
        defer { unnamed.server.close() }
        let any = Array("b.example".utf8)
        #expect(any.withUnsafeBufferPointer { unnamed.server.serverNameAgrees(with: $0.span) })
        #expect(any.withUnsafeBufferPointer { Stream().serverNameAgrees(with: $0.span) })
    }

    @Test func `knows whether its certificate is one of a host`() throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(
            identities: [files.identity("a.example"), files.identity("b.example", "*.b.example")],
            minimumVersion: .tls12)
        var meeting = try Meeting(tls, serverName: "b.example")
        defer { meeting.server.close() }
        for (host, isNamed) in [
            ("b.example", true), ("www.B.example", true), ("a.example", false), ("x.www.b.example", false), ("", false),
            ("b.example\0.evil", false), (".b.example", false),
        ] {
            #expect(Array(host.utf8).withUnsafeBufferPointer { meeting.server.ownCertificateNames($0.span) } == isNamed)
        }
        let any = Array("b.example".utf8)
        #expect(!any.withUnsafeBufferPointer { Stream().ownCertificateNames($0.span) })
    }

    @Test(arguments: [
        (Transport.TLSVersion.tls12, TLS1_2_VERSION, "TLSv1.2"), (.tls12, TLS1_3_VERSION, "TLSv1.3"),
        (.tls13, TLS1_3_VERSION, "TLSv1.3"),
    ])
    func `speaks its lowest version and above`(minimum: Transport.TLSVersion, version: Int32, name: String) throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(identities: [files.identity("a.example")], minimumVersion: minimum)
        var meeting = try Meeting(tls, version: version)
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        #expect(meeting.client.version == name)
    }

    @Test(arguments: [
        (Transport.TLSVersion.tls12, TLS1_VERSION), (.tls12, TLS1_1_VERSION), (.tls13, TLS1_1_VERSION),
        (.tls13, TLS1_2_VERSION),
    ])
    func `refuses an older version`(minimum: Transport.TLSVersion, version: Int32) throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(identities: [files.identity("a.example")], minimumVersion: minimum)
        var meeting = try Meeting(tls, version: version)
        defer { meeting.server.close() }
        #expect(meeting.outcome.server == Stream.failed)
        #expect(meeting.outcome.client != 0)
    }

    /// A server whose certificate has the kind of key that a suite wants: no refusal is for want of that.
    private func server(_ files: CertificateFiles, rsa: Bool, speaksHTTP2: Bool = false) throws -> ServerTLS {
        let certificate =
            rsa
            ? try TestCertificate.selfSigned(named: "a.example", rsaBits: 2048)
            : try files.authority.issue(names: ["a.example"])
        return try ServerTLS(
            identities: [files.identity(certificate)], minimumVersion: .tls12, speaksHTTP2: speaksHTTP2)
    }

    @Test(
        .holds("HTTP-73"),
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", false), ("ECDHE-ECDSA-CHACHA20-POLY1305", false),
            ("ECDHE-RSA-AES128-GCM-SHA256", true), ("ECDHE-RSA-AES256-GCM-SHA384", true),
        ])
    func `agrees on a suite of BCP 195 by TLS 1.2`(suite: String, rsa: Bool) throws {
        var meeting = try Meeting(
            server(CertificateFiles(), rsa: rsa), version: TLS1_2_VERSION, suites: suite)
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        #expect(meeting.client.suite == suite)
    }

    @Test(
        .refuses("HTTP-73"),
        arguments: [
            // Without forward secrecy: whoever has the key one day reads what was recorded before.
            ("AES128-GCM-SHA256", true), ("AES256-GCM-SHA384", true), ("AES128-SHA", true), ("AES256-SHA256", true),
            // CBC, with each of its MACs: padding and MAC are judged in the order that has leaked so often.
            ("ECDHE-ECDSA-AES128-SHA", false), ("ECDHE-ECDSA-AES128-SHA256", false),
            ("ECDHE-ECDSA-AES256-SHA384", false), ("ECDHE-RSA-AES128-SHA", true), ("ECDHE-RSA-AES128-SHA256", true),
            ("ECDHE-RSA-AES256-SHA384", true),
        ])
    func `refuses a client that offers no other suite by TLS 1.2`(suite: String, rsa: Bool) throws {
        var meeting = try Meeting(
            server(CertificateFiles(), rsa: rsa), version: TLS1_2_VERSION, suites: suite)
        defer { meeting.server.close() }
        #expect(meeting.outcome.server == Stream.failed)
        #expect(meeting.outcome.client == Stream.failed)
    }

    @Test(
        arguments: [
            (["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1"), ([], nil), (["http/1.1", "h2"], "http/1.1"),
        ] as [([String], String?)])
    func `agrees on HTTP/1.1 where it is offered`(protocols: [String], agreed: String?) throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(identities: [files.identity("a.example")], minimumVersion: .tls12)
        var meeting = try Meeting(tls, protocols: protocols)
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        #expect(meeting.client.agreedProtocol == agreed)
    }

    @Test(arguments: [["h2"], ["http/1.0"], ["http/1.1x"], ["http/1."], ["HTTP/1.1"], ["h2", "spdy/3"]])
    func `refuses a client that offers only other protocols`(protocols: [String]) throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(
            identities: [files.identity("a.example"), files.identity("b.example")], minimumVersion: .tls12)
        for name in ["a.example", "b.example"] {
            var meeting = try Meeting(tls, serverName: name, protocols: protocols)
            defer { meeting.server.close() }
            #expect(meeting.outcome.server == Stream.failed)
            #expect(meeting.outcome.client == Stream.failed)
        }
    }

    @Test(
        .holds("H2-01"),
        arguments: [
            (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"), (["h2"], "h2"), (["spdy/3", "h2"], "h2"),
            (["http/1.1"], "http/1.1"), (["h2c", "http/1.1"], "http/1.1"), ([], nil),
        ] as [([String], String?)])
    func `agrees on HTTP/2 before HTTP/1.1 where it speaks both`(protocols: [String], agreed: String?) throws {
        var meeting = try Meeting(server(CertificateFiles(), rsa: false, speaksHTTP2: true), protocols: protocols)
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        #expect(meeting.client.agreedProtocol == agreed)
        #expect(meeting.server.speaksHTTP2 == (agreed == "h2"))
    }

    @Test(.refuses("H2-01"), arguments: [["spdy/3"], ["h2c"], ["H2"], ["h2x", "h"], ["http/1.0", "h2c"]])
    func `refuses a client that offers only other protocols where it speaks both`(protocols: [String]) throws {
        var meeting = try Meeting(server(CertificateFiles(), rsa: false, speaksHTTP2: true), protocols: protocols)
        defer { meeting.server.close() }
        #expect(meeting.outcome.server == Stream.failed)
        #expect(meeting.outcome.client == Stream.failed)
    }

    @Test(
        .holds("H2-02"),
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", false), ("ECDHE-ECDSA-CHACHA20-POLY1305", false),
            ("ECDHE-RSA-AES256-GCM-SHA384", true),
        ])
    func `agrees on HTTP/2 by TLS 1.2 with a suite that it allows`(suite: String, rsa: Bool) throws {
        var meeting = try Meeting(
            server(CertificateFiles(), rsa: rsa, speaksHTTP2: true), version: TLS1_2_VERSION, suites: suite,
            protocols: ["h2"])
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        #expect(meeting.client.suite == suite && meeting.client.agreedProtocol == "h2")
    }

    @Test(
        .refuses("H2-02"),
        arguments: [
            ("AES128-GCM-SHA256", true), ("ECDHE-RSA-AES128-SHA", true), ("ECDHE-ECDSA-AES128-SHA256", false),
            ("ECDHE-ECDSA-AES256-SHA384", false),
        ])
    func `refuses HTTP/2 by TLS 1.2 with a suite that it prohibits`(suite: String, rsa: Bool) throws {
        var meeting = try Meeting(
            server(CertificateFiles(), rsa: rsa, speaksHTTP2: true), version: TLS1_2_VERSION, suites: suite,
            protocols: ["h2", "http/1.1"])
        defer { meeting.server.close() }
        #expect(meeting.outcome.server == Stream.failed)
        #expect(meeting.outcome.client == Stream.failed)
    }

    @Test(.refuses("T-42")) func `takes one message of a handshake at a time, however many a client sends`() throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(identities: [files.identity("a.example")], minimumVersion: .tls13)
        var meeting = try Meeting(tls)
        defer { meeting.server.close() }
        #expect(meeting.isAgreed)
        for _ in 0..<20 {
            #expect(SSL_key_update(meeting.client.stream.tls, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
            #expect(SSL_do_handshake(meeting.client.stream.tls) == 1)
        }
        #expect(meeting.client.stream.send([7]) == 1)
        for _ in 0..<20 { #expect(meeting.server.receive(reads: 1).outcome == Stream.wantsRead) }
        #expect(meeting.server.receive(reads: 1).bytes == [7])
    }

    @Test func `fails on bytes that are no TLS`() throws {
        let files = try CertificateFiles()
        let tls = try ServerTLS(identities: [files.identity("a.example")], minimumVersion: .tls12)
        let pair = try SocketPair()
        var client = Stream(descriptor: pair.there)
        defer { client.close() }
        var server = try #require(tls.open(pair.here))
        defer { server.close() }
        #expect(server.isHandshaking)
        #expect(server.receive().outcome == Stream.wantsRead)
        #expect(client.send(Array("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)) > 0)
        #expect(server.receive().outcome == Stream.failed)
        #expect(server.send([1]) == Stream.failed)
    }

    @Test func `refuses files that are missing, empty or do not fit, and says which`() throws {
        let files = try CertificateFiles()
        let (good, other) = (try files.identity("a.example"), try files.identity("b.example"))
        let empty = try files.write("")
        func failure(_ certificate: String, _ key: String) -> TLSFailure? {
            do throws(TLSFailure) {
                let identity = ServerTLS.Identity(certificateFile: certificate, keyFile: key)
                _ = try ServerTLS(identities: [good, identity], minimumVersion: .tls12)
                return nil
            } catch { return error }
        }
        for file in ["/nowhere/certificate.pem", empty, good.keyFile] {
            guard case .certificate(file, let reason)? = failure(file, good.keyFile) else {
                Issue.record("\(file) passed as a certificate")
                continue
            }
            #expect(!reason.isEmpty)
        }
        for file in ["/nowhere/key.pem", empty, good.certificateFile, other.keyFile] {
            guard case .key(file, let reason)? = failure(good.certificateFile, file) else {
                Issue.record("\(file) passed as the key")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(failure(good.certificateFile, good.keyFile) == nil)
        #expect(throws: TLSFailure.noCertificate) { try ServerTLS(identities: [], minimumVersion: .tls12) }
        #expect(ERR_peek_error() == 0, "nothing is left behind that a later call would report as its own")
    }
}
