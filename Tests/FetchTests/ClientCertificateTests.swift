import Fetch
import Foundation
import HTTPMessage
import TestSupport
import TestTraits
import Testing

/// A server that asks for certificates, and clients that have some, as files.
private final class Stage {
    let server: RecordingUpstream
    let folder: String
    let authorityFile: String

    init() throws {
        folder = try TemporaryFolder.make(for: "client-certificates")
        let authority = try TestCertificate.authority(named: "authority")
        server = try RecordingUpstream(
            identity: authority.issue(names: ["127.0.0.1"]), asksForCertificate: true, fallback: .answer(200, "{}"))
        authorityFile = folder + "/authority.pem"
        try authority.certificate.write(toFile: authorityFile, atomically: true, encoding: .utf8)
        for name in ["one", "other"] {
            let certificate = try authority.issue(names: [name])
            try write(certificate.certificate, to: name + ".pem")
            try write(certificate.key, to: name + "-key.pem")
            try write(certificate.key + certificate.certificate, to: name + "-both.pem")
        }
        try write(SigningKey.p256.pem(.encrypted), to: "encrypted-key.pem")
        try write("nothing", to: "nothing.pem")
    }

    deinit {
        server.stop()
        TemporaryFolder.remove(folder)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }

    func request(_ certificate: String?, key: String? = nil) -> FetchRequest {
        var request = FetchRequest(url: server.url + "/", maximumBytes: 256 * 1024, timeoutMilliseconds: 30_000)
        request.method = .post
        request.body = Array("client_id=rs".utf8)
        request.allowLoopbackAndPrivateHost = "127.0.0.1"
        request.certificateAuthorityFile = authorityFile
        request.clientCertificateFile = certificate.map { folder + "/" + $0 }
        request.clientKeyFile = key.map { folder + "/" + $0 }
        return request
    }

    /// Who sent each request, by the certificate of the connection that brought it.
    var senders: [String?] { server.requests.map { server.now.clientNames[$0.connection] } }
}

private func withStage(body: (CurlFetcher, Stage) async throws -> Void) async throws {
    let thread = try LoopThread()
    defer { thread.stop() }
    try await body(CurlFetcher(loop: thread.loop), Stage())
}

@Suite struct `a fetch with a client certificate` {
    @Test(.holds("CA-12")) func `presents it, from one file or two`() async throws {
        try await withStage { fetcher, stage in
            _ = try await fetcher.fetch(stage.request("one.pem", key: "one-key.pem"))
            _ = try await fetcher.fetch(stage.request("other-both.pem"))
            #expect(stage.senders == ["one", "other"])
        }
    }

    @Test(.refuses("CA-12")) func `never uses the connection of another identity, nor one's for nobody`() async throws {
        try await withStage { fetcher, stage in
            let one = stage.request("one.pem", key: "one-key.pem")
            let other = stage.request("other.pem", key: "other-key.pem")
            for var request in [one, other, stage.request(nil), one, other, stage.request(nil), other, one] {
                // However long ago it was used: a POST by itself takes none that was idle for more than a second.
                request.connection = .kept
                _ = try await fetcher.fetch(request)
            }
            #expect(stage.senders == ["one", "other", nil, "one", "other", nil, "other", "one"])
            #expect(stage.server.connectionCount == 3, "each identity's own connection is used again")
        }
    }

    @Test(.refuses("CA-12")) func `never resumes the session of another identity`() async throws {
        try await withStage { fetcher, stage in
            let one = stage.request("one.pem", key: "one-key.pem")
            let other = stage.request("other.pem", key: "other-key.pem")
            for request in [one, other, stage.request(nil), other, stage.request(nil), one] {
                _ = try await fetcher.fetch(request)
                stage.server.closeConnections()
            }
            #expect(stage.senders == ["one", "other", nil, "other", nil, "one"])
            #expect(stage.server.connectionCount == 6)
        }
    }

    @Test(.holds("CA-12")) func `at the same time as others is still sent by itself`() async throws {
        try await withStage { fetcher, stage in
            let requests = (0..<24).map { index in
                var request = stage.request(
                    index % 3 == 0 ? "one.pem" : "other.pem", key: index % 3 == 0 ? "one-key.pem" : "other-key.pem")
                request.body = Array((index % 3 == 0 ? "one" : "other").utf8)
                return request
            }
            await withTaskGroup(of: Void.self) { group in
                for request in requests { group.addTask { _ = try? await fetcher.fetch(request) } }
            }
            #expect(stage.server.requests.count == 24)
            #expect(stage.senders == stage.server.requests.map(\.bodyText))
        }
    }

    @Test(
        .refuses("CA-12"),
        arguments: [
            ("one.pem", "other-key.pem"), ("one.pem", nil), ("nowhere.pem", "one-key.pem"), ("one.pem", "nowhere.pem"),
            ("nothing.pem", "one-key.pem"), ("one.pem", "nothing.pem"), ("one.pem", "encrypted-key.pem"), ("", ""),
        ])
    func `is refused, and nothing sent, when the files are not a certificate and its plain key`(
        certificate: String, key: String?
    ) async throws {
        try await withStage { fetcher, stage in
            let outcome = try await refusal(of: stage.request(certificate, key: key), by: fetcher)
            guard case .tlsFailed(let text) = outcome else {
                Issue.record("another refusal: \(outcome)")
                return
            }
            #expect(!text.isEmpty)
            #expect(stage.server.requests.isEmpty)
        }
    }
}
