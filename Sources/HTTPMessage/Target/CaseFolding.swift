// SPDX-License-Identifier: Apache-2.0
import Bytes

/// The characters outside ASCII that become letters of ASCII when a reader changes their case.
///
/// To a reader that takes `/ADMIN` for `/admin`, `/adm%C4%B1n` may be it too: the capital form of U+0131 is `I`. So may
/// `/pa%C3%9F` be `/pass`, whose capital form it has. Those are all that Unicode's mappings have, full and simple, and the dotted
/// capital of Turkish.
public enum CaseFolding {
    private static let letters: [(character: UInt32, letters: String)] = [
        (0xdf, "ss"), (0x130, "i"), (0x131, "i"), (0x17f, "s"), (0x1e9e, "ss"), (0x212a, "k"), (0xfb00, "ff"),
        (0xfb01, "fi"), (0xfb02, "fl"), (0xfb03, "ffi"), (0xfb04, "ffl"), (0xfb05, "st"), (0xfb06, "st"),
    ]

    /// How each is written, in UTF-8 and in the escapes of the canonical form, and what takes its place; never longer.
    private static let replacements: [(written: [UInt8], letters: [UInt8])] = letters.flatMap { character, letters in
        let bytes = Unicode.Scalar(character).map { Array(String($0).utf8) } ?? []
        var escapes: [UInt8] = []
        for byte in bytes { PercentEncoding.appendEscape(byte, to: &escapes) }
        return [(bytes, Array(letters.utf8)), (escapes, Array(letters.utf8))]
    }

    /// Puts letters of ASCII, in lower case, in the place of each such character; `path` is in the canonical form, or decoded.
    ///
    /// - Returns: whether there was one.
    public static func replaceLetters(in path: inout [UInt8]) -> Bool {
        var kept = 0
        var index = 0
        var isChanged = false
        while index < path.count {
            if let (written, letters) = replacement(in: path, at: index) {
                for letter in letters {
                    path[kept] = letter
                    kept += 1
                }
                index += written.count
                isChanged = true
            } else {
                path[kept] = path[index]
                kept += 1
                index += 1
            }
        }
        path.removeSubrange(kept...)
        return isChanged
    }

    private static func replacement(in path: [UInt8], at index: Int) -> (written: [UInt8], letters: [UInt8])? {
        // All of them begin with one of these, and are more than one byte.
        guard path[index] == UInt8(ascii: "%") || path[index] >= 0xc3 else { return nil }
        return replacements.first { path[index...].starts(with: $0.written) }
    }
}
