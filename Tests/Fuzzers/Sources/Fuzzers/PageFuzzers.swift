@testable import Pages

/// The languages that a reader wants.
enum AcceptLanguageFuzzer {
    private static let names = ["en", "de", "pt-BR", "zh-Hant-TW"]
    private static let tags = names.map(PageLanguageTag.init)

    static func attempt(_ input: [UInt8]) -> Outcome {
        let chosen = AcceptLanguage.choose(input.span, among: tags)
        hold(tags.indices.contains(chosen), "one of the languages is chosen")
        hold(AcceptLanguage.choose(input.span, among: tags) == chosen, "the same field says the same")
        hold(AcceptLanguage.choose(input.span, among: []) == 0, "where there is none, none is looked for")
        guard chosen > 0 else { return .refused }
        let primary = names[chosen].split(separator: "-")[0]
        let text = String(decoding: input.filter { $0 < 0x80 }, as: UTF8.self).lowercased()
        // A weight of 0 refuses the first ones, and * takes any that is not named.
        hold(
            text.contains(primary) || text.contains("0") || text.contains("*"),
            "no language is chosen that the field does not name, unless others are refused or any will do")
        if input.count < 1000 {
            hold(
                AcceptLanguage.choose(([0x20, 0x09] + input).span, among: tags) == chosen,
                "white space in front makes no difference")
        }
        return .accepted
    }
}

/// A file of sentences.
enum PageTextFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let text = PageText(input)
        let again = PageText(input)
        hold(text.sentences == again.sentences && text.faults == again.faults, "the same bytes say the same")
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).count
        hold(Set(text.sentences.map(\.key)).count == text.sentences.count, "no key is said twice")
        hold(text.faults.count <= 100 && text.sentences.count + text.faults.count <= lines, "a line says one thing")
        for place in text.sentences.map(\.line) + text.faults.map(\.line) {
            hold((1...lines).contains(place), "every place is one of the file's")
        }
        for sentence in text.sentences {
            hold(!sentence.text.isEmpty && sentence.text.utf8.count <= 600, "sentences are short")
            hold(sentence.text.unicodeScalars.allSatisfy(PageText.isPrintable), "sentences can be shown")
        }
        let language = PageLanguage(tag: "xx", text, over: .english)
        var settings = PageSettings()
        settings.languages = [language]
        let page = PageBook(settings).pages(in: 0).error(
            ErrorPage(status: 404, topic: .notFound, requestID: "0123", ways: [.sameAgain]))
        let html = String(decoding: page.bytes, as: UTF8.self)
        // Lists are as long as the language says; English has one of one sentence here.
        let added = 2 * (html.matches(of: /<li>/).count - 1) + 4 * (html.matches(of: /<h2>/).count - 1)
        hold(
            html.utf8.count(where: { $0 == UInt8(ascii: "<") }) == Self.brackets + added, "no sentence becomes markup")
        return text.faults.isEmpty ? .accepted : .refused
    }

    /// Those of the same page in English.
    private static let brackets = {
        var settings = PageSettings()
        settings.languages = [.english]
        let page = PageBook(settings).pages(in: 0).error(
            ErrorPage(status: 404, topic: .notFound, requestID: "0123", ways: [.sameAgain]))
        return page.bytes.count(where: { $0 == UInt8(ascii: "<") })
    }()
}
