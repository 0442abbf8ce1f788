import Configuration
import Foundation
import Gateway
import TestTraits
import Testing

@testable import Import

/// Files that somebody wrote to do harm, or that nobody wrote for us.
@Suite struct `a hostile configuration` {
    private static let texts = [
        "a\nlisteners: []", "\"a", "a\"b'c", "}, evil: { a: b", "], evil: [", "a: b", "a # b", "- a", "&a", "*a",
        "!!int a",
        "|", ">", "%a", "@a", "`a", "? a", "~", "null", "true", "1", "1e3", "0x1", "a\\", "\\", "\u{85}", "\u{2028}",
        "\u{FEFF}a", "\u{7F}", "\r", "\t", "${SECRET}", "{{ a }}", "a,b", " ", "äöü", "https://a\"b/", "http://u:p@a/",
        "/a\n- path: /", "//a", "/..", "/.portcullis/x", "/a*b", "/a%00b", String(repeating: "a", count: 5000),
    ]

    /// Holds that what is made loads, for its structure is ours whatever is in it; or that nothing is made.
    private func hold(_ what: String, _ make: () throws -> String) {
        guard let made = try? make() else { return }
        do throws(ConfigurationRefusal) {
            let loaded = try Checked.load(made)
            #expect(!loaded.settings.routes.isEmpty)
        } catch {
            Issue.record("\(what): \(error.text(file: "made"))\n\(made)")
        }
        #expect(made.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 && $0 < 0x7F }, "\(what)")
    }

    private static func cfg(_ text: String) -> ForeignFile { ForeignFile(name: "a.cfg", bytes: Array(text.utf8)) }

    private static let core = """
        provider = "oidc"
        oidc_issuer_url = "https://id.example.com/"
        client_id = "shop"
        email_domains = "*"
        tls_cert_file = "a.crt"
        tls_key_file = "a.key"

        """

    @Test(
        .refuses("ECO-84"),
        arguments: FlagTable.rows.filter { $0.kind != .flag && $0.name != "jwt-key" }.map { String($0.name) })
    func `of oauth2-proxy has no setting whose text becomes structure`(flag: String) {
        // Files that the check opens.
        let isFile = flag.hasSuffix("-file") || flag.hasSuffix("-path") && !flag.hasPrefix("cookie")
        // A third of them each, another one for the next flag.
        let first = (FlagTable.rows.firstIndex { $0.name == flag } ?? 0) % 3
        for text in stride(from: first, to: Self.texts.count, by: 3).map({ Self.texts[$0] })
        where !isFile || flag.hasPrefix("cookie") {
            hold("\(flag)=\(text)") {
                try ForeignConfiguration.oauth2Proxy(
                    [Self.cfg(Self.core)], flags: ["--\(flag)=\(text)", "--session-store-type=redis"])
            }
        }
    }

    @Test(.refuses("ECO-84"), arguments: texts) func `of others has none either`(text: String) {
        let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        for line in [
            "server_name \"\(quoted)\";", "listen \"\(quoted)\";", "set_real_ip_from \"\(quoted)\";",
            "location \"\(quoted)\" { auth_request /ask; proxy_pass http://a; }",
            "location = \"\(quoted)\" { return 200 a; }", "location /a { return 200 \"\(quoted)\"; }",
            "location /a { return 301 \"\(quoted)\"; }", "location /a { default_type \"\(quoted)\"; return 200 b; }",
            "location /a { proxy_pass \"\(quoted)\"; }", "location /a/ { proxy_pass \"http://a\(quoted)\"; }",
            "location /a { add_header \"\(quoted)\" b; proxy_pass http://a; }",
            "location /a { add_header X-A \"\(quoted)\"; proxy_pass http://a; }",
            "location /a { proxy_set_header \"\(quoted)\" b; proxy_pass http://a; }",
            "location /a { proxy_set_header X-A \"\(quoted)\"; proxy_pass http://a; }",
            "location /a { proxy_hide_header \"\(quoted)\"; proxy_pass http://a; }",
            "location /a { auth_request \"/ask?allowed_groups=\(quoted)\"; proxy_pass http://a; }",
            "location /a { auth_request \"/ask?allowed_email_domains=\(quoted)\"; proxy_pass http://a; }",
            "location /a { proxy_set_header X-A \"$oidc_claim_\(quoted)\"; proxy_pass http://a; }",
        ] {
            let file = ForeignFile(
                name: "a",
                bytes: Array(
                    "upstream p { server a; server \"\(quoted)\"; } server { \(line) location / { auth_request /ask; proxy_pass http://p; } }"
                        .utf8))
            hold(line) { try ForeignConfiguration.nginx(file, oauth2Proxy: [Self.cfg(Self.core)]) }
        }
        let provider = "oidc_provider q { issuer \"\(quoted)\"; client_id \"\(quoted)\"; scope \"\(quoted)\"; }"
        let own = ForeignFile(
            name: "a",
            bytes: Array("http { \(provider) server { location / { auth_oidc q; proxy_pass http://a; } } }".utf8))
        hold(provider) { try ForeignConfiguration.nginx(own, oauth2Proxy: []) }
        for name in [
            "OIDCClientID", "OIDCProviderIssuer", "OIDCRedirectURI", "OIDCScope", "OIDCAuthRequestParams",
            "OIDCClaimPrefix",
            "OIDCClaimDelimiter", "OIDCAuthNHeader", "OIDCRemoteUserClaim", "OIDCIDTokenSignedResponseAlg",
            "OIDCProviderTokenEndpointAuth", "OIDCResponseMode", "ServerName", "ServerAlias", "Listen", "Redirect /r",
            "RewriteRule ^/w/(.*)$", "ProxyPass /p", "ProxyPass", "RequestHeader set X-A", "RequestHeader unset",
            "Header set X-B", "Header unset",
        ] {
            let rest =
                "<Location />\nAuthType openid-connect\nRequire claim a:\"\(quoted)\"\n</Location>\nProxyPass / http://a/"
            let file = ForeignFile(name: "a", bytes: Array("\(name) \"\(quoted)\" [R]\n\(rest)".utf8))
            hold("\(name) \(text)") { try ForeignConfiguration.modAuthOpenIDC(file) }
        }
        let alpha = """
            providers: [{ provider: oidc, clientID: a, oidcConfig: { issuerURL: "https://a/", groupsClaim: "VALUE" }, allowedGroups: ["VALUE"] }]
            upstreamConfig:
              upstreams:
                - { path: "VALUE", uri: "http://a" }
                - { path: "^/r/(.*)$", rewriteTarget: "VALUE$1", uri: "http://a" }
                - { path: /s, static: true, staticCode: "VALUE" }
            injectRequestHeaders: [{ name: "VALUE", values: [{ claim: email }] }, { name: X-A, values: [{ claim: "VALUE" }] }]
            """.replacing("VALUE", with: YAMLText.escaped(text))
        hold(alpha) {
            try ForeignConfiguration.oauth2Proxy(
                [Self.cfg(Self.core), ForeignFile(name: "a.yaml", bytes: Array(alpha.utf8))], flags: [])
        }
    }

    @Test(.refuses("ECO-84")) func `prints no secret, wherever it stands`() throws {
        let secret = "Zq7s3cr3tXw9"
        var outputs: [String] = []
        func run(_ make: () throws(ImportRefusal) -> String) {
            do throws(ImportRefusal) { outputs.append(try make()) } catch { outputs.append(error.text) }
        }
        for row in FlagTable.rows where row.kind == .secret {
            let name = row.name.replacing("-", with: "_")
            for text in [
                "\(name) = \"\(secret)\"", "\(name) = '\(secret)'", "\(name) = [ \"\(secret)\", \"b\" ]",
                "\(name) = \"\(secret)",
                "\(name) = \(secret) b", "\(name): \(secret)", "\(name)x = \"\(secret)\"",
                "OAUTH2_PROXY_\(name.uppercased())=\(secret)", "OAUTH2_PROXY_\(name.uppercased())X=\(secret)",
            ] {
                run { () throws(ImportRefusal) in
                    try ForeignConfiguration.oauth2Proxy([Self.cfg(Self.core + text)], flags: [])
                }
            }
            for flags in [
                ["--\(row.name)=\(secret)"], ["--\(row.name)", secret], ["--\(row.name)x=\(secret)"],
                ["--\(row.name)x", secret],
            ] {
                run { () throws(ImportRefusal) in
                    try ForeignConfiguration.oauth2Proxy([Self.cfg(Self.core)], flags: flags)
                }
            }
        }
        for text in [
            "--redis-connection-url=redis://u:\(secret)@a:6379", "--upstream=http://u:\(secret)@a/",
            "--redirect-url=https://u:\(secret)@a/oauth2/callback", "--oidc-issuer-url=https://u:\(secret)@a/",
            "--redis-sentinel-connection-urls=redis://u:\(secret)@a:6379",
        ] {
            run { () throws(ImportRefusal) in
                try ForeignConfiguration.oauth2Proxy(
                    [Self.cfg(Self.core)], flags: [text, "--session-store-type=redis"])
            }
        }
        let asks = "location / { auth_request /ask; proxy_pass http://a; }"
        for text in [
            "location /a { proxy_set_header X-Api-Key \(secret); proxy_pass http://a; }",
            "location /a { proxy_set_header Authorization \"Basic \(secret)\"; proxy_pass http://a; }",
            "location /a { proxy_set_header X-Anything \"\(secret)\"; proxy_pass http://a; }",
            "location /a { proxy_pass http://u:\(secret)@a/; }", "auth_basic_user_file \(secret);",
            "location /a { auth_request \"/ask?token=\(secret)\"; proxy_pass http://a; }",
        ] {
            let file = ForeignFile(name: "a", bytes: Array("server { server_name a.example; \(text) \(asks) }".utf8))
            run { () throws(ImportRefusal) in try ForeignConfiguration.nginx(file, oauth2Proxy: [Self.cfg(Self.core)]) }
        }
        let provider = "oidc_provider q { issuer \"https://a/\"; client_id a; client_secret \(secret); }"
        let own = ForeignFile(
            name: "a", bytes: Array("\(provider) server { location / { auth_oidc q; proxy_pass http://a; } }".utf8))
        run { () throws(ImportRefusal) in try ForeignConfiguration.nginx(own, oauth2Proxy: []) }
        for row in DirectiveTable.rows where row.words.hasPrefix("not printed") || row.name == "OIDCCryptoPassphrase" {
            let file = ForeignFile(
                name: "a",
                bytes: Array(
                    "\(row.name) \"\(secret)\"\n<Location />\nAuthType openid-connect\nRequire valid-user\n</Location>"
                        .utf8))
            run { () throws(ImportRefusal) in try ForeignConfiguration.modAuthOpenIDC(file) }
        }
        for line in [
            "RequestHeader set X-Token \"\(secret)\"", "ProxyPass /a http://u:\(secret)@a/",
            "Redirect /b https://u:\(secret)@a/",
        ] {
            let file = ForeignFile(name: "a", bytes: Array("\(line)\nOIDCClientID a\n".utf8))
            run { () throws(ImportRefusal) in try ForeignConfiguration.modAuthOpenIDC(file) }
        }
        #expect(outputs.count > 100)
        for output in outputs { #expect(!output.contains(secret), "\(output)") }
    }

    @Test(.refuses("ECO-84"), arguments: ["a.cfg", "a.yaml", "a.nginx", "a.apache"])
    func `with a byte of zero is not read`(name: String) {
        let file = ForeignFile(name: name, bytes: Array("client_id = \"a\"\nscope = \"b\u{0}\"".utf8))
        #expect {
            switch name.split(separator: ".").last {
            case "nginx": _ = try ForeignConfiguration.nginx(file, oauth2Proxy: [])
            case "apache": _ = try ForeignConfiguration.modAuthOpenIDC(file)
            default: _ = try ForeignConfiguration.oauth2Proxy([file], flags: [])
            }
        } throws: { error in
            (error as? ImportRefusal)?.text.hasPrefix("\(name):2:11: expected a text, found a byte of zero") == true
        }
    }

    private static let most = 1 << 20

    /// A quarter of a mebibyte of the same, with something before and behind it.
    private static func filled(_ before: String, _ middle: String, _ after: String) -> [UInt8] {
        let count = (most / 4 - before.utf8.count - after.utf8.count) / middle.utf8.count
        return Array(before.utf8) + Array(String(repeating: middle, count: count).utf8) + Array(after.utf8)
    }

    @Test(
        .refuses("ECO-84"), .timeLimit(.minutes(5)),
        arguments: [
            ("a.nginx", ["", "{", ""]), ("a.nginx", ["", "a{", ""]), ("a.nginx", ["", "\"", ""]),
            ("a.nginx", ["server { ", "location / { auth_request /a; } ", "}"]),
            ("a.nginx", ["server { ", "a ", "; }"]), ("a.nginx", ["server { auth_request /", "a", "; }"]),
            ("a.nginx", ["server { location /x {", "auth_request /a;", "} }"]),
            ("a.apache", ["", "<A>\n", ""]), ("a.apache", ["", "A\\\n", ""]), ("a.apache", ["A \"", "b", ""]),
            ("a.apache", ["", "ProxyPass /a http://a\n", ""]), ("a.apache", ["", "Require claim a:b\n", ""]),
            ("a.cfg", ["upstreams = [", "\"http://a\",", "]"]),
            ("a.cfg", ["allowed_groups = \"", "a,", "\""]),
            ("a.cfg", ["", "a", ""]), ("a.cfg", ["", "client_id = \"a\"\n", ""]), ("a.cfg", ["", "=\n", ""]),
            ("a.yaml", ["", "[", ""]), ("a.yaml", ["", "{a: ", ""]), ("a.yaml", ["", "- ", ""]),
            ("a.yaml", ["providers:\n", "- { a: b }\n", ""]),
            ("a.yaml", ["upstreamConfig:\n  upstreams:\n", "  - { path: /a, uri: http://a, b: c }\n", ""]),
        ] as [(String, [String])])
    func `of one thing alone takes bounded work, and becomes no more than a configuration may be`(
        name: String, parts: [String]
    ) {
        let file = ForeignFile(name: name, bytes: Self.filled(parts[0], parts[1], parts[2]))
        let made: String
        do throws(ImportRefusal) {
            switch name.split(separator: ".").last {
            case "nginx": made = try ForeignConfiguration.nginx(file, oauth2Proxy: [])
            case "apache": made = try ForeignConfiguration.modAuthOpenIDC(file)
            default: made = try ForeignConfiguration.oauth2Proxy([file], flags: [])
            }
        } catch {
            #expect(error.text.utf8.count < 100_000)
            return
        }
        #expect(made.utf8.count <= Self.most)
    }

    @Test(.refuses("ECO-84"), .timeLimit(.minutes(5)), arguments: [100, 1100])
    func `of very many locations loads, or is refused`(count: Int) throws {
        let locations = (0..<count).map { "location /p\($0)/ { auth_request /a; proxy_pass http://a; }" }
        let file = ForeignFile(
            name: "a", bytes: Array("server { server_name a.example; \(locations.joined(separator: "\n")) }".utf8))
        do throws(ImportRefusal) {
            let made = try ForeignConfiguration.nginx(file, oauth2Proxy: [Self.cfg(Self.core)])
            #expect(made.utf8.count <= Self.most)
            hold("\(count) locations") { made }
        } catch {
            #expect(error.text.contains("expected what fits into a configuration of 1 MiB"))
        }
    }
}
