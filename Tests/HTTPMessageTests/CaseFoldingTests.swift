import HTTPMessage
import TestTraits
import Testing

@Suite struct `letters outside ASCII that are ASCII's in another case` {
    @Test(
        .holds("HTTP-57"),
        arguments: [
            ("/\u{212A}iosk", "/kiosk"), ("/%E2%84%AAiosk", "/kiosk"), ("/%C5%BF", "/s"), ("/\u{17F}x\u{17F}", "/sxs"),
            ("/adm%C4%B1n", "/admin"), ("/ADM\u{130}N", "/ADMiN"), ("%C4%B0%C4%B1", "ii"), ("/a\u{212A}", "/ak"),
            ("/pa%C3%9F", "/pass"), ("/\u{DF}\u{1E9E}", "/ssss"),
            ("/\u{FB03}ce", "/ffice"), ("/%EF%AC%83ce", "/ffice"), ("/ADMI%CC%87N", "/ADMIN"),
            ("/admi\u{307}\u{307}n", "/admin"),
        ])
    func `are replaced, decoded or as escapes`(path: String, replaced: String) {
        var bytes = Array(path.utf8)
        #expect(CaseFolding.replaceLetters(in: &bytes))
        #expect(String(decoding: bytes, as: UTF8.self) == replaced)
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: [
            "", "/", "/admin/ADMIN", "/%C4", "/%C4%B", "/%C4%B2", "/\u{e9}", "/%E2%84%AB", "/%e2%84%aa", "/%25C5%BF",
        ])
    func `are not seen in what is none`(path: String) {
        var bytes = Array(path.utf8)
        #expect(!CaseFolding.replaceLetters(in: &bytes))
        #expect(String(decoding: bytes, as: UTF8.self) == path)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            ([0x70, 0x61, 0xdf], "pass"), ([0xdf, 0xdf], "ssss"), ([0x61, 0x64, 0x6d, 0xfd, 0x6e], "admin"),
            ([0xdd], "i"),
            ([0xfd, 0xcc, 0x87, 0x6e], "in"),
        ] as [([UInt8], String)])
    func `are replaced where the path is not UTF-8 but ISO 8859`(path: [UInt8], replaced: String) {
        var bytes = path
        #expect(CaseFolding.replaceLetters(in: &bytes))
        #expect(String(decoding: bytes, as: UTF8.self) == replaced)
    }

    @Test(.refuses("HTTP-57")) func `are not seen within another character`() {
        var bytes = Array("\u{7c0}\u{75f}\u{fd}\u{dd}".utf8)
        #expect(!CaseFolding.replaceLetters(in: &bytes))
    }

    @Test(.holds("HTTP-57")) func `are all that Unicode maps to ASCII`() {
        for value in 0x80...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let forms = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
            guard let letters = forms.first(where: { $0.utf8.allSatisfy { $0 < 0x80 } }) else { continue }
            var bytes = Array(String(scalar).utf8)
            #expect(CaseFolding.replaceLetters(in: &bytes), "U+\(String(value, radix: 16))")
            #expect(String(decoding: bytes, as: UTF8.self) == letters.lowercased())
        }
    }

    @Test(.holds("HTTP-57"), arguments: ["\u{17F}", "%C5%BF", "\u{212A}", "%E2%84%AA", "\u{FB04}", "\u{DF}"])
    func `are found wherever in a path they stand, and its other bytes stay`(character: String) {
        var single = Array(character.utf8)
        #expect(CaseFolding.replaceLetters(in: &single))
        for before in 0...40 {
            for after in [0, 1, 15, 16, 17] {
                let (start, end) = (String(repeating: "%2Fa", count: before / 4), String(repeating: "z", count: after))
                let filled = start + String(repeating: "b", count: before % 4)
                var bytes = Array((filled + character + end + character).utf8)
                #expect(CaseFolding.replaceLetters(in: &bytes))
                #expect(bytes == Array(filled.utf8) + single + Array(end.utf8) + single)
            }
        }
    }

    @Test(
        .holds("HTTP-57"),
        arguments: [
            "/a\u{17F}%C3%9Fx\u{FB04}/b\u{DF}c", "/%CC%87i%CC%87%CC%87b\u{212A}", "/abc", "/abcdefghi\u{131}",
        ])
    func `are replaced as far as is asked for, and as if all of them were`(path: String) {
        var whole = Array(path.utf8)
        _ = CaseFolding.replaceLetters(in: &whole)
        for limit in 0...(whole.count + 3) {
            var part = Array(path.utf8)
            let isChanged = CaseFolding.replaceLetters(in: &part, upTo: limit)
            #expect(part.prefix(limit) == whole.prefix(limit))
            #expect(isChanged ? part.count <= limit + 2 || part == whole : part == Array(path.utf8))
        }
    }

    @Test(.refuses("HTTP-57")) func `are not looked for beyond the end`() {
        for cut in [[0xe2, 0x84], [0xe2], [0xc4], [0xc5], Array("%E2%84%A".utf8)] as [[UInt8]] {
            var bytes = cut
            #expect(!CaseFolding.replaceLetters(in: &bytes))
            #expect(bytes == cut)
        }
    }
}
