// SPDX-License-Identifier: Apache-2.0

/// Text inside HTML: nothing of it can end the element or the attribute it stands in.
enum PageHTML {
    /// For content and for attributes in double quotes.
    static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: escaped += "&#\(max(scalar.value, 1));"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A path on this origin, for a link; nil for anything that could lead elsewhere.
    ///
    /// `//host` and `/\host` are addresses of another host for a browser; `javascript:` begins with no slash.
    static func path(_ text: String?) -> String? {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 8192 else { return nil }
        let second = text.utf8.dropFirst().first
        guard second != UInt8(ascii: "/"), second != UInt8(ascii: "\\") else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        return escape(text)
    }

    /// A form as received, in the letters that every browser reads again: what is none of a form's is escaped.
    static func form(_ bytes: [UInt8]) -> String {
        var text = ""
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte > 0x20 && byte < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }
        return escape(text)
    }
}
