// SPDX-License-Identifier: Apache-2.0
import Bytes

/// The letters outside ASCII that become letters of ASCII when a reader changes their case.
///
/// To a reader that takes `/ADMIN` for `/admin`, `/adm%C4%B1n` may be it too: the capital form of U+0131 is `I`. Unicode has
/// four such letters: its case folding gives U+017F as `s` and U+212A as `k`, Turkish has U+0130 and U+0131 for `i`.
public enum CaseFolding {
    /// Each with its bytes in UTF-8, and the same as escapes of the canonical form.
    private static let letters: [(letter: UInt8, spellings: [[UInt8]])] = [
        (UInt8(ascii: "s"), [[0xc5, 0xbf], Array("%C5%BF".utf8)]),
        (UInt8(ascii: "k"), [[0xe2, 0x84, 0xaa], Array("%E2%84%AA".utf8)]),
        (UInt8(ascii: "i"), [[0xc4, 0xb0], Array("%C4%B0".utf8)]),
        (UInt8(ascii: "i"), [[0xc4, 0xb1], Array("%C4%B1".utf8)]),
    ]

    /// Puts the letter of ASCII in the place of each such letter; `path` is in the canonical form, or decoded.
    ///
    /// - Returns: whether there was one.
    public static func replaceLetters(in path: inout [UInt8]) -> Bool {
        var kept = 0
        var index = 0
        while index < path.count {
            if let (letter, count) = letter(in: path, at: index) {
                path[kept] = letter
                index += count
            } else {
                path[kept] = path[index]
                index += 1
            }
            kept += 1
        }
        defer { path.removeSubrange(kept...) }
        return kept < path.count
    }

    private static func letter(in path: [UInt8], at index: Int) -> (letter: UInt8, count: Int)? {
        guard path[index] == UInt8(ascii: "%") || path[index] >= 0xc4 else { return nil }
        for (letter, spellings) in letters {
            for spelling in spellings where path[index...].starts(with: spelling) { return (letter, spelling.count) }
        }
        return nil
    }
}
