import COpenSSL
import Glibc
import TestSupport
import TestTraits
import Testing
import Transport

private typealias Stream = Transport.ByteStream

@Suite struct `a client's TLS` {
    /// The outcomes of a client that wants `name` from a server with a certificate for `names`.
    private func outcome(
        of name: String, from names: [String], trusting authorityFile: String?, _ files: CertificateFiles
    ) throws -> (client: Int, server: Int) {
        let certificate = try files.authority.issue(names: names)
        let identity = ServerTLS.Identity(
            certificateFile: try files.write(certificate.certificate), keyFile: try files.write(certificate.key))
        let server = try ServerTLS(identities: [identity], minimumVersion: .tls12)
        let client = try ClientTLS(certificateAuthorityFile: authorityFile)
        let pair = try SocketPair()
        var here = try #require(client.open(pair.here, serverName: name))
        var there = try #require(server.open(pair.there))
        defer {
            here.close()
            there.close()
        }
        let outcome = shakeHands(here, there)
        if outcome.one == 0 {
            #expect(here.send([1, 2, 3]) == 3)
            #expect(there.receive().bytes == [1, 2, 3])
            #expect(peerCommonName(of: here) == names.first)
        }
        return (outcome.one, outcome.other)
    }

    @Test(
        .holds("HTTP-75"),
        arguments: [
            ("api.example", ["api.example"]), ("API.example", ["api.example"]),
            ("b.example", ["a.example", "b.example"]), ("one.api.example", ["*.api.example"]),
            ("127.0.0.1", ["127.0.0.1"]), ("192.0.2.7", ["api.example", "192.0.2.7"]),
        ])
    func `goes on with a server that proves the name or address`(name: String, names: [String]) throws {
        let files = try CertificateFiles()
        let outcome = try outcome(of: name, from: names, trusting: files.authorityFile(), files)
        #expect(outcome == (0, 0))
    }

    @Test(
        .refuses("HTTP-75"),
        arguments: [
            ("api.example", ["other.example"]), ("api.example", ["sub.api.example"]),
            ("sub.api.example", ["api.example"]),
            ("a.b.api.example", ["*.api.example"]), ("api.example", ["*.api.example"]),
            ("api.example", ["api.example.org"]),
            ("one.api.example", ["o*.api.example"]), ("127.0.0.1", ["localhost"]), ("127.0.0.1", ["127.0.0.2"]),
            ("localhost", ["127.0.0.1"]), ("::1", ["127.0.0.1"]),
        ])
    func `refuses a server that proves another name`(name: String, names: [String]) throws {
        let files = try CertificateFiles()
        let outcome = try outcome(of: name, from: names, trusting: files.authorityFile(), files)
        #expect(outcome.client == Stream.failed)
        #expect(outcome.server != 0, "the server is told")
    }

    @Test(.refuses("HTTP-75")) func `refuses a server whose authority is not trusted`() throws {
        let (files, others) = (try CertificateFiles(), try CertificateFiles())
        for file in [nil, try others.authorityFile()] {
            let outcome = try outcome(of: "api.example", from: ["api.example"], trusting: file, files)
            #expect(outcome.client == Stream.failed)
            #expect(outcome.server != 0)
        }
    }

    @Test(.holds("HTTP-73")) func `tells a server that speaks plain HTTP from one that goes away`() throws {
        for (answer, failure) in [
            ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", HandshakeFailure.notTLS), ("", .closed),
        ] {
            let pair = try SocketPair()
            let client = try ClientTLS(certificateAuthorityFile: nil)
            var stream = try #require(client.open(pair.here, serverName: "api.example"))
            defer {
                stream.close()
                close(pair.there)
            }
            #expect(stream.handshake() == Stream.wantsRead)
            let bytes = Array(answer.utf8)
            #expect(write(pair.there, bytes, bytes.count) == bytes.count)
            shutdown(pair.there, Int32(SHUT_WR))
            #expect(stream.handshake() == Stream.failed)
            #expect(HandshakeFailure.take() == failure)
        }
    }

    /// RFC 8446 section 6.2: a server that speaks none of the versions says so by the alert 70; 40 may mean anything.
    @Test(.holds("HTTP-73"), arguments: [(UInt8(70), HandshakeFailure.version), (40, .alert), (42, .alert)])
    func `tells a server that speaks none of its versions from one that does not accept something else`(
        alert: UInt8, failure: HandshakeFailure
    ) throws {
        let pair = try SocketPair()
        let client = try ClientTLS(certificateAuthorityFile: nil)
        var here = try #require(client.open(pair.here, serverName: "api.example"))
        var there = Stream(descriptor: pair.there)
        defer {
            here.close()
            there.close()
        }
        #expect(here.handshake() == Stream.wantsRead)
        #expect(there.send([21, 3, 2, 0, 2, 2, alert]) == 7)
        #expect(here.handshake() == Stream.failed)
        #expect(HandshakeFailure.take() == failure)
    }

    @Test func `does not speak to a server that knows nothing newer than TLS 1.1`() throws {
        let files = try CertificateFiles()
        let client = try ClientTLS(certificateAuthorityFile: files.authorityFile())
        let pair = try SocketPair()
        var here = try #require(client.open(pair.here, serverName: "api.example"))
        defer { here.close() }
        var there = Stream(descriptor: pair.there)
        defer { there.close() }
        #expect(here.handshake() == Stream.wantsRead)
        let hello = there.receive().bytes
        // The legacy record and hello versions; TLS 1.2 is the lowest the extension or the hello offers (RFC 8446 §4.1.2).
        #expect(hello.count > 11 && Array(hello[9...10]) == [3, 3])
        // A ServerHello that chooses TLS 1.1.
        let body: [UInt8] = [3, 2] + [UInt8](repeating: 1, count: 32) + [0, 0xC0, 0x13, 0]
        let message: [UInt8] = [2, 0, 0, UInt8(body.count)] + body
        #expect(there.send([22, 3, 2, 0, UInt8(message.count)] + message) > 0)
        #expect(here.handshake() == Stream.failed)
        #expect(HandshakeFailure.take() == .version)
    }

    @Test(arguments: ["/nowhere/authorities.pem", ""])
    func `is not made of a file of authorities that cannot be read`(file: String) throws {
        let failure = #expect(throws: TLSFailure.self) { try ClientTLS(certificateAuthorityFile: file) }
        guard case .authorities(file, let reason)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `tells an orderly end from a cut connection`() throws {
        let files = try CertificateFiles()
        let server = try ServerTLS(identities: [files.identity("api.example")], minimumVersion: .tls12)
        let client = try ClientTLS(certificateAuthorityFile: files.authorityFile())
        for isOrderly in [true, false] {
            let pair = try SocketPair()
            var here = try #require(client.open(pair.here, serverName: "api.example"))
            var there = try #require(server.open(pair.there))
            #expect(shakeHands(here, there) == (0, 0))
            if isOrderly { there.close() } else { shutdown(pair.there, Int32(SHUT_RDWR)) }
            #expect(here.receive().outcome == (isOrderly ? 0 : Stream.failed))
            here.close()
            there.close()
        }
    }

    @Test func `says that bytes are left inside`() throws {
        let files = try CertificateFiles()
        let server = try ServerTLS(identities: [files.identity("api.example")], minimumVersion: .tls12)
        let client = try ClientTLS(certificateAuthorityFile: files.authorityFile())
        let pair = try SocketPair()
        var here = try #require(client.open(pair.here, serverName: "api.example"))
        var there = try #require(server.open(pair.there))
        defer {
            here.close()
            there.close()
        }
        #expect(shakeHands(here, there) == (0, 0))
        #expect(there.send([UInt8](repeating: 9, count: 1000)) == 1000)
        #expect(here.receive(400).bytes.count == 400)
        #expect(here.hasBufferedBytes)
        #expect(here.receive(600).bytes.count == 600)
        #expect(!here.hasBufferedBytes)
        #expect(here.receive().outcome == Stream.wantsRead)
    }
}
