import Bytes

/// Text inside HTML: nothing of it can end the element or the attribute it stands in.
package enum PageHTML {
    /// For content and for attributes in double quotes.
    package static func escape(_ text: String) -> String {
        escape(Array(text.utf8))
    }

    /// The same of bytes; text of a stranger's, some KB of it, is read a byte at a time.
    private static func escape(_ utf8: [UInt8]) -> String {
        guard utf8.contains(where: { !isPlain($0) }) else { return String(decoding: utf8, as: UTF8.self) }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(utf8.count + utf8.count / 4)
        for byte in utf8 {
            guard !isPlain(byte) else {
                escaped.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped += "&#\(max(byte, 1));".utf8
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// All bytes but the control octets, `"`, `&`, `'`, `<` and `>`.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x80 || ASCII.contains(byte, low: 0xafff_ff3b_0000_0000, high: 0x7fff_ffff_ffff_ffff)
    }

    /// A path on this origin, for a link; nil for anything that could lead elsewhere.
    ///
    /// `//host` and `/\host` are addresses of another host for a browser; `javascript:` begins with no slash.
    package static func path(_ text: String?) -> String? {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 8192 else { return nil }
        let second = text.utf8.dropFirst().first
        guard second != UInt8(ascii: "/"), second != UInt8(ascii: "\\") else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        return escape(text)
    }

    /// A form as received, in the letters that browsers send forms in and read them by; all others are escaped.
    ///
    /// In one pass, and four times as long as the form at most: whoever posts it need not be logged in. Of parameters
    /// without a letter, which are none to anybody, nothing is left.
    package static func form(_ bytes: [UInt8]) -> String {
        let text = [UInt8](capacity: 4 * bytes.count) { output in
            var isBeginning = true
            for byte in bytes {
                if byte == UInt8(ascii: "&") {
                    if !isBeginning { appendAmpersand(&output) }
                    isBeginning = true
                    continue
                }
                isBeginning = false
                if isFormLetter(byte) {
                    output.append(byte)
                } else {
                    output.append(UInt8(ascii: "%"))
                    output.append(digit(byte >> 4))
                    output.append(digit(byte & 15))
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Letters, digits and `*-._` as they are, `+` for a space, `=` and `%` (WHATWG URL §5.2); none needs an escape in HTML.
    @inline(__always)
    private static func isFormLetter(_ byte: UInt8) -> Bool {
        ASCII.contains(byte, low: 0x23ff_6c20_0000_0000, high: 0x07ff_fffe_87ff_fffe)
    }

    private static func appendAmpersand(_ output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "&"))
        output.append(UInt8(ascii: "a"))
        output.append(UInt8(ascii: "m"))
        output.append(UInt8(ascii: "p"))
        output.append(UInt8(ascii: ";"))
    }

    @inline(__always)
    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
