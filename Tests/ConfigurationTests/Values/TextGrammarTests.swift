import Gateway
import Testing

@testable import Configuration

@Suite struct `texts with a grammar` {
    @Test(
        arguments: [
            ("0ms", 0), ("1ms", 1), ("30s", 30_000), ("5m", 300_000), ("24h", 86_400_000),
            ("", nil), ("s", nil), ("30", nil), ("-1s", nil), ("+1s", nil), ("01s", nil), ("1.5s", nil), ("1 s", nil),
            ("1S", nil), ("1d", nil), ("1sm", nil), ("٣s", nil), ("9223372036854775807h", nil),
            ("99999999999999999999s", nil),
        ] as [(String, Int?)])
    func `durations are whole numbers with a unit`(text: String, milliseconds: Int?) {
        #expect(DurationText.milliseconds(text) == milliseconds)
    }

    @Test(
        arguments: [
            ("0B", 0), ("1KiB", 1024), ("128MiB", 128 << 20), ("2GiB", 2 << 30),
            ("1KB", nil), ("1k", nil), ("1Ki", nil), ("0x1B", nil), ("8589934592GiB", nil), ("", nil),
        ] as [(String, Int?)])
    func `sizes are whole numbers with a binary unit`(text: String, bytes: Int?) {
        #expect(ByteCountText.bytes(text) == bytes)
    }

    @Test(arguments: [(1, "1ms"), (999, "999ms"), (1000, "1s"), (90_000, "90s"), (3_600_000, "1h")])
    func `durations are written the shortest way and read back`(milliseconds: Int, text: String) {
        #expect(DurationText.text(milliseconds) == text)
        #expect(DurationText.milliseconds(text) == milliseconds)
    }

    @Test(
        arguments: [
            ("sub", ["sub"]), ("realm_access.roles", ["realm_access", "roles"]), (#"a\.b.c"#, ["a.b", "c"]),
            (#"a\\.b"#, [#"a\"#, "b"]), ("https://example.com/a.b", ["https://example.com/a.b"]),
            ("a.b.c.d.e.f.g.h", ["a", "b", "c", "d", "e", "f", "g", "h"]),
            ("", nil), (".", nil), ("a.", nil), (".a", nil), ("a..b", nil), (#"a\"#, nil), (#"a\n"#, nil),
            ("a\nb", nil),
            ("a.b.c.d.e.f.g.h.i", nil),
        ] as [(String, [String]?)])
    func `claims are paths of names`(text: String, names: [String]?) {
        #expect(ClaimPathText.parse(text) == names)
    }

    @Test(
        arguments: [
            ("127.0.0.1:0", "127.0.0.1"), ("[::]:8443", "::"), ("[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1"),
            ("127.0.0.1", nil), ("127.0.0.1:", nil), ("127.0.0.1:01", nil), ("127.0.0.1:65536", nil), ("127.1:80", nil),
            ("[127.0.0.1]:80", nil), ("::1:80", nil), ("[::1]80", nil), ("[::1%lo]:80", nil), (":80", nil),
            ("127.0.0.1:8O", nil), ("0x7f.0.0.1:80", nil), ("127.0.0.1:+80", nil), ("", nil),
        ] as [(String, String?)])
    func `addresses are literals with a port`(text: String, host: String?) {
        #expect(SocketAddressText.parse(text)?.host == host)
    }

    @Test(arguments: [
        "10.0.0.0/8", "fd00::/8", "192.168.7.9/32", "fe80::1/128", "172.16.0.0/12",
    ])
    func `networks are addresses with a prefix`(text: String) {
        #expect(NetworkText.shape.fault(text) == nil)
    }

    @Test(arguments: [
        "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.1/8", "0.0.0.0/0", "::/0", "fd00::1/8",
        "10.0.0.0/8/8", "x/8", "10.0.0.0/-1",
    ])
    func `other texts are no networks`(text: String) {
        #expect(NetworkText.shape.fault(text) != nil)
    }

    @Test(arguments: [
        "Host", "content-length", "Transfer_Encoding", "CONNECTION", "TE", "Authorization", "DPoP", "Cookie",
        "X-Forwarded-For", "Forwarded", "Via", "X-Request-Id", "Proxy-Authorization", "Sec-WebSocket-Key",
        "If-None-Match", "Accept-Encoding", "X.Real.IP", "X-HTTP-Method-Override",
    ])
    func `fields with a meaning of their own are not injected`(name: String) {
        #expect(FieldNameText.shape.fault(name) != nil)
    }

    @Test func `loopback is what never leaves the machine`() {
        for host in ["localhost", "127.0.0.1", "127.255.0.9", "::1"] { #expect(IPAddress.isLoopback(host)) }
        for host in ["localhost.example", "128.0.0.1", "::", "::2", "0.0.0.0", "127.1", "10.0.0.1"] {
            #expect(!IPAddress.isLoopback(host))
        }
    }
}
