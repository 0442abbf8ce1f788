/// What the pages say in one language: sentences by key.
package struct PageLanguage: Sendable {
    /// Its tag (RFC 5646), such as `de` or `pt-BR`.
    package let tag: String
    private let sentences: [String: String]

    /// The keys that it has sentences for.
    package var keys: Set<String> { Set(sentences.keys) }

    init(tag: String, sentences: [String: String]) {
        self.tag = tag
        self.sentences = sentences
    }

    /// A language by what its file says; what that leaves out is said by `base`.
    package init(tag: String, _ text: PageText, over base: PageLanguage) {
        self.tag = tag
        sentences = base.sentences.merging(text.sentences.map { ($0.key, $0.text) }) { $1 }
    }

    package subscript(_ key: String) -> String? { sentences[key] }

    /// Whether its script runs from right to left.
    var isRightToLeft: Bool {
        let primary = tag.split(separator: "-").first.map { $0.lowercased() } ?? ""
        return ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(primary)
    }

    /// `key.1`, `key.2`, as far as there are any.
    func list(_ key: String) -> [String] {
        var found: [String] = []
        while found.count < 9, let next = sentences["\(key).\(found.count + 1)"] { found.append(next) }
        return found
    }
}

extension PageLanguage {
    /// Ships in the binary, and says what others leave out.
    package static let english = shipped("en", EnglishText.text)
    package static let german = shipped("de", GermanText.text)

    /// The file of one of them; nil for any other tag.
    package static func shippedFile(of tag: String) -> String? {
        switch tag {
        case "en": EnglishText.text
        case "de": GermanText.text
        default: nil
        }
    }

    private static func shipped(_ tag: String, _ text: String) -> PageLanguage {
        // A test holds that these have no fault.
        let parsed = PageText(Array(text.utf8))
        return PageLanguage(
            tag: tag, sentences: Dictionary(parsed.sentences.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 }))
    }

    /// A tag of letters, digits and hyphens as RFC 5646 makes them of; nil for what is none.
    package static func isTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...5).contains(parts.count), let first = parts.first, (2...3).contains(first.utf8.count),
            first.utf8.allSatisfy(AcceptLanguage.isLetter)
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.utf8.count) && part.utf8.allSatisfy(AcceptLanguage.isLetterOrDigit)
        }
    }
}
