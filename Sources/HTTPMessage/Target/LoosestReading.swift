// SPDX-License-Identifier: Apache-2.0
import Bytes

/// A path as a server would read it that took every liberty at once: escapes decoded until none is left, overlong UTF-8
/// taken for what it stands for, `\` for `/`, path parameters cut off, runs of `/` merged.
///
/// For routes that let ambiguous characters through. Each server takes some of these liberties, and each separator found
/// only cuts segments further: where this reading leads to the same route, all milder ones do (T-05 … T-08).
public enum LoosestReading {
    /// Appends that reading of `path`; never forwarded, only matched.
    public static func append(_ path: Span<UInt8>, to output: inout [UInt8]) {
        var bytes = decoded(path)
        // As many as a path may need that was let through.
        for _ in 0..<NestedEscapes.maximumDecodings where bytes.contains(0x25) { bytes = decoded(bytes.span) }
        var isParameter = false
        for byte in withoutOverlongForms(bytes) {
            switch byte {
            case 0x2f, 0x5c:
                isParameter = false
                if output.last != 0x2f { output.append(0x2f) }
            case 0x3b: isParameter = true
            default: if !isParameter { output.append(byte) }
            }
        }
    }

    /// Whether the path has a character of ASCII in more bytes than it needs, which some decoders take for it.
    ///
    /// Decoded as often as `append` does: `%25c0%25ae` is `.` to whoever decodes twice and then reads UTF-8 loosely.
    static func hasOverlongForm(_ path: Span<UInt8>) -> Bool {
        var bytes = decoded(path)
        for _ in 0..<NestedEscapes.maximumDecodings {
            if withoutOverlongForms(bytes).count < bytes.count { return true }
            let next = decoded(bytes.span)
            guard next.count < bytes.count else { return false }
            bytes = next
        }
        return withoutOverlongForms(bytes).count < bytes.count
    }

    /// The path with each escape as the byte it stands for.
    private static func decoded(_ path: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        var index = 0
        while index < path.count {
            if let byte = PathReader.escape(in: path, at: index) {
                output.append(byte)
                index &+= 3
            } else {
                output.append(path[index])
                index &+= 1
            }
        }
        return output
    }

    /// `C0 AF`, `E0 80 AF` and `F0 80 80 AF` as `/`, and so on (RFC 3629 §10).
    private static func withoutOverlongForms(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let (byte, length) = overlongForm(in: bytes, at: index) {
                output.append(byte)
                index += length
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    private static func overlongForm(in bytes: [UInt8], at index: Int) -> (byte: UInt8, length: Int)? {
        let length: Int
        switch bytes[index] {
        case 0xc0, 0xc1: length = 2
        case 0xe0: length = 3
        case 0xf0: length = 4
        default: return nil
        }
        guard index + length <= bytes.count else { return nil }
        let rest = bytes[(index + 1)..<(index + length)]
        guard rest.allSatisfy({ $0 & 0xc0 == 0x80 }) else { return nil }
        var value = length == 2 ? UInt32(bytes[index] & 1) : 0
        for byte in rest { value = value << 6 | UInt32(byte & 0x3f) }
        return value < 0x80 ? (UInt8(value), length) : nil
    }
}
