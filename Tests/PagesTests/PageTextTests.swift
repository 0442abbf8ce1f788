import Foundation
import Testing

@testable import Pages

struct PageTextTests {
    private func read(_ text: String) -> PageText { PageText(Array(text.utf8)) }

    @Test func `a line is a key, a colon and a sentence, which may have colons`() {
        let text = read("\u{FEFF}# comment\n\n a.b_1 :  Time: now \r\nc: d")
        #expect(text.faults == [])
        #expect(
            text.sentences == [
                PageText.Sentence(key: "a.b_1", text: "Time: now", line: 3),
                PageText.Sentence(key: "c", text: "d", line: 4),
            ])
    }

    @Test(arguments: [
        ("no colon", 1, 1), ("a:", 1, 3), ("A: b", 1, 1), (": b", 1, 1), ("x: y\nx: z", 2, 1), ("  a b: c", 1, 3),
        ("a: b\u{1}", 1, 4), ("a: \u{202E}b", 1, 4), ("a: " + String(repeating: "x", count: 601), 1, 4),
    ])
    func `what is none of that is told with its place, and the rest is read`(text: String, line: Int, column: Int) {
        let found = read(text + "\nlast: one")
        #expect(found.faults.map { [$0.line, $0.column] } == [[line, column]])
        #expect(found.sentences.last?.key == "last")
    }

    @Test func `bytes that are no text are told, and the number of faults is bounded`() {
        #expect(PageText([0x61, 0x3A, 0xFF, 0x0A, 0x62, 0x3A, 0x63]).faults.count == 1)
        #expect(read(String(repeating: "x\n", count: 5000)).faults.count == 100)
        #expect(read(String(repeating: "k: v\n", count: 100_000)).sentences.count == 1)
    }

    @Test(arguments: [("en", EnglishText.text), ("de", GermanText.text)])
    func `what ships is what config/languages says`(tag: String, embedded: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../config/languages/\(tag).txt")
        // When this fails, run Tests/ConfigurationTests/embed_languages.py.
        #expect(try String(contentsOf: file, encoding: .utf8) == embedded)
        let text = read(embedded)
        #expect(text.faults == [])
        #expect(text.sentences.count > 150)
    }

    @Test func `both languages say the same things, and everything that a page needs`() {
        #expect(PageLanguage.english.keys == PageLanguage.german.keys)
        for topic in PageTopic.allCases {
            for part in ["title", "story"] {
                #expect(PageLanguage.english["\(topic.rawValue).\(part)"] != nil, "\(topic.rawValue).\(part)")
            }
        }
        let others: Set = ["page", "action", "signing_in", "sending", "sign_out", "signing_out", "signed_out"]
        let begin = Set(PageLanguage.english.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
        #expect(begin.subtracting(PageTopic.allCases.map(\.rawValue)).subtracting(others).sorted() == [])
    }

    @Test func `what a language leaves out is said in English`() {
        let french = PageLanguage(tag: "fr", read("not_found.title: Rien ici"), over: .english)
        #expect(french["not_found.title"] == "Rien ici")
        #expect(french["not_found.story"] == PageLanguage.english["not_found.story"])
    }

    @Test(arguments: ["de", "pt-BR", "zh-Hant-TW", "deu"])
    func `a tag is words of letters and digits`(_ tag: String) { #expect(PageLanguage.isTag(tag)) }

    @Test(arguments: ["", "d", "de-", "-de", "de_AT", "de.txt", "..", "german", "d1", "de-ABCDEFGHI", "de-\u{E4}"])
    func `anything else is none`(_ tag: String) { #expect(!PageLanguage.isTag(tag)) }
}
