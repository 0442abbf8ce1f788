import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `an address that a proxy wrote` {
    @Test(
        .holds("HTTP-52"),
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:4711", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"),
            ("255.255.255.255:65535", "255.255.255.255"), ("2001:db8::1", "2001:db8::1"),
            ("2001:DB8:0:0::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("[2001:db8::1]:443", "2001:db8::1"), ("::", "::"), ("::1", "::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ])
    func `is read without its port and brackets`(written: String, address: String) {
        #expect(written.withBytes { PeerAddress(text: $0)?.text } == address)
    }

    @Test(
        .refuses("HTTP-52"),
        arguments: [
            "", "unknown", "_hidden", "example.com", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1 ", " 192.0.2.1",
            "192.0.2.1:", "192.0.2.1:a", "192.0.2.1:123456", "192.0.2.1:+1", "192.0.2.1]", "[192.0.2.1]", "[::1",
            "::1]",
            "[::1]443", "[::1]:", "[]", "[]:1", "[", "]", ":", ":80", "fe80::1%eth0", "[fe80::1%25eth0]", "1:2:3",
            ":::",
            "2001:db8::1::", "192.0.2.1/32", "\"192.0.2.1\"", "192.0.2.1,192.0.2.2", "192.0.2.1\u{0}", "\u{0}",
            "::ffff:255.255.255.255:255.255.255.255.255.255", "1:2:3:4:5:6:7:8:9:a:b:c:d:e:f:1:2:3:4:5:6:7:8:9",
        ])
    func `is nothing else`(written: String) {
        #expect(written.withBytes { PeerAddress(text: $0)?.text } == nil)
    }
}
