import Access
import Gateway
import Pages

/// `pages`: what people see when something is refused, and while they sign in or out.
enum PageSection {
    private static let table = SettingTable(
        "the settings of pages", defaults: PageSettings(),
        [
            .text(
                "name", orNone: \.name, name, example: "Orders", "What the site is called, above each page."),
            .key(
                "logo", .text(PlainText.file), .optional, example: "/etc/portcullis/logo.svg",
                "An SVG or PNG file of at most 2 KiB, which becomes part of each page."),
            .value(
                "accent", \.accent, .text(accent), .optional, example: "\"#1d4ed8\"",
                "The colour of buttons and links; as much darker or lighter as it takes to be read."
            ) { $0.text.map { PageAccent($0) } },
            .value(
                "contact", \.contact, .text(contact), .optional, example: "help@shop.example.com",
                "Whom people may ask: an address of mail, or an https URL."
            ) { $0.text.map { PageContact($0) } },
            .text(
                "landing", orNone: \.landing, LoginText.landing, example: "/app/",
                "Where the app begins, for links back to it; / by default where a route takes it."),
            .key(
                "languages", .text(PlainText.file), .optional, example: "/etc/portcullis/languages",
                "A folder with a file of sentences for each language, such as fr.txt; English and German ship."),
        ])
    static let shape = table.shape

    /// The settings; the routes say whether there is anything at `/`.
    static func translate(
        _ object: CheckedObject?, _ routes: [RouteSettings], _ translation: Translation
    ) -> PageSettings {
        var settings = PageSettings()
        let forPeople = routes.filter { $0.access.login != nil || $0.access.token == nil }
        settings.landing = isServed("/", forPeople) ? "/" : nil
        guard let object else { return settings }
        table.read(object, into: &settings)
        settings.logo = object.text("logo").flatMap { logo($0, translation) }
        if let landing = object.text("landing") { judgeLanding(landing, routes, translation.problems) }
        if let folder = object.text("languages") { settings.languages = languages(folder, translation) }
        return settings
    }

    /// Whether some route takes a path; the query of one plays no part.
    private static func isServed(_ landing: String, _ routes: [RouteSettings]) -> Bool {
        let path = String(landing.prefix { $0 != "?" && $0 != "#" })
        return routes.contains { SegmentedPath($0.path).fits(path) }
    }

    private static func judgeLanding(_ landing: PlacedText, _ routes: [RouteSettings], _ problems: ProblemList) {
        guard !routes.isEmpty, !isServed(landing.text, routes) else { return }
        problems.error(
            at: landing.place, expected: "a path that a route takes", found: Quoted.text(landing.text),
            remedy: "links there would end in 404: name the path where the app begins, as browsers see it")
    }

    private static func logo(_ path: PlacedText, _ translation: Translation) -> PageLogo? {
        guard let file = translation.file(path, noun: "a logo", limit: PageLogo.maximumBytes) else { return nil }
        if let logo = PageLogo(file.bytes) { return logo }
        translation.problems.error(
            at: path.place, expected: "an SVG in UTF-8 or a PNG", found: "\(Quoted.text(path.text)), which is neither",
            remedy: "save the logo as SVG or PNG")
        return nil
    }
}

// MARK: languages

extension PageSection {
    /// More files in one folder are no languages of pages.
    private static let maximumLanguages = 64

    /// Those that ship, with what the files of a folder say.
    private static func languages(_ folder: PlacedText, _ translation: Translation) -> [PageLanguage] {
        var languages: [PageLanguage] = [.english, .german]
        let path = translation.resolved(folder)
        let names: [String]
        switch translation.sources.names(path) {
        case .success(let found): names = found.filter { $0.hasSuffix(".txt") && !$0.hasPrefix(".") }.sorted()
        case .failure(let refusal):
            translation.problems.error(
                at: folder.place, expected: "a folder with files of sentences",
                found: "\(Quoted.text(folder.text)): \(refusal.found)",
                remedy: "paths are absolute, or relative to this file's folder")
            return languages
        }
        if names.isEmpty || names.count > maximumLanguages {
            translation.problems.error(
                at: folder.place, expected: "1 to \(maximumLanguages) files such as fr.txt",
                found: names.isEmpty ? "none" : "\(names.count)",
                remedy: "copy the English one to translate it:  portcullis defaults --language en")
            return languages
        }
        for name in names {
            let tag = String(name.dropLast(4))
            guard PageLanguage.isTag(tag) else {
                translation.problems.error(
                    at: folder.place, expected: "files named by their language, such as fr.txt or pt-BR.txt",
                    found: Quoted.text(name), remedy: "rename the file (RFC 5646 says how languages are called)")
                continue
            }
            guard let text = text("\(path)/\(name)", name, at: folder, translation) else { continue }
            let place = languages.firstIndex { $0.tag.lowercased() == tag.lowercased() }
            if let place {
                languages[place] = PageLanguage(tag: tag, text, over: languages[place])
            } else {
                warnOfMissing(text, name, at: folder, translation.problems)
                languages.append(PageLanguage(tag: tag, text, over: .english))
            }
        }
        return languages
    }

    /// The sentences of a file; what is wrong with them is told by the place in that file.
    private static func text(
        _ path: String, _ name: String, at folder: PlacedText, _ translation: Translation
    ) -> PageText? {
        let problems = translation.problems
        let file: ConfigurationSources.File
        switch translation.sources.file(path, PageText.maximumBytes) {
        case .success(let found): file = found
        case .failure(let refusal):
            problems.error(
                at: folder.place, expected: "a readable file of at most 128KiB", found: "\(name): \(refusal.found)",
                remedy: "check the file, or take it out of the folder")
            return nil
        }
        let text = PageText(file.bytes)
        for fault in text.faults {
            problems.error(
                at: folder.place, expected: "\(fault.expected) in \(name):\(fault.line):\(fault.column)",
                found: fault.found, remedy: "a line is  key: sentence , or begins with #")
        }
        for sentence in text.sentences where PageLanguage.english[sentence.key] == nil {
            let near = Suggestion.nearest(to: sentence.key, among: PageLanguage.english.keys.sorted())
            problems.error(
                at: folder.place, expected: "a key of the pages in \(name):\(sentence.line):1",
                found: Quoted.text(sentence.key),
                remedy: near.map { "did you mean \($0)?" }
                    ?? "the keys are those of  portcullis defaults --language en")
        }
        return text
    }

    private static func warnOfMissing(
        _ text: PageText, _ name: String, at folder: PlacedText, _ problems: ProblemList
    ) {
        let missing = PageLanguage.english.keys.subtracting(text.sentences.map(\.key)).sorted()
        guard let first = missing.first else { return }
        problems.warning(
            at: folder.place, expected: "all \(PageLanguage.english.keys.count) keys in \(name)",
            found: missing.count == 1
                ? "none for \(first)"
                : "none for \(missing.count) of them: \(missing.prefix(8).joined(separator: ", "))"
                    + (missing.count > 8 ? " …" : ""),
            remedy: "these sentences are said in English")
    }
}

// MARK: texts

extension PageSection {
    private static let name = TextShape(expected: "a name of at most 64 characters", pattern: "^.{1,64}$") { text in
        let fits =
            (1...64).contains(text.unicodeScalars.count) && text.unicodeScalars.allSatisfy(PageText.isPrintable)
            && text.contains { !$0.isWhitespace }
        return fits ? nil : TextFault(remedy: "write the name as it is to be read, without control characters")
    }

    private static let accent = TextShape(
        expected: "a colour such as \"#1d4ed8\"", pattern: "^#[0-9A-Fa-f]{6}$"
    ) { text in
        PageAccent(text) == nil
            ? TextFault(remedy: "write # and six hexadecimal digits, in quotation marks: # begins a comment") : nil
    }

    private static let contact = TextShape(
        expected: "an address such as help@shop.example.com, or an https URL",
        pattern: "^([^@\\s]+@[^@\\s]+|https://[!-~]+)$"
    ) { text in
        PageContact(text) == nil ? TextFault(remedy: "write one address, without mailto:") : nil
    }
}
