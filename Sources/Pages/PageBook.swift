import HTTPMessage

/// All that the gateway's own pages are made of: the site's looks, and its sentences in each language.
///
/// The pages are whole in themselves: no style, font or image from anywhere, a policy that lets in nothing but what the
/// page has, and nothing of the request in them but addresses on this origin.
package struct PageBook: Sendable {
    package let settings: PageSettings
    /// The tags of the languages, in their order, for choosing one.
    package let tags: [PageLanguageTag]
    private let style: PageStyle
    private let header: String

    /// Without a name, with the languages that ship.
    package static let standard = PageBook(PageSettings())

    package init(_ settings: PageSettings) {
        self.settings = settings
        tags = settings.languages.map { PageLanguageTag($0.tag) }
        style = PageStyle(accent: settings.accent)
        let name = PageHTML.escape(settings.name ?? "")
        let logo = settings.logo.map { "<img src=\"\($0.source)\" alt=\"\">" } ?? ""
        let label = settings.name == nil ? "" : "<span>\(name)</span>"
        header = logo.isEmpty && label.isEmpty ? "" : "<header>\(logo)\(label)</header>"
    }

    /// The pages in the language at a place; in the first one where there is none, as after a reload.
    package func pages(in language: Int) -> PageWriter {
        PageWriter(
            book: self,
            language: settings.languages.indices.contains(language)
                ? settings.languages[language] : settings.languages.first ?? .english)
    }

    fileprivate func document(
        _ language: PageLanguage, title: String, mark: PageMark, body: String, policy: String
    ) -> RenderedPage {
        let heading = PageHTML.escape(title)
        let site = settings.name.map { " · " + PageHTML.escape($0) } ?? ""
        let direction = language.isRightToLeft ? " dir=\"rtl\"" : ""
        let html = """
            <!doctype html>
            <html lang="\(PageHTML.escape(language.tag))"\(direction)><head><meta charset="utf-8">\
            <title>\(heading)\(site)</title><meta name="viewport" content="width=device-width, initial-scale=1">\
            <meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">\
            <style>\(style.sheet)</style></head>
            <body>\(header)<main>\(mark.element)<h1>\(heading)</h1>\(body)</main></body></html>

            """
        return RenderedPage(bytes: Array(html.utf8), contentSecurityPolicy: policy, language: language.tag)
    }

    /// Nothing but the style, the logo and, where there is a nonce, the script of the page itself.
    fileprivate func policy(nonce: String?, formAction: String?, frameAncestors: String) -> String {
        var policy = "default-src 'none'; style-src \(style.source)"
        if settings.logo != nil { policy += "; img-src data:" }
        if let nonce, !nonce.isEmpty { policy += "; script-src 'nonce-\(nonce)'" }
        if let formAction { policy += "; form-action \(formAction)" }
        return policy + "; base-uri 'none'; frame-ancestors \(PageBook.safe(frameAncestors))"
    }

    /// Origins and keywords as they are; anything that would begin another directive or field lets nobody in.
    private static func safe(_ sources: String) -> String {
        let isSafe = sources.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",")
        }
        return isSafe && !sources.isEmpty ? sources : "'none'"
    }
}

/// Writes pages in one language.
package struct PageWriter: Sendable {
    private let book: PageBook
    private let language: PageLanguage

    fileprivate init(book: PageBook, language: PageLanguage) {
        self.book = book
        self.language = language
    }

    /// A sentence as HTML; English where the language does not have it, and its key where nobody knows it.
    package func text(_ key: String) -> String {
        PageHTML.escape(language[key] ?? PageLanguage.english[key] ?? key)
    }

    /// A page with a heading and a body, which is HTML.
    package func page(
        title key: String, mark: PageMark, body: String, nonce: String? = nil, formAction: String? = nil
    ) -> RenderedPage {
        book.document(
            language, title: language[key] ?? PageLanguage.english[key] ?? key, mark: mark, body: body,
            policy: book.policy(nonce: nonce, formAction: formAction, frameAncestors: "'none'"))
    }

    /// A page for frames that nobody looks at.
    package func empty(title key: String, frameAncestors: String) -> RenderedPage {
        RenderedPage(
            bytes: Array(
                """
                <!doctype html><html lang="\(PageHTML.escape(language.tag))"><title>\(text(key))</title></html>
                """.utf8),
            contentSecurityPolicy: book.policy(nonce: nil, formAction: nil, frameAncestors: frameAncestors),
            language: language.tag)
    }

    /// A link to where the app begins; nothing where that is not known.
    package func start(_ key: String = "action.start", isSecond: Bool = true) -> String {
        PageHTML.path(book.settings.landing).map { link($0, key, isSecond: isSecond) } ?? ""
    }

    /// A link as a button; `address` is HTML already.
    package func link(_ address: String, _ key: String, isSecond: Bool = false) -> String {
        "<a class=\"button\(isSecond ? " second" : "")\" href=\"\(address)\">\(text(key))</a>"
    }
}

// MARK: errors

extension PageWriter {
    /// What a person is told of a refusal: in words of ours alone (CF-24).
    package func error(_ page: ErrorPage) -> RenderedPage {
        let topic = page.topic.rawValue
        var body = "<p>\(text("\(topic).story"))</p>"
        for (heading, key) in [("page.advice", "advice"), ("page.causes", "causes")] {
            let items = sentences(topic, key, page).map(PageHTML.escape)
            guard !items.isEmpty else { continue }
            body += "<h2>\(text(heading))</h2><ul><li>\(items.joined(separator: "</li><li>"))</li></ul>"
        }
        if page.answersForm { body += "<p>\(text("page.posted"))</p>" }
        if page.comesBack { body += "<p>\(text("page.by_itself"))</p>" }
        body += links(page) + footer(page)
        return self.page(title: "\(topic).title", mark: page.topic.mark, body: body, formAction: "'none'")
    }

    /// Nobody is sent to a start page that this page does not lead to: some advice has other words without one.
    private func sentences(_ topic: String, _ key: String, _ page: ErrorPage) -> [String] {
        let leadsToSite = page.ways.contains { if case .site = $0 { true } else { false } }
        if !leadsToSite, !page.leadsToStart || start().isEmpty {
            let others = language.list("\(topic).\(key)_without_start")
            if !others.isEmpty { return others }
        }
        return language.list("\(topic).\(key)")
    }

    private func links(_ page: ErrorPage) -> String {
        var links: [String] = []
        for way in page.ways {
            let isSecond = !links.isEmpty
            let link: String? =
                switch way {
                // An empty reference is the page's own address: nothing of the request has to be repeated for it.
                case .sameAgain: self.link("", "action.again", isSecond: isSecond)
                case .again(let path): again(path, page.topic, isSecond: isSecond)
                case .signInAsSomebodyElse(let path):
                    PageHTML.path(path).map { self.link($0, "action.other", isSecond: isSecond) }
                case .signOut(let path):
                    PageHTML.path(path).map { self.link($0, "action.sign_out", isSecond: isSecond) }
                case .site(let url): site(url).map { self.link($0, "action.site", isSecond: isSecond) }
                }
            if let link { links.append(link) }
        }
        if page.leadsToStart {
            let start = start(isSecond: !links.isEmpty)
            if !start.isEmpty { links.append(start) }
        }
        return links.isEmpty ? "" : "<div class=\"do\">\(links.joined())</div>"
    }

    private func again(_ path: String, _ topic: PageTopic, isSecond: Bool) -> String? {
        let own = "\(topic.rawValue).action"
        let key = PageLanguage.english[own] == nil ? "action.again" : own
        return PageHTML.path(path).map { link($0, key, isSecond: isSecond) }
    }

    /// A web address without anything that a browser reads in another way.
    private func site(_ url: String) -> String? {
        guard let uri = URI(url), uri.scheme == "https" || uri.scheme == "http" else { return nil }
        return PageHTML.escape(url)
    }

    private func footer(_ page: ErrorPage) -> String {
        var footer = "<footer><p>\(text("page.error")) \(page.status)</p>"
        if PageWriter.isRequestID(page.requestID) {
            footer += "<p>\(text("page.request_id")): <code>\(page.requestID)</code></p>"
        }
        if PageWriter.isRequestID(page.decisionID) {
            footer += "<p>\(text("page.decision_id")): <code>\(page.decisionID)</code></p>"
        }
        if let contact = book.settings.contact {
            footer +=
                "<p>\(text("page.contact")): <a href=\"\(PageHTML.escape(contact.link))\">"
                + "\(PageHTML.escape(contact.text))</a></p>"
        }
        return footer + "</footer>"
    }

    /// Whether it is an id of ours, and not what somebody sent as one.
    private static func isRequestID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy {
                AcceptLanguage.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}
