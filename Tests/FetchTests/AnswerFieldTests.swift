import Fetch
import HTTPMessage
import TestTraits
import Testing

/// A refusal with these field lines, each with its line break.
private func refused(_ lines: String) -> ScriptedServer.Action {
    .send("HTTP/1.1 400 X\r\nContent-Length: 2\r\n" + lines + "\r\n{}")
}

@Suite struct `fields of an answer` {
    @Test(.holds("DPOP-41"), arguments: ["eyJ7S_zG.eyJH0-Z.HX4w-7v", "!#$~[]", String(repeating: "n", count: 512)])
    func `bring a nonce`(nonce: String) async throws {
        try await withFetcher(.send("HTTP/1.1 200 X\r\nContent-Length: 0\r\ndpop-nonce:  \(nonce) \r\n\r\n")) {
            fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.dpopNonce == nonce)
        }
        try await withFetcher(refused("DPoP-Nonce: \(nonce)\r\n")) { fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.dpopNonce == nonce)
            #expect(response.status == 400)
        }
    }

    @Test(
        .refuses("DPOP-41"),
        arguments: [
            "", "DPoP-Nonce:\r\n", "DPoP-Nonce: a b\r\n", "DPoP-Nonce: a\"b\r\n", "DPoP-Nonce: a\\b\r\n",
            "DPoP-Nonce: ü\r\n", "DPoP-Nonce: a\tb\r\n", "DPoP-Nonce: a\r\nDPoP-Nonce: b\r\n",
            "DPoP-Nonce: \(String(repeating: "n", count: 513))\r\n", "X-DPoP-Nonce: a\r\n",
        ])
    func `bring no nonce that is none, or one of several`(lines: String) async throws {
        try await withFetcher(refused(lines)) { fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.dpopNonce == nil)
        }
    }

    @Test(arguments: [
        ("Retry-After: 7\r\n", 7), ("retry-after: 120\r\n", 120), ("Retry-After: 999999999999\r\n", 86_400),
        ("Retry-After: Fri, 31 Dec 2999 23:59:59 GMT\r\n", 86_400),
    ])
    func `say when to come again, within a day`(lines: String, seconds: Int) async throws {
        try await withFetcher(refused(lines)) { fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.retryAfterSeconds == seconds)
        }
    }

    @Test(arguments: [
        "", "Retry-After:\r\n", "Retry-After: 0\r\n", "Retry-After: -5\r\n", "Retry-After: soon\r\n",
        "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n",
    ])
    func `say nothing of when to come again where that is no time to come`(lines: String) async throws {
        try await withFetcher(refused(lines)) { fetcher, server in
            let response = try await fetcher.fetch(request(server))
            #expect(response.retryAfterSeconds == nil)
        }
    }
}
