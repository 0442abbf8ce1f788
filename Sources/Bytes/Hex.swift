// SPDX-License-Identifier: Apache-2.0

/// Lower-case hexadecimal digits, two to a byte.
public enum Hex {
    /// The digits of `bytes`.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            text.append(digit(bytes[index] >> 4))
            text.append(digit(bytes[index] & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 48 : value + 87
    }
}
