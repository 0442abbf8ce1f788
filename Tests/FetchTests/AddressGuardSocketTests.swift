import Fetch
import HTTPMessage
import TestTraits
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

@Suite struct `the address of the connection itself` {
    /// Every spelling here leads to 127.0.0.1, where a server waits.
    @Test(
        .refuses("MD-08"),
        arguments: [
            "127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "0.0.0.0", "0",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]", "LOCALHOST",
        ])
    func `is refused on loopback however it is spelt`(host: String) async throws {
        try await withFetcher(.send(ok)) { fetcher, server in
            var wanted = request(server, host: host)
            wanted.allowLoopbackAndPrivateHost = "id.example"
            guard case .refusedAddress = try await refusal(of: wanted, by: fetcher) else {
                Issue.record("another refusal, or none")
                return
            }
            #expect(server.connections == 0)
        }
    }

    @Test(
        .refuses("MD-08"),
        arguments: [
            "169.254.169.254", "10.0.0.1", "192.168.0.1", "[fd00::1]", "[fe80::1]", "100.64.0.1", "224.0.0.1",
        ])
    func `is refused inside without a packet`(host: String) async throws {
        try await withFetcher { fetcher, server in
            var wanted = request(server, host: host)
            wanted.allowLoopbackAndPrivateHost = nil
            let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            let outcome = try await refusal(of: wanted, by: fetcher)
            #expect(outcome == .refusedAddress(bare))
        }
    }

    @Test(.holds("MD-08")) func `is fine in a block the operator allowed`() async throws {
        try await withFetcher(.send(ok)) { fetcher, server in
            var wanted = request(server)
            wanted.allowLoopbackAndPrivateHost = nil
            wanted.allowPrivate = ["127.0.0.0/8"]
            let outcome = try await fetcher.fetch(wanted).status
            #expect(outcome == 200)
        }
    }

    @Test(.refuses("MD-08")) func `is judged again when a connection is used again`() async throws {
        try await withFetcher(.send(ok)) { fetcher, server in
            let trusted = request(server)
            let first = try await fetcher.fetch(trusted).status
            #expect(first == 200)
            var guarded = trusted
            guarded.allowLoopbackAndPrivateHost = nil
            let outcome = try await refusal(of: guarded, by: fetcher)
            #expect(outcome == .refusedAddress("127.0.0.1"))
            #expect(server.requests.count == 1)
        }
    }
}
