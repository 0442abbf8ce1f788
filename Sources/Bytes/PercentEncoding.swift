// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding for header fields (HTTP-46).
public enum PercentEncoding {
    /// Appends `bytes` with everything outside printable ASCII, and `%` itself, as `%XX`.
    public static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: "%") {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(digit(byte >> 4))
                output.append(digit(byte & 15))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 48 : value + 55
    }
}
