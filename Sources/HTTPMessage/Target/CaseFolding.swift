import Bytes

/// The characters outside ASCII that become letters of ASCII when a reader changes their case.
///
/// To a reader that takes `/ADMIN` for `/admin`, `/adm%C4%B1n` may be it too: the capital form of U+0131 is `I`. So may
/// `/pa%C3%9F` be `/pass`, whose capital form it has. Those are all that Unicode's mappings have, full and simple, and the dotted
/// capital of Turkish, of which lower case makes two characters; and the three of them that ISO 8859-1 and 8859-9 have, since a
/// path that is not UTF-8 may be in those to its reader.
public enum CaseFolding {
    /// Puts letters of ASCII, in lower case, in the place of each such character; `path` is in the canonical form, or decoded.
    ///
    /// Ends early where no more than `limit` bytes are asked for: some more may be there, and what follows is left out.
    /// - Returns: whether there was one among them; without one the path is not copied.
    public static func replaceLetters(in path: inout [UInt8], upTo limit: Int = .max) -> Bool {
        guard let first = firstLetter(in: path.span, before: limit) else { return false }
        path = replaced(path.span, from: first, upTo: limit)
        return true
    }

    /// The place of the first such character; nil when there is none.
    private static func firstLetter(in path: Span<UInt8>, before limit: Int) -> Int? {
        var index = firstCandidate(in: path, from: 0)
        while index < min(path.count, limit) {
            if replacement(in: path, at: index, behind: index > 0 ? path[index &- 1] : 0) != nil { return index }
            index = firstCandidate(in: path, from: index &+ 1)
        }
        return nil
    }

    /// Whether a path, as it was received, has a byte that one of them can begin with; without one it has none of them.
    public static func mayHaveLetters(in path: Span<UInt8>) -> Bool { firstCandidate(in: path, from: 0) < path.count }

    /// The place of the first byte that one of them can begin with: `%`, and 0xC3 and above.
    private static func firstCandidate(in path: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < path.count {
            let word = path.word(at: index)
            // Of fewer than eight bytes the word is 0.
            let marks = word & ByteWord.tops | ByteWord.zeros(word ^ ByteWord.repeating(UInt8(ascii: "%")))
            if index &+ 8 <= path.count, marks == 0 {
                index &+= 8
                continue
            }
            let end = min(index &+ 8, path.count)
            while index < end {
                if path[index] == UInt8(ascii: "%") || path[index] >= 0xc3 { return index }
                index &+= 1
            }
        }
        return index
    }

    /// The path with letters of ASCII from the first such character on; an octet of ISO 8859 becomes two at most.
    private static func replaced(_ path: Span<UInt8>, from first: Int, upTo limit: Int) -> [UInt8] {
        // The last character may pass the limit, by two letters.
        [UInt8](capacity: limit < path.count ? limit &+ 2 : 2 &* path.count) { output in
            for index in 0..<first { output.append(path[index]) }
            var previous: UInt8 = first > 0 ? path[first &- 1] : 0
            var index = first
            while index < path.count, output.count < limit {
                let byte = path[index]
                guard byte == UInt8(ascii: "%") || byte >= 0xc3,
                    let (length, letters) = replacement(in: path, at: index, behind: previous)
                else {
                    output.append(byte)
                    previous = byte
                    index &+= 1
                    continue
                }
                var rest = letters
                while rest != 0 {
                    previous = UInt8(truncatingIfNeeded: rest)
                    output.append(previous)
                    rest &>>= 8
                }
                index &+= length
            }
        }
    }

    /// What stands in the place of a character that begins at a candidate.
    @inline(__always)
    private static func replacement(
        in path: Span<UInt8>, at index: Int, behind previous: UInt8
    ) -> (length: Int, letters: UInt32)? {
        let first = path[index]
        // Where nothing continues it, it is part of no UTF-8, in which it would begin a character.
        if first != UInt8(ascii: "%"), index &+ 1 == path.count || path[index &+ 1] & 0xc0 != 0x80 {
            return letters(of: first).map { (1, $0) }
        }
        if let (character, length) = character(in: path, at: index) {
            // The dot of Turkish `İ` in lower case, on its own: it is dropped with the case (U+0307).
            if character == 0x307, ASCII.lowercase(previous) == UInt8(ascii: "i") { return (length, 0) }
            if let letters = letters(of: character) { return (length, letters) }
        }
        return nil
    }

    /// What it becomes, the first letter in the lowest byte: no text is made for each of thousands.
    private static func letters(of character: UInt32) -> UInt32? {
        switch character {
        case 0xdf, 0x1e9e: 0x7373  // ss
        case 0x130, 0x131: 0x69  // i
        case 0x17f: 0x73  // s
        case 0x212a: 0x6b  // k
        case 0xfb00: 0x6666  // ff
        case 0xfb01: 0x6966  // fi
        case 0xfb02: 0x6c66  // fl
        case 0xfb03: 0x696666  // ffi
        case 0xfb04: 0x6c6666  // ffl
        case 0xfb05, 0xfb06: 0x7473  // st
        default: nil
        }
    }

    /// What stands for such a character in ISO 8859-1 and 8859-9, and with them in Windows-1252 and -1254: ß, İ and ı.
    private static func letters(of octet: UInt8) -> UInt32? {
        switch octet {
        case 0xdf: 0x7373  // ss
        case 0xdd, 0xfd: 0x69  // i
        default: nil
        }
    }

    /// The character of two or three bytes that stands there, all of them as they are or all in escapes of the canonical form.
    @inline(__always)
    private static func character(in path: Span<UInt8>, at index: Int) -> (character: UInt32, length: Int)? {
        path[index] == UInt8(ascii: "%") ? escapedCharacter(in: path, at: index) : plainCharacter(in: path, at: index)
    }

    /// The one that begins there as it is, where one does; the byte behind it may continue it.
    @inline(__always)
    private static func plainCharacter(in path: Span<UInt8>, at index: Int) -> (character: UInt32, length: Int)? {
        let first = path[index]
        guard first < 0xf0, index &+ 1 < path.count else { return nil }
        let second = UInt32(path[index &+ 1] & 0x3f)
        guard first >= 0xe0 else { return (UInt32(first & 0x1f) << 6 | second, 2) }
        guard index &+ 2 < path.count, path[index &+ 2] & 0xc0 == 0x80 else { return nil }
        return (UInt32(first & 0x0f) << 12 | second << 6 | UInt32(path[index &+ 2] & 0x3f), 3)
    }

    private static func escapedCharacter(in path: Span<UInt8>, at index: Int) -> (character: UInt32, length: Int)? {
        // Of most escapes the first digit tells that none of them begins there.
        guard index &+ 1 < path.count, path[index &+ 1] &- UInt8(ascii: "C") <= 2 else { return nil }
        guard let first = octet(in: path, at: index), first >= 0xc3, first < 0xf0 else { return nil }
        var character = UInt32(first & (first < 0xe0 ? 0x1f : 0x0f))
        let count = first < 0xe0 ? 2 : 3
        for place in 1..<count {
            guard let octet = octet(in: path, at: index &+ place &* 3), octet & 0xc0 == 0x80 else { return nil }
            character = character << 6 | UInt32(octet & 0x3f)
        }
        return (character, count &* 3)
    }

    private static func octet(in path: Span<UInt8>, at index: Int) -> UInt8? {
        guard let octet = PathReader.escape(in: path, at: index), isCapital(path[index &+ 1]),
            isCapital(path[index &+ 2])
        else { return nil }
        return octet
    }

    /// Whether a hexadecimal digit is spelt as the canonical form spells it.
    private static func isCapital(_ digit: UInt8) -> Bool { digit < UInt8(ascii: "a") }
}
