// SPDX-License-Identifier: Apache-2.0

extension FormEncoding {
    /// The bytes of one name or value: `+` is a space, `%XX` a byte in either case of its digits.
    ///
    /// Nil for an escape that is none: readers disagree about what is meant then.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "+"):
                output.append(0x20)
                index += 1
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, let high = ASCII.hexValue(text[index + 1]),
                    let low = ASCII.hexValue(text[index + 2])
                else { return nil }
                output.append(high << 4 | low)
                index += 3
            case let byte:
                output.append(byte)
                index += 1
            }
        }
        return output
    }
}
