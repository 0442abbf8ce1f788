import ProxyProtocol
import TestSupport
import TestTraits
import Testing

/// What is read of these bytes, once they are all there.
func header(_ text: String) throws(ProxyHeaderRefusal) -> ProxyHeader? { try header(Array(text.utf8)) }

func header(_ bytes: [UInt8]) throws(ProxyHeaderRefusal) -> ProxyHeader? { try ProxyHeader.read(bytes.span) }

/// The first thing that is found as bytes arrive, however they are cut.
func outcome(of pieces: [[UInt8]]) -> Result<ProxyHeader, ProxyHeaderRefusal>? {
    var arrived: [UInt8] = []
    for piece in pieces {
        arrived += piece
        do throws(ProxyHeaderRefusal) {
            if let header = try header(arrived) { return .success(header) }
        } catch {
            return .failure(error)
        }
    }
    return nil
}

@Suite struct `a line of the PROXY protocol` {
    @Test(
        .holds("ECO-76"),
        arguments: [
            ("TCP4 203.0.113.9 198.51.100.1 4711 443", .ipv4(0xCB00_7109)),
            ("TCP4 255.255.255.255 255.255.255.255 65535 65535", .ipv4(.max)),
            ("TCP4 0.0.0.0 0.0.0.0 0 0", .ipv4(0)),
            ("TCP6 2001:db8::9 ::1 4711 443", .ipv6(0x2001_0DB8_0000_0000_0000_0000_0000_0009)),
            ("TCP6 2001:DB8:0:0:1::9 2001:db8:1:2:3:4:5:6 1 2", .ipv6(0x2001_0DB8_0000_0000_0001_0000_0000_0009)),
            ("TCP6 :: ::1 1 2", .ipv6(0)),
            ("TCP6 1:: ::1 1 2", .ipv6(1 << 112)),
            ("TCP6 1:2:3:4:5:6:7:: ::1 1 2", .ipv6(0x0001_0002_0003_0004_0005_0006_0007_0000)),
            ("TCP6 ::2:3:4:5:6:7:8 ::1 1 2", .ipv6(0x0000_0002_0003_0004_0005_0006_0007_0008)),
            ("TCP6 ::ffff:203.0.113.9 ::ffff:198.51.100.1 1 2", .ipv6(0xFFFF_CB00_7109)),
            ("TCP6 1:2:3:4:5:6:203.0.113.9 ::1 1 2", .ipv6(0x0001_0002_0003_0004_0005_0006_CB00_7109)),
            (
                "TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535",
                .ipv6(.max)
            ),
            ("UNKNOWN", .unsaid),
            // What stands behind it is to be ignored.
            ("UNKNOWN 203.0.113.9 nobody", .unsaid),
            (
                "UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535",
                .unsaid
            ),
        ] as [(String, ProxyHeader.Client)])
    func `says whose connection it is`(words: String, client: ProxyHeader.Client) throws {
        let line = Array("PROXY \(words)\r\n".utf8)
        let found = try #require(try header(line))
        #expect(found.client == client)
        #expect(found.length == line.count)
        // The longest that a sender may write is the one in the last row.
        #expect(line.count <= 107)
        for pieces in everyCut(of: line) { #expect(outcome(of: pieces) == .success(found)) }
        for start in everyStart(of: line) {
            #expect(try header(start) == nil, "\(start.count) bytes are no header yet")
        }
        for more in ["GET / HTTP/1.1\r\n", "\u{16}\u{3}\u{1}", "PROXY UNKNOWN\r\n"] {
            #expect(try header(line + Array(more.utf8)) == found, "what is behind it is the client's")
        }
    }

    @Test(
        .refuses("ECO-76"),
        arguments: [
            ("GET / HTTP/1.1\r\n", .noHeader), ("PRI * HTTP/2.0\r\n", .noHeader), ("\u{16}\u{3}\u{1}", .noHeader),
            ("proxy TCP4", .noHeader), ("PROXY\t", .noHeader), ("PROXYTCP4", .noHeader), (" PROXY", .noHeader),
            ("PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", .familyUnknown),
            ("PROXY TCP 1.2.3.4 1.2.3.4 1 2\r\n", .familyUnknown),
            ("PROXY tcp4 1.2.3.4 1.2.3.4 1 2\r\n", .familyUnknown), ("PROXY \r\n", .familyUnknown),
            ("PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n", .familyUnknown), ("PROXY UNKNOWNS\r\n", .familyUnknown),
            ("PROXY TCP4\r\n", .wordsMissing), ("PROXY TCP4 \r\n", .wordsMissing),
            ("PROXY TCP4 1.2.3.4\r\n", .wordsMissing), ("PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", .wordsMissing),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n", .wordsMissing),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", .wordsMissing),
            ("PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n", .wordsMissing),
            ("PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 1.2.3.4.5 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 1.2.3.256 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 1.2.3.04 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 1.2.3. 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 0x1.2.3.4 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3 1 2\r\n", .addressMalformed), ("PROXY TCP4 ::1 ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 a.example 1.2.3.4 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n", .addressMalformed), ("PROXY TCP6 : ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 1:2:3 ::1 1 2\r\n", .addressMalformed), ("PROXY TCP6 1::2::3 ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 1:2:3:4:5:6:7:8:9 ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 1:2:3:4:5:6:7::8 ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 1:2:3:4:5:6:7:1.2.3.4 ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 12345:: ::1 1 2\r\n", .addressMalformed), ("PROXY TCP6 ::1% ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 [::1] ::1 1 2\r\n", .addressMalformed),
            ("PROXY TCP6 ::1: ::1 1 2\r\n", .addressMalformed), ("PROXY TCP6 ::1 1:::2 1 2\r\n", .addressMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", .portMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n", .portMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n", .portMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n", .portMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 1 http\r\n", .portMalformed),
            ("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", .lineBroken), ("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rG", .lineBroken),
            ("PROXY TCP4\t", .lineBroken), ("PROXY TCP4 1.2.3.4\u{0}", .lineBroken),
            ("PROXY UNKNOWN\u{7F}", .lineBroken),
            ("PROXY UNKNOWN \u{E9}", .lineBroken), ("PROXY UNKNOWN\r\r", .lineBroken),
        ] as [(String, ProxyHeaderRefusal)])
    func `is refused at the first byte that is none of it`(text: String, refusal: ProxyHeaderRefusal) {
        let bytes = Array(text.utf8)
        for pieces in everyCut(of: bytes) { #expect(outcome(of: pieces) == .failure(refusal)) }
        #expect(throws: refusal) { try header(bytes + Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
    }

    @Test(.holds("ECO-76"), .refuses("ECO-76")) func `has 107 bytes at most, whatever is in it`() throws {
        let longest = Array(("PROXY UNKNOWN " + String(repeating: "a", count: 91) + "\r\n").utf8)
        #expect(longest.count == 107)
        #expect(try header(longest)?.length == 107)
        let more = Array(("PROXY UNKNOWN " + String(repeating: "a", count: 92)).utf8)
        #expect(more.count == 106)
        for pieces in everyCut(of: more) { #expect(outcome(of: pieces) == .failure(.lineTooLong)) }
        // Nobody waits for the end of a line that cannot end in time.
        #expect(try header(Array(more.dropLast())) == nil)
    }
}
