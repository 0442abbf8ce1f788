import Testing

@testable import Pages

struct AcceptLanguageTests {
    private static let tags = ["en", "de", "pt-BR", "zh-Hant-TW"].map(PageLanguageTag.init)

    private func choice(_ field: String) -> Int {
        let bytes = Array(field.utf8)
        return AcceptLanguage.choose(bytes.span, among: Self.tags)
    }

    @Test(arguments: [
        ("de-AT, en;q=0.5", 1), ("en;q=0.5, de-AT", 1), ("DE", 1), ("de", 1), ("fr, de;q=0.3, en;q=0.2", 1),
        ("en, de", 0), ("de, en", 1), ("de;q=0.7,en;q=0.8", 0), ("de;q=0.75,en;q=0.8", 0), ("de;q=1.0,en;q=0.999", 1),
        ("de;q=0, en", 0), ("de ; q=0.9 , en; q=0.1", 1), ("pt", 2), ("pt-br", 2), ("pt-PT, de;q=0.1", 1),
        ("zh-Hant", 3), ("zh-Hant-TW-x", 3), ("zh-Hans, de;q=0.1", 1), ("*", 0), ("fr, *;q=0.1", 0), ("\tde", 1),
    ])
    func `the language is what the reader wants most of those there are`(field: String, place: Int) {
        #expect(choice(field) == place)
    }

    @Test(arguments: [
        "", ",", ",,,,", "fr", "d", "deu", "de_AT", "de;q=2", "de;q=1.5", "de;q=", "de;q=x", "de;p=1", "de;q=0.5x",
        "den", "-", ";q=1", "de;q=0", "*;q=0", "\u{0}de",
    ])
    func `whoever wants none of them, or says nothing that can be read, gets the first`(field: String) {
        #expect(choice(field) == 0)
    }

    @Test(arguments: [
        ("en;q=0, *", 1), ("*, en;q=0", 1), ("*;q=0.5, en;q=0, de;q=0.0", 2), ("en;q=0", 1), ("fr, EN ;q=0.000", 1),
        ("en;q=0.1, *", 1), ("en;q=0.5, *;q=0.4", 0), ("en;q=0, de;q=0.2, *", 2), ("en;q=0,de;q=0,pt;q=0,zh;q=0", 0),
        ("en;q=0, *;q=0", 0), ("en-GB;q=0, *", 0), ("en;q=x, *", 0), ("pt;q=0, pt-BR", 2),
    ])
    func `what the reader does not want is nobody's choice, and * is for those that are not named`(
        field: String, place: Int
    ) {
        #expect(choice(field) == place)
    }

    @Test func `no more than so many bytes and ranges are looked at`() {
        #expect(choice(String(repeating: "fr,", count: 31) + "de") == 1)
        #expect(choice(String(repeating: "fr,", count: 32) + "de") == 0)
        #expect(choice(String(repeating: " ", count: 2000) + "de") == 0)
        #expect(choice("de," + String(repeating: "x", count: 100_000)) == 1)
        // What stands across the bound is not what it looks like there.
        #expect(choice(String(repeating: " ", count: AcceptLanguage.maximumBytes - 2) + "de-x") == 0)
    }

    @Test func `any bytes at all choose one of the languages`() {
        var state: UInt64 = 7
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bytes = (0..<Int(state >> 33) % 25).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Array("de-;q=.01, *\0\u{7F}".utf8)[Int(state >> 33) % 14]
            }
            #expect(Self.tags.indices.contains(AcceptLanguage.choose(bytes.span, among: Self.tags)))
        }
    }
}
