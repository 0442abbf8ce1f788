import Access
import Configuration
import Foundation
import Gateway
import TestTraits
import Testing

@testable import Import

@Suite struct `what an import cannot read` {
    private func refusal(_ text: String, _ name: String = "source.cfg") -> String {
        let file = ForeignFile(name: name, bytes: Array(text.utf8))
        do throws(ImportRefusal) {
            switch name.split(separator: ".").last {
            case "nginx": _ = try ForeignConfiguration.nginx(file, oauth2Proxy: [])
            case "apache": _ = try ForeignConfiguration.modAuthOpenIDC(file)
            default: _ = try ForeignConfiguration.oauth2Proxy([file], flags: [])
            }
            return ""
        } catch {
            return error.text
        }
    }

    @Test(
        .refuses("ECO-84"),
        arguments: [
            ("upstreams = [\n  \"http://a\",\n", "source.cfg:1:13: expected a list that ends"),
            ("\nclient_id = \"shop\nscope = 1", "source.cfg:2:13: expected a text that ends on its line"),
            ("  upstrems \"http://a\"", "source.cfg:1:3: expected name = value"),
            ("client_id = shop web", "source.cfg:1:18: expected the end of the line"),
            ("[section]", "source.cfg:1:1: expected name = value"),
            ("cookie_secure = \"maybe\"", "source.cfg:1:1: expected cookie-secure as true or false"),
            ("cookie_expire = \"soon\"", "source.cfg:1:1: expected cookie-expire as a duration such as 168h"),
            ("client_id = [ \"a\", \"b\" ]", "source.cfg:1:1: expected one value of client-id, found 2"),
            ("OAUTH2_PROXY_=1", "source.cfg:1:1: expected a setting of oauth2-proxy, found none"),
        ])
    func `is told with its place in files of oauth2-proxy`(text: String, words: String) {
        #expect(refusal(text).hasPrefix(words), "\(refusal(text))")
    }

    @Test(
        .refuses("ECO-84"),
        arguments: [
            ("source.yaml", "providers: [", "source.yaml:"),
            ("source.yaml", "upstreams: 1", "source.yaml:1:1: expected one of"),
            ("source.yaml", "a: &b 1", "source.yaml:1:4: expected plain YAML"),
            (
                "source.nginx", "server { location / {",
                "source.nginx:1:10: expected a configuration of nginx, found a block of location"
            ),
            (
                "source.nginx", "server {\n } }",
                "source.nginx:2:4: expected a configuration of nginx, found } that closes nothing"
            ),
            ("source.nginx", "a b", "source.nginx:1:1: expected a configuration of nginx, found a directive without ;"),
            ("source.nginx", "a \"b;", "source.nginx:1:3: expected a configuration of nginx, found a quotation mark"),
            (
                "source.nginx", "server { listen 80; }",
                "source.nginx:1:1: expected a server with auth_request or auth_oidc"
            ),
            (
                "source.apache", "<Location />\nRequire valid-user",
                "source.apache:1:1: expected a configuration of Apache, found a section"
            ),
            (
                "source.apache", "  </Location>",
                "source.apache:1:3: expected a configuration of Apache, found </Location>"
            ),
            (
                "source.apache", "<Location /\n",
                "source.apache:1:1: expected a configuration of Apache, found a section without >"
            ),
            (
                "source.apache", "OIDCScope \"openid",
                "source.apache:1:11: expected a configuration of Apache, found a quotation mark"
            ),
        ])
    func `is told with its place in the others`(name: String, text: String, words: String) {
        #expect(refusal(text, name).hasPrefix(words), "\(refusal(text, name))")
    }

    @Test(.refuses("ECO-84")) func `is bounded in depth and number`() {
        let deep = String(repeating: "a {", count: 40)
        #expect(refusal(deep, "source.nginx").contains("at most 32 blocks within each other"))
        let many = String(repeating: "a;", count: 20_001)
        #expect(refusal(many, "source.nginx").contains("at most 20000 directives"))
    }

    @Test func `tells every line of a file that it cannot read, and shows no value of a secret`() {
        let text = refusal("nothing: 1\nclient_secret = [ \"s3cr3t\", \"s3cr3t\" ]\ncookie_secret = \"s3cr3t")
        #expect(text.split(separator: "\n").count == 6)
        #expect(!text.contains("s3cr3t"))
    }

    @Test(.refuses("ECO-83"), .refuses("ECO-84")) func `is not a setting that nobody knows, by which nobody passes`()
        throws
    {
        let text = "skip_auth_routes = \"^/open/\"\nupstrems = [\n \"s3cr3t\" ]\nOAUTH2_PROXY_NEW_ONE=s3cr3t"
        let file = ForeignFile(name: "source.cfg", bytes: Array(text.utf8))
        let made = try ForeignConfiguration.oauth2Proxy(
            [file], flags: ["--future-guard", "s3cr3t", "--email-domain=*", "--later", "--client_secret:s3cr3t=x"])
        for line in [
            "# source.cfg:2:1: upstrems: is not known: nobody passes until you decide",
            "# source.cfg:4:1: NEW_ONE: is not known: nobody passes until you decide",
            "# flags:1:1: future-guard: is not known: nobody passes until you decide",
            "# flags:4:1: later: is not known: nobody passes until you decide",
            "# flags:5:1: client_secret: is not known: nobody passes until you decide",
            "# - decide about NEW_ONE, client_secret, future-guard, later, upstrems: routes with import_undecided",
        ] {
            #expect(made.contains(line), "\(line) in\n\(made)")
        }
        #expect(!made.contains("s3cr3t"))
        let loaded = try Checked.load(made)
        let rights = loaded.settings.routes.compactMap(\.access.login).map(\.rights)
        #expect(!rights.isEmpty)
        for rights in rights {
            #expect(rights.claims.contains { $0.claim == ["import_undecided"] && $0.anyOf.count == 5 })
        }
    }

    @Test func `is no flag whose value stands in the next word`() throws {
        let settings = try FlagReader.arguments([
            "--client-id", "a", "--email-domain=b", "--email-domain", "c", "--force-https",
        ])
        #expect(settings.text("client-id") == "a")
        #expect(settings.list("email-domain") == ["b", "c"])
        #expect(settings.isTrue("force-https"))
        #expect(throws: ImportRefusal.self) { try FlagReader.arguments(["--client-id=a", "stray"]) }
    }

    @Test(arguments: [("0", 0), ("168h", 604_800), ("1h30m", 5400), ("90s", 90), ("1.5h", 3600), ("500ms", 0)])
    func `is no duration of Go`(text: String, seconds: Int) {
        #expect(FlagValue.duration(text) == seconds)
    }
}

@Suite struct `a regular expression of a path` {
    private static let patterns = [
        "^/healthz$", "^/static/", "^/static/.*", "^/static/.*$", "^/robots\\.txt$", "^/api(/.*)?$", "^/a-b/?$",
        "^/v1", "^/x(/.*)$", "^/", "^/.*", "^/deep/er/path/",
        // None of these is plain.
        "/static/", "\\.png$", "^/(a|b)/", "^/a|/b", "^/a+/", "^/a.*b", "^/a?", "^/[a-z]+$", "(?i)^/a", "^/a/$", "^/$",
        "^/%41", "^//a", "^/a/../b", "^a", "^/a{2}", "^/a\\d", "^", "^/a$b", "^/.+$",
    ]
    private static let paths = [
        "/", "/healthz", "/healthz/", "/healthz/x", "/healthzy", "/static", "/static/", "/static/a", "/statics",
        "/robots.txt", "/robotsxtxt", "/api", "/api/", "/api/x", "/apis", "/a-b", "/a-b/", "/a-b/c", "/v1", "/v1/x",
        "/v12",
        "/x", "/x/", "/x/y", "/a", "/b", "/a/", "/b/c", "/aa/", "/axb", "/deep/er/path", "/deep/er/path/x", "/ab", "/A",
    ]

    @Test(.refuses("ECO-83"), arguments: patterns)
    func `opens no path that it does not match`(pattern: String) throws {
        let expression = try NSRegularExpression(pattern: pattern)
        for own in PlainPattern.paths(pattern) ?? [] {
            for path in Self.paths where path == own || own.hasSuffix("/") && path.hasPrefix(own) {
                let range = NSRange(path.startIndex..., in: path)
                #expect(expression.firstMatch(in: path, range: range) != nil, "\(pattern) opens \(path)")
            }
        }
    }

    @Test func `is carried where it is plain, and nowhere else`() {
        #expect(Self.patterns.count { PlainPattern.paths($0) != nil } == 12)
        #expect(PlainPattern.paths("^/api(/.*)?$") == ["/api", "/api/"])
        #expect(PlainPattern.paths("^/healthz$") == ["/healthz"])
        #expect(PlainPattern.paths("^/a/$") == nil, "a subtree of ours is more than one path")
    }
}

@Suite struct `text of others` {
    @Test(.refuses("ECO-84")) func `stays text in YAML, whatever is in it`() {
        #expect(YAMLText.scalar("a\"b\\c\nd: #\u{2028}") == "\"a\\\"b\\\\c\\U0000000ad: #\\U00002028\"")
        #expect(YAMLText.scalar("true") == "\"true\"")
        #expect(YAMLText.scalar("") == "\"\"")
        #expect(YAMLText.scalar("a, b]") == "\"a, b]\"")
        #expect(YAMLText.scalar("https://a.example/b") == "https://a.example/b")
    }

    @Test(.refuses("ECO-84")) func `ends no comment`() throws {
        let file = ForeignFile(
            name: "a\nb.cfg", bytes: Array("skip_auth_routes = \"x\\nlisteners: []\"\nemail_domains = \"*\"".utf8))
        let made = try ForeignConfiguration.oauth2Proxy([file], flags: [])
        #expect(
            made.contains(
                "# a?b.cfg:1:1: skip_auth_routes: stays protected, for it is no plain prefix: x?listeners: []"))
    }
}

@Suite struct `the tables of settings` {
    @Test func `know every flag, and are shown on the pages as they are`() throws {
        #expect(FlagTable.rows.count == 172)
        #expect(DirectiveTable.rows.count >= 130)
        let catalogue =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/Sources/Gateway/Gateway.docc/"
        let flags = try String(contentsOfFile: catalogue + "FromOAuth2Proxy.md", encoding: .utf8)
        let directives = try String(contentsOfFile: catalogue + "FromModAuthOpenIDC.md", encoding: .utf8)
        func key(_ text: Substring) -> String { text.isEmpty ? "–" : "`\(text)`" }
        let shown = flags.split(separator: "\n").filter { $0.hasPrefix("| `--") }.map(String.init)
        #expect(shown == FlagTable.rows.map { "| `--\($0.name)` | \(key($0.key)) | \($0.words) |" })
        let also = directives.split(separator: "\n").filter {
            $0.hasPrefix("| `OIDC") && !$0.contains("` | `optional: true")
        }.map(String.init)
        #expect(also == DirectiveTable.rows.map { "| `\($0.name)` | \(key($0.key)) | \($0.words) |" })
    }

    @Test func `find a flag by its name in a file and in the environment`() {
        #expect(FlagTable.row("EMAIL_DOMAINS")?.name == "email-domain")
        #expect(FlagTable.row("redis_sentinel_connection_urls")?.name == "redis-sentinel-connection-urls")
        #expect(FlagTable.row("client_ids") == nil)
    }
}
