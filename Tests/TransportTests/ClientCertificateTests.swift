import COpenSSL
import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing
import Transport

private typealias Stream = Transport.ByteStream

/// A listener with client certificates, its files, and clients that come to it.
private struct TestServer {
    let files: CertificateFiles
    let tls: ServerTLS

    init(_ request: ClientCertificates.Request?, revoked: [TestCertificate]? = nil, pki: Bool = false) throws {
        try self.init(CertificateFiles(), request, revoked: revoked, pki: pki)
    }

    init(
        _ files: CertificateFiles, _ request: ClientCertificates.Request?, revoked: [TestCertificate]? = nil,
        pki: Bool = false
    ) throws {
        self.files = files
        let list = try revoked.map { try files.write(files.authority.revocationList($0)) }
        let trust: ClientCertificates.Trust =
            pki ? .authorities(file: try files.authorityFile(), revocationListFile: list) : .anyCertificate
        tls = try ServerTLS(
            identities: [files.identity("a.example"), files.identity("b.example")], minimumVersion: .tls12,
            clientCertificates: request.map { ClientCertificates(request: $0, trust: trust) })
    }

    func visit(
        _ identity: TestCertificate?, version: Int32 = TLS1_3_VERSION, serverName: String? = nil,
        resuming session: ClientSession? = nil
    ) throws -> Visit {
        let pair = try SocketPair()
        let client = try ForeignClient(
            pair.there, serverName: serverName, version: version,
            identity: identity.map { try files.identity($0) }, resuming: session)
        guard let server = tls.open(pair.here) else { throw WireFailure.tls("open") }
        return Visit(server: server, client: client, outcome: shakeHands(server, client.stream))
    }
}

/// Both ends of one connection.
private final class Visit {
    var server: Stream
    let client: ForeignClient
    let outcome: (one: Int, other: Int)

    init(server: Stream, client: ForeignClient, outcome: (one: Int, other: Int)) {
        (self.server, self.client, self.outcome) = (server, client, outcome)
    }

    deinit { server.close() }

    /// Whether the server's handshake came to its end.
    ///
    /// A client of TLS 1.3 is through before the server has judged it.
    var isThrough: Bool { outcome.one == 0 }

    /// The digest of the certificate that the server saw.
    var digest: [UInt8]? { digestSeen(by: server) }
}

private func digestSeen(by stream: Stream) -> [UInt8]? {
    var digest = [UInt8](repeating: 0xAA, count: 34)
    let isThere = digest.withUnsafeMutableBufferPointer { space in
        space.baseAddress.map { stream.writePeerCertificateDigest(into: $0) } ?? false
    }
    #expect(digest.suffix(2) == [0xAA, 0xAA], "no more than 32 bytes are written")
    if !isThere { #expect(digest == [UInt8](repeating: 0xAA, count: 34), "nothing is written without a certificate") }
    return isThere ? Array(digest.prefix(32)) : nil
}

private func digest(of certificate: TestCertificate) throws -> [UInt8] {
    let lines = certificate.certificate.split(separator: "\n").filter { !$0.hasPrefix("-----") }
    let der = Array(try #require(Data(base64Encoded: lines.joined())))
    var digest = [UInt8](repeating: 0, count: 32)
    COpenSSL_SHA256(der, der.count, &digest)
    return digest
}

private let versions = [TLS1_2_VERSION, TLS1_3_VERSION]

@Suite struct `client certificates` {
    @Test(.holds("MTLS-01"), arguments: versions)
    func `the digest of the certificate is that of its DER`(version: Int32) throws {
        let listening = try TestServer(.required)
        let certificate = try listening.files.authority.issue(names: ["client"])
        let visit = try listening.visit(certificate, version: version)
        #expect(visit.isThrough)
        #expect(try visit.digest == digest(of: certificate))
        let other = try listening.visit(listening.files.authority.issue(names: ["client"]), version: version)
        #expect(other.isThrough)
        #expect(try other.digest != digest(of: certificate), "another certificate of the same name is another one")
    }

    @Test(.holds("MTLS-02"), .refuses("MTLS-02"), arguments: versions)
    func `a client without a certificate has none, where it is let in at all`(version: Int32) throws {
        let optional = try TestServer(.optional).visit(nil, version: version)
        #expect(optional.isThrough)
        #expect(optional.digest == nil)
        #expect(optional.client.certificateRequests == 1)
        let required = try TestServer(.required).visit(nil, version: version)
        #expect(!required.isThrough)
        #expect(required.digest == nil)
    }

    @Test(.holds("MTLS-02"), .refuses("MTLS-02"), arguments: versions)
    func `a certificate is none until the possession of its key is proved`(version: Int32) throws {
        let listening = try TestServer(.required)
        let certificate = try listening.files.authority.issue(names: ["client"])
        let (left, right) = (try SocketPair(), try SocketPair())
        var (near, far) = (Stream(descriptor: left.here), Stream(descriptor: right.there))
        defer { near.close() }
        defer { far.close() }
        let client = try ForeignClient(
            left.there, version: version, identity: try listening.files.identity(certificate))
        var server = try #require(listening.tls.open(right.here))
        defer { server.close() }
        // Octet by octet: at some point the certificate is there, and the signature with its key is not.
        for _ in 0..<10 where server.isHandshaking {
            _ = client.stream.handshake()
            for octet in near.receive().bytes where server.isHandshaking {
                #expect(digestSeen(by: server) == nil)
                #expect(far.send([octet]) == 1)
                _ = server.handshake()
            }
            let answer = far.receive().bytes
            #expect(near.send(answer) == answer.count)
        }
        #expect(try digestSeen(by: server) == digest(of: certificate))
        #expect(digestSeen(by: Stream()) == nil)
        #expect(digestSeen(by: near) == nil, "a plain connection never has one")
    }

    @Test(.holds("MTLS-04"), arguments: versions)
    func `pop takes any certificate, whoever signed it and whenever it ended`(version: Int32) throws {
        let listening = try TestServer(.required)
        let stranger = try TestCertificate.authority(named: "Stranger")
        for certificate in [
            stranger, try stranger.issue(names: ["client"]),
            try listening.files.authority.issue(names: ["client"], secondsLeft: -60),
            try TestCertificate.selfSigned(named: "client", rsaBits: 2048),
        ] {
            let visit = try listening.visit(certificate, version: version)
            #expect(visit.isThrough)
            #expect(try visit.digest == digest(of: certificate))
        }
    }

    @Test(.refuses("MTLS-04"), arguments: versions)
    func `pop refuses a key that others can find`(version: Int32) throws {
        let listening = try TestServer(.optional)
        let weak = try TestCertificate.selfSigned(named: "client", rsaBits: 1024)
        #expect(try !listening.visit(weak, version: version).isThrough)
    }

    @Test(
        .holds("MTLS-04"), .refuses("MTLS-04"), arguments: [ClientCertificates.Request.optional, .required], versions)
    func `pki takes a certificate of its authorities, and no other`(
        request: ClientCertificates.Request, version: Int32
    ) throws {
        let listening = try TestServer(request, pki: true)
        let certificate = try listening.files.authority.issue(names: ["client"])
        let visit = try listening.visit(certificate, version: version)
        #expect(visit.isThrough)
        #expect(try visit.digest == digest(of: certificate))
        let stranger = try TestCertificate.authority(named: "Test authority")
        for certificate in [
            stranger, try stranger.issue(names: ["client"]),
            try listening.files.authority.issue(names: ["client"], secondsLeft: -60),
        ] {
            let refused = try listening.visit(certificate, version: version)
            #expect(!refused.isThrough)
            #expect(refused.digest == nil)
        }
    }

    @Test(.holds("MTLS-04"), .refuses("MTLS-04")) func `pki takes no certificate that its authority has revoked`()
        throws
    {
        let files = try CertificateFiles()
        let (kept, revoked) = (
            try files.authority.issue(names: ["kept"]), try files.authority.issue(names: ["revoked"])
        )
        let listening = try TestServer(files, .required, revoked: [revoked], pki: true)
        #expect(try listening.visit(kept).isThrough)
        #expect(try !listening.visit(revoked).isThrough)
        #expect(try TestServer(files, .required, pki: true).visit(revoked).isThrough, "without the list nobody knows")
        let other = try TestCertificate.authority(named: "Other authority")
        let foreign = ClientCertificates(
            request: .required,
            trust: .authorities(
                file: try files.authorityFile(), revocationListFile: try files.write(other.revocationList([]))))
        let tls = try ServerTLS(
            identities: [files.identity("a.example")], minimumVersion: .tls12, clientCertificates: foreign)
        let pair = try SocketPair()
        let client = try ForeignClient(pair.there, identity: try files.identity(kept))
        var server = try #require(tls.open(pair.here))
        defer { server.close() }
        #expect(shakeHands(server, client.stream).one == Stream.failed, "no list of the issuer, no certificate")
    }

    @Test(.holds("MTLS-05"), arguments: versions)
    func `a listener without client certificates asks nobody for one`(version: Int32) throws {
        let listening = try TestServer(nil)
        let visit = try listening.visit(listening.files.authority.issue(names: ["client"]), version: version)
        #expect(visit.isThrough)
        #expect(visit.client.certificateRequests == 0)
        #expect(visit.digest == nil)
    }

    @Test(
        .holds("MTLS-05"), .refuses("MTLS-05"),
        arguments: [nil, "a.example", "b.example", "unknown.example"] as [String?], versions)
    func `the certificate is asked for, and judged, whichever name the client says`(
        serverName: String?, version: Int32
    ) throws {
        let pop = try TestServer(.required)
        #expect(try !pop.visit(nil, version: version, serverName: serverName).isThrough)
        let certificate = try pop.files.authority.issue(names: ["client"])
        let visit = try pop.visit(certificate, version: version, serverName: serverName)
        #expect(visit.isThrough)
        #expect(try visit.digest == digest(of: certificate))
        let pki = try TestServer(.optional, pki: true)
        let known = try pki.files.authority.issue(names: ["client"])
        #expect(try pki.visit(known, version: version, serverName: serverName).isThrough)
        #expect(try !pki.visit(certificate, version: version, serverName: serverName).isThrough)
    }

    @Test(.refuses("HTTP-73", "MTLS-05"), arguments: [nil, ClientCertificates.Request.optional])
    func `an attempt at renegotiation ends the connection`(request: ClientCertificates.Request?) throws {
        let visit = try TestServer(request).visit(nil, version: TLS1_2_VERSION)
        #expect(visit.isThrough)
        #expect(visit.client.stream.send([1, 2, 3]) == 3)
        #expect(visit.server.receive().bytes == [1, 2, 3])
        #expect(visit.server.receive().outcome == Stream.wantsRead)
        #expect(SSL_renegotiate(visit.client.stream.tls) == 1)
        _ = visit.client.stream.handshake()
        #expect(visit.server.receive().outcome == Stream.failed)
        #expect(visit.client.stream.handshake() == Stream.failed)
    }

    @Test(.refuses("MTLS-05"), arguments: versions)
    func `no certificate is asked for once the handshake is over`(version: Int32) throws {
        let visit = try TestServer(.optional).visit(nil, version: version)
        for _ in 0..<3 {
            #expect(visit.client.stream.send([1]) == 1)
            #expect(visit.server.receive().bytes == [1])
            #expect(visit.server.send([2]) == 1)
            #expect(visit.client.stream.receive().bytes == [2])
        }
        #expect(visit.client.certificateRequests == 1)
        #expect(visit.digest == nil)
    }
}

@Suite struct `a resumed connection` {
    /// A connection with `identity`, and another that resumes it without.
    private func resume(
        _ listening: TestServer, _ identity: TestCertificate?, version: Int32, serverName: String? = nil,
        at other: TestServer? = nil
    ) throws -> Visit {
        let first = try listening.visit(identity, version: version, serverName: serverName)
        #expect(first.isThrough)
        // The tickets of TLS 1.3 come after the handshake.
        #expect(first.server.send([1]) == 1)
        #expect(first.client.stream.receive().bytes == [1])
        let session = try first.client.session()
        #expect(session.isResumable)
        return try (other ?? listening).visit(nil, version: version, serverName: serverName, resuming: session)
    }

    @Test(.holds("MTLS-06"), arguments: [ClientCertificates.Request.optional, .required], versions)
    func `still has the certificate it began with`(
        request: ClientCertificates.Request, version: Int32
    ) throws {
        for serverName in [nil, "a.example", "b.example"] {
            let listening = try TestServer(request)
            let certificate = try listening.files.authority.issue(names: ["client"])
            let resumed = try resume(listening, certificate, version: version, serverName: serverName)
            #expect(resumed.isThrough)
            #expect(resumed.client.isResumed)
            #expect(resumed.client.certificateRequests == 0)
            #expect(try resumed.digest == digest(of: certificate))
        }
    }

    @Test(.refuses("MTLS-06"), arguments: [ClientCertificates.Request.optional, .required], versions)
    func `is none where authorities decide, for they may revoke`(
        request: ClientCertificates.Request, version: Int32
    ) throws {
        let listening = try TestServer(request, pki: true)
        let certificate = try listening.files.authority.issue(names: ["client"])
        let first = try listening.visit(certificate, version: version)
        #expect(first.isThrough)
        #expect(first.server.send([1]) == 1)
        #expect(first.client.stream.receive().bytes == [1])
        let session = try first.client.session()
        #expect(!session.isResumable)
        let again = try listening.visit(certificate, version: version, resuming: session)
        #expect(again.isThrough)
        #expect(!again.client.isResumed)
        #expect(again.client.certificateRequests == 1)
        #expect(try again.digest == digest(of: certificate))
    }

    @Test(.refuses("MTLS-06"), arguments: versions)
    func `has none where it began without one`(version: Int32) throws {
        let resumed = try resume(TestServer(.optional), nil, version: version)
        #expect(resumed.isThrough)
        #expect(resumed.client.isResumed)
        #expect(resumed.digest == nil)
    }

    @Test(.refuses("MTLS-06"), arguments: versions)
    func `is not resumed at a listener that asks for more`(version: Int32) throws {
        let files = try CertificateFiles()
        let stranger = try TestCertificate.authority(named: "Stranger")
        let (open, pop) = (try TestServer(files, nil), try TestServer(files, .optional))
        let (required, pki) = (try TestServer(files, .required), try TestServer(files, .required, pki: true))
        for (from, identity) in [(open, nil), (pop, nil), (pop, stranger)] {
            for target in [required, pki] {
                let visit = try resume(from, identity, version: version, at: target)
                #expect(!visit.isThrough)
                #expect(!visit.client.isResumed)
                #expect(visit.digest == nil)
            }
        }
    }
}

@Suite struct `files of client certificates` {
    @Test func `are refused with their name when they cannot be read`() throws {
        let files = try CertificateFiles()
        let identity = try files.identity("a.example")
        let (authority, empty) = (try files.authorityFile(), try files.write(""))
        func failure(_ file: String, _ list: String?) -> TLSFailure? {
            do throws(TLSFailure) {
                _ = try ServerTLS(
                    identities: [identity], minimumVersion: .tls12,
                    clientCertificates: ClientCertificates(
                        request: .required, trust: .authorities(file: file, revocationListFile: list)))
                return nil
            } catch { return error }
        }
        for file in ["/nowhere/authorities.pem", empty, identity.keyFile] {
            guard case .authorities(file, let reason)? = failure(file, nil) else {
                Issue.record("\(file) passed as authorities")
                continue
            }
            #expect(!reason.isEmpty)
        }
        for list in ["/nowhere/list.pem", empty, identity.keyFile, authority] {
            guard case .revocationList(list, let reason)? = failure(authority, list) else {
                Issue.record("\(list) passed as a revocation list")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(failure(authority, try files.write(files.authority.revocationList([]))) == nil)
        #expect(ERR_peek_error() == 0, "nothing is left behind that a later call would report as its own")
    }
}
