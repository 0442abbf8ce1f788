import Access
import Pages
import TestTraits
import Testing

@testable import Configuration
@testable import Gateway

@Suite struct `pages` {
    private static let svg = Fixture.file("<svg xmlns='http://www.w3.org/2000/svg'/>")

    private func sources(_ languages: [String: String] = [:]) -> ConfigurationSources {
        var files = Fixture.files
        files["logo.svg"] = Self.svg
        files["logo.gif"] = Fixture.file("GIF89a")
        files["large.svg"] = Fixture.file("<svg>" + String(repeating: " ", count: 32 << 10))
        for (name, text) in languages { files["lang/\(name)"] = Fixture.file(text) }
        var sources = ConfigurationSources.scripted(files: files)
        sources.names = { folder in
            folder == "lang" ? .success(languages.keys + [".", ".."]) : .failure(.unreadable("Not a directory"))
        }
        return sources
    }

    private func configuration(_ keys: String) -> String { Sample().text + "\npages: { \(keys) }\n" }

    @Test func `are ours without a word, with a way to the start where a route takes it`() throws {
        let pages = try settings(of: Sample().text).pages
        #expect(pages.name == nil && pages.logo == nil && pages.accent == nil && pages.contact == nil)
        #expect(pages.languages.map(\.tag) == ["en", "de"])
    }

    @Test func `lead to where the app begins, which has to be somewhere`() throws {
        func landing(_ path: String, _ access: String, _ keys: String) throws -> String? {
            let routes = "routes: [{ path: \(path), upstream: http://127.0.0.1:3000, \(access) }]"
            return try settings(of: Sample(issuers: "", routes: routes, rest: "pages: { \(keys) }").text).pages.landing
        }
        #expect(try landing("/", "public: true", "name: A") == "/")
        // Where programs alone get in, nobody is sent.
        #expect(try settings(of: Sample().text).pages.landing == nil)
        #expect(try landing("/app/", "public: true", "name: A") == nil)
        #expect(try landing("/app/", "public: true", "landing: /app/start?tab=1") == "/app/start?tab=1")
        #expect(try landing("/app/", "public: true", "landing: /app") == "/app")
        let nowhere = Sample(
            issuers: "", routes: "routes: [{ path: /app/, upstream: http://127.0.0.1:3000, public: true }]",
            rest: "pages: { landing: /start }")
        #expect(refusal(of: nowhere.text).contains("name the path where the app begins"))
    }

    @Test(.holds("ECO-87")) func `are called, coloured and signed as the operator says`() throws {
        let pages = try settings(
            of: configuration("name: Bücher & Co, logo: logo.svg, accent: \"#FFcc00\", contact: help@shop.example.com"),
            from: sources()
        ).pages
        #expect(pages.name == "Bücher & Co" && pages.logo != nil)
        #expect(pages.accent == PageAccent("#ffcc00") && pages.contact == PageContact("help@shop.example.com"))
    }

    @Test(arguments: [
        ("name: \"a\\u0007b\"", "control characters"), ("name: \" \"", "control characters"),
        ("accent: blue", "six hexadecimal"),
        ("contact: nobody", "one address"), ("logo: none.svg", "paths are absolute"),
        ("logo: logo.gif", "save the logo"),
        ("logo: large.svg", "right file"), ("languages: nowhere", "paths are absolute"), ("landing: app", "one /"),
        ("colour: red", "here"),
    ])
    func `are refused with a remedy where they could not be made`(keys: String, remedy: String) {
        #expect(
            refusal(of: configuration(keys), from: sources()).contains(remedy),
            "\(refusal(of: configuration(keys), from: sources()))")
    }

    @Test(.holds("ECO-87")) func `speak the languages of a folder, and English where those say nothing`() throws {
        let pages = try settings(
            of: configuration("languages: lang"),
            from: sources(["fr.txt": "not_found.title: Rien ici", "de.txt": "not_found.title: Nix da", "note.md": "x"])
        ).pages
        #expect(pages.languages.map(\.tag) == ["en", "de", "fr"])
        #expect(pages.languages[1]["not_found.title"] == "Nix da")
        #expect(pages.languages[1]["busy.title"] == PageLanguage.german["busy.title"])
        #expect(pages.languages[2]["not_found.title"] == "Rien ici")
        #expect(pages.languages[2]["busy.title"] == PageLanguage.english["busy.title"])
    }

    @Test(.refuses("ECO-87")) func `say which sentences are missing, and which nobody knows, with their places`() throws
    {
        let text = configuration("languages: lang")
        let french = sources(["fr.txt": "not_found.title: Rien"])
        let warned = try warnings(of: text, from: french)
        #expect(warned.contains("in fr.txt") && warned.contains("action.again") && warned.contains("said in English"))
        #expect(
            try warnings(of: text, from: sources(["de.txt": "not_found.title: Nix"])) == warnings(of: Sample().text))
        let wrong = refusal(of: text, from: sources(["fr.txt": "# Français\nnot_found.titel: Rien\nx\nbusy.title:"]))
        #expect(wrong.contains("fr.txt:2:1") && wrong.contains("did you mean not_found.title?"))
        #expect(wrong.contains("fr.txt:3:1") && wrong.contains("fr.txt:4:12"))
        #expect(refusal(of: text, from: sources(["french.txt": "a: b"])).contains("RFC 5646"))
        #expect(refusal(of: text, from: sources(["note.md": "x"])).contains("defaults --language en"))
    }

    @Test func `take the place of an upstream's responses where a route names their statuses`() throws {
        #expect(try settings(of: Sample().text).routes[0].replacedStatuses == [])
        let route = Sample.tokenRoute("error_pages: { upstream: [502, 503] }")
        #expect(try settings(of: route).routes[0].replacedStatuses == [502, 503])
        for wrong in ["[200]", "[600]", "[]", "502", "[\"502\"]"] {
            #expect(refusal(of: Sample.tokenRoute("error_pages: { upstream: \(wrong) }")) != "", "\(wrong)")
        }
        #expect(refusal(of: Sample.tokenRoute("error_pages: {}")) != "")
    }
}
