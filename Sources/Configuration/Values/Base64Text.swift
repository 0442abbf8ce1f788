// SPDX-License-Identifier: Apache-2.0
import Bytes

/// Base64 with padding (RFC 4648 §4), which the scheme Basic wants.
enum Base64Text {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text = Base64URL.encode(bytes.span).utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }
}
