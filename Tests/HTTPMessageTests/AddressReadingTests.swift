import Glibc
import HTTPMessage
import TestSupport
import TestTraits
import Testing

/// Addresses held against the system's own reader, `inet_pton`.
@Suite struct `addresses in an authority` {
    private func isValid(_ text: String) -> Bool { isValid(Array(text.utf8)) }

    private func isValid(_ bytes: [UInt8]) -> Bool { Authority.isValid(bytes.span) }

    /// Whether the system reads an IPv6 address.
    private func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }

    /// Texts of up to nine groups, with gaps and IPv4 addresses in each place.
    private static let composed: [String] = {
        let ends = [
            "", "1", "abcd", "ABCDE", "0000", "1.2.3.4", "255.255.255.255", "1.2.3.256", "01.2.3.4", "1.2.3", "g",
        ]
        return (0...8).flatMap { count in
            (-1...count).flatMap { gap in
                ends.map { end in
                    var text = ""
                    for index in 0..<count {
                        text += index == gap ? "::\(index)" : index == 0 ? "\(index)" : ":\(index)"
                    }
                    return text + (gap == count ? "::" : text.isEmpty ? "" : ":") + end
                }
            }
        }
    }()

    @Test(.holds("HTTP-14"), .refuses("HTTP-14")) func `of IPv6 are those that the system reads, and no others`() {
        let texts = Self.composed
        var accepted = 0
        for text in texts {
            let expected = isAddress(text)
            #expect(isValid("[\(text)]") == expected, "\(text)")
            if expected { accepted += 1 }
        }
        #expect(texts.count > 500 && accepted > 50, "\(accepted) of \(texts.count)")
    }

    @Test(
        .holds("HTTP-14"), .refuses("HTTP-14"),
        arguments: [
            "::", "1::", "::1", "1:2:3:4:5:6:7:8", "1:2::7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "fe80::a:b",
        ])
    func `of IPv6 with one octet changed are read as the system reads them`(address: String) {
        #expect(isValid("[\(address)]"))
        for (_, changed) in everyChange(of: Array(address.utf8)) {
            // A NUL ends the text for the system, and what is not ASCII is no text for it.
            guard changed.allSatisfy({ $0 > 0 && $0 < 0x80 }) else {
                #expect(!isValid([0x5B] + changed + [0x5D]))
                continue
            }
            let text = String(decoding: changed, as: UTF8.self)
            #expect(isValid("[\(text)]") == isAddress(text), "\(text.debugDescription)")
        }
        for cut in everyStart(of: Array(address.utf8)) {
            let text = String(decoding: cut, as: UTF8.self)
            #expect(isValid("[\(text)]") == isAddress(text), "\(text)")
        }
    }

    @Test(.refuses("HTTP-14")) func `are refused with any octet that a host has not`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._".utf8)
        for octet in UInt8.min...UInt8.max where octet != UInt8(ascii: ":") {
            for place in 0...4 {
                var host = Array("host".utf8)
                host.insert(octet, at: place)
                let isDotFirst = octet == UInt8(ascii: ".") && place == 0
                #expect(
                    Authority.isValid(host.span) == (allowed.contains(octet) && !isDotFirst), "\(octet) at \(place)")
            }
        }
    }

    @Test(.holds("HTTP-14"), .refuses("HTTP-14")) func `have a port that is a number of sixteen bits in five digits`() {
        for port in ["0", "00000", "1", "80", "65535"] {
            #expect(isValid("a:\(port)") && isValid("[::1]:\(port)"), "\(port)")
        }
        for port in ["", "000000", "65536", "99999", "-1", "+1", "8o", " 80", "80 ", "0x50", "80:", "80/"] {
            #expect(!isValid("a:\(port)") && !isValid("[::1]:\(port)"), "\(port)")
        }
    }
}
