import Bytes
import Crypto
import Foundation
import Testing

@testable import Pages

struct PageBookTests {
    static let id = "0123456789abcdef0123456789abcdef"
    static let svg = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)

    static func branded() -> PageSettings {
        var settings = PageSettings()
        settings.name = "Orders & <Returns>"
        settings.logo = PageLogo(svg)
        settings.accent = PageAccent("#ffcc00")
        settings.contact = PageContact("help@shop.example.com")
        settings.landing = "/app/"
        return settings
    }

    private func page(_ topic: PageTopic, _ settings: PageSettings = PageSettings(), language: Int = 0) -> RenderedPage
    {
        PageBook(settings).pages(in: language).error(
            ErrorPage(
                status: 403, topic: topic, requestID: Self.id,
                ways: [
                    .signInAsSomebodyElse(path: "/.portcullis/login/web?return_to=%2F&other=1"),
                    .signOut(path: "/.portcullis/logout/web"), .site(url: "https://shop.example.com/app/"), .sameAgain,
                ], comesBack: true, answersForm: true))
    }

    @Test(arguments: PageTopic.allCases, [0, 1])
    func `each page is small, names its language and the request, and asks nobody for anything`(
        _ topic: PageTopic, language: Int
    ) {
        var settings = Self.branded()
        // The largest logo there may be, and a long name: 404 for 100 bytes of request costs no more than this.
        settings.logo = PageLogo(Self.svg + [UInt8](repeating: 0x20, count: PageLogo.maximumBytes - Self.svg.count))
        settings.name = String(repeating: "n", count: 60)
        #expect(settings.logo != nil)
        let whole = self.page(topic, settings, language: language)
        #expect(whole.bytes.count <= 8192, "\(whole.bytes.count)")
        settings.logo = nil
        let page = page(topic, settings, language: language)
        let html = String(decoding: page.bytes, as: UTF8.self)
        #expect(html.contains("<html lang=\"\(language == 0 ? "en" : "de")\">"))
        #expect(html.contains(Self.id) && html.contains("403"))
        #expect(html.components(separatedBy: "<h1>").count == 2)
        #expect(html.components(separatedBy: "<main>").count == 2)
        for outside in ["src=", "url(", "@import", "<link", "<script", "http-equiv", "style="] {
            #expect(!html.contains(outside), "\(outside)")
        }
        #expect(page.contentSecurityPolicy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(page.contentSecurityPolicy.hasSuffix("; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"))
    }

    /// Where a run of the tests with a browser reads them: `Tests/Browser/run --pages FOLDER`.
    private static let folder = ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_PAGES"]

    @Test(.enabled(if: folder != nil)) func `each page is written where the tests with a browser look at it`() throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for topic in PageTopic.allCases {
            for language in [0, 1] {
                let page = page(topic, Self.branded(), language: language)
                let file = folder.appending(path: "\(topic.rawValue)-\(page.language).html")
                try Data(page.bytes).write(to: file)
            }
        }
    }

    @Test func `the policy names the style by its hash, whatever the accent is`() throws {
        for accent in [nil, "#000000", "#ffffff", "#ffcc00"] {
            var settings = PageSettings()
            settings.accent = accent.flatMap(PageAccent.init)
            let page = page(.notFound, settings)
            let html = String(decoding: page.bytes, as: UTF8.self)
            let style = try #require(
                html.components(separatedBy: "<style>").last?.components(separatedBy: "</style>")[0])
            let hash = Base64.encode(SHA256.hash(style.utf8Span.span).bytes.span)
            #expect(page.contentSecurityPolicy.contains("style-src 'sha256-\(hash)'"))
        }
    }

    @Test func `name, logo, contact and landing are where people look for them, and are text`() {
        let page = page(.notFound, Self.branded())
        let html = String(decoding: page.bytes, as: UTF8.self)
        #expect(html.contains("<title>There is nothing here · Orders &amp; &lt;Returns&gt;</title>"))
        #expect(html.contains("<img src=\"data:image/svg+xml;base64,"))
        #expect(page.contentSecurityPolicy.contains("; img-src data:;"))
        #expect(html.contains("<a href=\"mailto:help@shop.example.com\">help@shop.example.com</a>"))
        #expect(html.contains("href=\"/app/\">Back to the start page<"))
        #expect(!html.contains("<script"))
    }

    @Test(arguments: PageTopic.allCases, [0, 1])
    func `nobody is sent to a start page that the page does not lead to`(_ topic: PageTopic, language: Int) {
        for (landing, leadsToStart) in [(nil, true), ("/app/", false), ("/app/", true)] {
            var settings = PageSettings()
            settings.landing = landing
            let page = PageBook(settings).pages(in: language).error(
                ErrorPage(status: 404, topic: topic, requestID: Self.id, leadsToStart: leadsToStart))
            let html = String(decoding: page.bytes, as: UTF8.self)
            let isLed = html.contains("href=\"/app/\"")
            #expect(isLed == (landing != nil && leadsToStart))
            for word in ["start page", "Startseite"] where !isLed { #expect(!html.contains(word)) }
        }
    }

    @Test(arguments: [0, 1]) func `a page of another host says to go on from here where it leads on, and not elsewhere`(
        language: Int
    ) {
        let book = PageBook(PageSettings())
        for site in [nil, "https://shop.example.com/app/"] {
            let page = book.pages(in: language).error(
                ErrorPage(
                    status: 421, topic: .otherHost, requestID: Self.id, ways: site.map { [.site(url: $0)] } ?? [],
                    leadsToStart: false))
            let html = String(decoding: page.bytes, as: UTF8.self)
            #expect(html.contains("<a ") == (site != nil))
            #expect(html.contains(language == 0 ? "Go on from here" : "von hier aus weiter") == (site != nil))
            #expect(html.contains(language == 0 ? "Check the address" : "Prüfen Sie die Adresse") == (site == nil))
        }
    }

    @Test func `a picture of 2 KiB is taken, and no more`() {
        #expect(PageLogo(Self.svg + [UInt8](repeating: 0x20, count: PageLogo.maximumBytes - Self.svg.count)) != nil)
        #expect(PageLogo(Self.svg + [UInt8](repeating: 0x20, count: PageLogo.maximumBytes)) == nil)
        #expect(PageLogo([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) != nil)
        for wrong in ["", "GIF89a", "<html></html>", "text <svg"] { #expect(PageLogo(Array(wrong.utf8)) == nil) }
        #expect(PageLogo([0x3C, 0x73, 0x76, 0x67, 0xFF]) == nil)
    }

    @Test(arguments: ["help@shop.example.com", "https://shop.example.com/help"])
    func `a contact is an address of mail or of a page`(_ text: String) { #expect(PageContact(text) != nil) }

    @Test(arguments: [
        "", "help", "@x", "a@", "a@b@c", "http://x.example/", "javascript:alert(1)", "https://", "a b@c", "a@b?x=1",
        "\"><b>@x", "tel:1",
    ])
    func `anything else is no contact`(_ text: String) { #expect(PageContact(text) == nil) }

    @Test func `any accent can be read on the page, and what stands on it too`() throws {
        for red in stride(from: 0, through: 255, by: 51) {
            for green in stride(from: 0, through: 255, by: 51) {
                for blue in stride(from: 0, through: 255, by: 51) {
                    let accent = PageAccent(colour: .init(UInt8(red), UInt8(green), UInt8(blue)))
                    let (light, dark) = (accent.onLight, accent.onDark)
                    #expect(light.contrast(with: .init(0xF3, 0xF4, 0xF6)) >= 4.5, "\(accent)")
                    #expect(light.contrast(with: .init(255, 255, 255)) >= 4.5, "\(accent)")
                    #expect(dark.contrast(with: .init(0x1B, 0x20, 0x29)) >= 4.5, "\(accent)")
                    #expect(dark.contrast(with: .init(0x0D, 0x16, 0x26)) >= 4.5, "\(accent)")
                }
            }
        }
        #expect(abs(PageAccent.Colour(0, 0, 0).contrast(with: .init(255, 255, 255)) - 21) < 0.001)
        #expect(abs(PageAccent.Colour(0x77, 0x77, 0x77).contrast(with: .init(255, 255, 255)) - 4.478) < 0.001)
        for wrong in ["", "#fff", "ffcc00", "#ffcc0", "#ffcc0g", "#ffcc000", "#+12345"] {
            #expect(PageAccent(wrong) == nil)
        }
    }

    @Test func `markup in a sentence appears as text`() {
        var settings = PageSettings()
        let text = PageText(
            Array("not_found.title: <b>Nix</b> & \"x\"\nnot_found.story: <script>alert(1)</script>".utf8))
        settings.languages = [PageLanguage(tag: "x-evil\"><script>", text, over: .english)]
        let html = String(decoding: page(.notFound, settings).bytes, as: UTF8.self)
        #expect(html.contains("<h1>&lt;b&gt;Nix&lt;/b&gt; &amp; &quot;x&quot;</h1>"))
        #expect(!html.contains("<script"))
    }

    @Test func `a language that is written from right to left says so`() {
        var settings = PageSettings()
        settings.languages = [PageLanguage(tag: "ar-EG", PageText([]), over: .english)]
        #expect(
            String(decoding: page(.notFound, settings).bytes, as: UTF8.self).contains(
                "<html lang=\"ar-EG\" dir=\"rtl\">"))
    }

    @Test func `no way leads elsewhere, and a place that is not known is no link`() {
        let hostile = ["//evil.example", "/\\evil.example", "javascript:alert(1)", "https://evil.example\"><script>"]
        for address in hostile {
            let page = PageBook.standard.pages(in: 0).error(
                ErrorPage(
                    status: 404, topic: .notFound, requestID: "<script>",
                    ways: [.again(path: address), .signOut(path: address), .signInAsSomebodyElse(path: address)]))
            let html = String(decoding: page.bytes, as: UTF8.self)
            #expect(!html.contains("<a ") && !html.contains("<script") && !html.contains("evil"))
        }
    }

    @Test func `a language that is gone after a reload is the first one`() {
        #expect(
            PageBook.standard.pages(in: 200).error(ErrorPage(status: 404, topic: .busy, requestID: "")).language == "en"
        )
    }
}
