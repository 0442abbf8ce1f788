import Fetch
import Foundation
import HTTPMessage
import TestTraits
import Testing

@Suite(.serialized) struct `a fetch over TLS` {
    private func request(_ server: TLSServer, host: String = "localhost") -> FetchRequest {
        var request = FetchRequest(
            url: "https://\(host):\(server.port)/", maximumBytes: 256 * 1024, timeoutMilliseconds: 30_000)
        request.allowLoopbackAndPrivateHost = host
        request.certificateAuthorityFile = server.certificateFile
        return request
    }

    private func with(_ options: String..., body: (CurlFetcher, TLSServer) async throws -> Void) async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let server = try TLSServer(options)
        defer { server.stop() }
        try await body(CurlFetcher(loop: thread.loop), server)
    }

    private func expectUntrusted(_ request: FetchRequest, by fetcher: CurlFetcher) async throws {
        let outcome = try await refusal(of: request, by: fetcher)
        guard case .tlsFailed(let text) = outcome else {
            Issue.record("another refusal: \(outcome)")
            return
        }
        #expect(!text.isEmpty)
    }

    @Test(.holds("MD-06", "CA-13")) func `is answered when the configured authority vouches for the name`() async throws
    {
        try await with { fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.status == 200)
            #expect(!response.body.isEmpty)
        }
    }

    @Test(.refuses("MD-06", "CA-13")) func `is refused when no known authority vouches for the certificate`()
        async throws
    {
        try await with { fetcher, server in
            var wanted = request(server)
            wanted.certificateAuthorityFile = nil
            try await expectUntrusted(wanted, by: fetcher)
        }
    }

    @Test(.refuses("CA-13")) func `is refused when another authority is configured`() async throws {
        let other = try TLSServer()
        defer { other.stop() }
        try await with { fetcher, server in
            var wanted = request(server)
            wanted.certificateAuthorityFile = other.certificateFile
            try await expectUntrusted(wanted, by: fetcher)
        }
    }

    @Test(.refuses("MD-06", "CA-13")) func `is refused when the certificate is for another name`() async throws {
        try await with { fetcher, server in
            try await expectUntrusted(request(server, host: "127.0.0.1"), by: fetcher)
        }
    }

    @Test func `a trusted connection is not used for a request that does not trust it`() async throws {
        try await with { fetcher, server in
            _ = try await fetcher.fetch(request(server))
            var wanted = request(server)
            wanted.certificateAuthorityFile = nil
            try await expectUntrusted(wanted, by: fetcher)
        }
    }

    @Test(.refuses("CA-13")) func `is refused when the server speaks no TLS newer than 1.1`() async throws {
        try await with("-tls1_1", "-cipher", "ALL:@SECLEVEL=0") { fetcher, server in
            try await expectUntrusted(request(server), by: fetcher)
        }
    }

    @Test(.refuses("CA-13"), arguments: ["/nowhere/authorities.pem", ""])
    func `is refused when the file of authorities cannot be read`(file: String) async throws {
        try await with { fetcher, server in
            var wanted = request(server)
            wanted.certificateAuthorityFile = file
            try await expectUntrusted(wanted, by: fetcher)
        }
    }

    @Test(.refuses("CA-13")) func `is refused when the server speaks no TLS at all`() async throws {
        try await withFetcher(.greet("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) { fetcher, server in
            var wanted = FetchRequest(
                url: "https://127.0.0.1:\(server.port)/", maximumBytes: 1000, timeoutMilliseconds: 30_000)
            wanted.allowLoopbackAndPrivateHost = "127.0.0.1"
            try await expectUntrusted(wanted, by: fetcher)
        }
    }
}
