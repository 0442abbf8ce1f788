// SPDX-License-Identifier: Apache-2.0
import Bytes

/// The characters outside ASCII that become letters of ASCII when a reader changes their case.
///
/// To a reader that takes `/ADMIN` for `/admin`, `/adm%C4%B1n` may be it too: the capital form of U+0131 is `I`. So may
/// `/pa%C3%9F` be `/pass`, whose capital form it has. Those are all that Unicode's mappings have, full and simple, and the dotted
/// capital of Turkish, of which lower case makes two characters; and the three of them that ISO 8859-1 and 8859-9 have, since a
/// path that is not UTF-8 may be in those to its reader.
public enum CaseFolding {
    private static let letters: [(character: UInt32, letters: String)] = [
        (0xdf, "ss"), (0x130, "i"), (0x131, "i"), (0x17f, "s"), (0x1e9e, "ss"), (0x212a, "k"), (0xfb00, "ff"),
        (0xfb01, "fi"), (0xfb02, "fl"), (0xfb03, "ffi"), (0xfb04, "ffl"), (0xfb05, "st"), (0xfb06, "st"),
    ]

    /// What stands for such a character in ISO 8859-1 and 8859-9, and with them in Windows-1252 and -1254: ß, İ and ı.
    private static let octets: [(octet: UInt8, letters: [UInt8])] = [
        (0xdf, Array("ss".utf8)), (0xdd, Array("i".utf8)), (0xfd, Array("i".utf8)),
    ]

    private static let dotsAbove = [[0xcc, 0x87], Array("%CC%87".utf8)]

    /// How each is written, in UTF-8 and in the escapes of the canonical form, and what takes its place.
    private static let replacements: [(written: [UInt8], letters: [UInt8])] = letters.flatMap { character, letters in
        let bytes = Unicode.Scalar(character).map { Array(String($0).utf8) } ?? []
        var escapes: [UInt8] = []
        for byte in bytes { PercentEncoding.appendEscape(byte, to: &escapes) }
        return [(bytes, Array(letters.utf8)), (escapes, Array(letters.utf8))]
    }

    /// Puts letters of ASCII, in lower case, in the place of each such character; `path` is in the canonical form, or decoded.
    ///
    /// - Returns: whether there was one; without one the path is not copied.
    public static func replaceLetters(in path: inout [UInt8]) -> Bool {
        var output: [UInt8] = []
        var isChanged = false
        var index = 0
        while index < path.count {
            let previous = isChanged ? output.last : index > 0 ? path[index - 1] : nil
            guard let (length, letters) = replacement(in: path, at: index, behind: previous) else {
                if isChanged { output.append(path[index]) }
                index += 1
                continue
            }
            if !isChanged { output = Array(path[..<index]) }
            isChanged = true
            output += letters
            index += length
        }
        if isChanged { path = output }
        return isChanged
    }

    private static func replacement(
        in path: [UInt8], at index: Int, behind previous: UInt8?
    ) -> (length: Int, letters: [UInt8])? {
        // All of them begin with one of these.
        guard path[index] == UInt8(ascii: "%") || path[index] >= 0xc3 else { return nil }
        let rest = path[index...]
        // The dot of Turkish `İ` in lower case, on its own: it is dropped with the case (U+0307).
        if let previous, ASCII.lowercase(previous) == UInt8(ascii: "i"),
            let dot = dotsAbove.first(where: { rest.starts(with: $0) })
        {
            return (dot.count, [])
        }
        if let found = replacements.first(where: { rest.starts(with: $0.written) }) {
            return (found.written.count, found.letters)
        }
        // Part of no UTF-8, in which these begin a character or are nothing.
        guard rest.count == 1 || path[index + 1] & 0xc0 != 0x80 else { return nil }
        return octets.first { $0.octet == path[index] }.map { (1, $0.letters) }
    }
}
