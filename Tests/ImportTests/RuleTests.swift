import Configuration
import Gateway
import TestTraits
import Testing

@testable import Import

@Suite struct `rules of claims` {
    @Test(.refuses("ECO-83")) func `that must both hold let through what both did, or nobody`() {
        var rules = ClaimRules()
        rules.require("groups", ["a", "b"], from: "one")
        rules.require("groups", ["b", "c"], from: "two")
        #expect(rules.text == "claims: { groups: [b] }")
        rules.require("groups", ["d"], from: "three")
        #expect(rules.text == "claims: { groups: { all: [b, d] } }")
        rules.require("groups", ["e", "f"], from: "four")
        #expect(rules.text == "claims: { groups: { all: [b, d] }, import_undecided: [four] }")
        rules.require("email", [], from: "five")
        #expect(rules.undecided == ["four", "five"])
        rules.require("a..b", ["c"], from: "six")
        #expect(rules.undecided == ["four", "five", "six"])
    }

    @Test(.refuses("ECO-83")) func `of which one is enough stay so, and two of them are none`() {
        var rules = ClaimRules()
        let groups = ClaimRule(claim: "groups", values: ["a"])
        rules.require(
            oneOf: [groups, ClaimRule(claim: "roles", values: ["b"]), ClaimRule(claim: "groups", values: ["c"])],
            from: "one")
        #expect(rules.text == "any_claims: { groups: [a, c], roles: [b] }")
        rules.require(oneOf: [groups, ClaimRule(claim: "tid", values: ["d"])], from: "two")
        #expect(rules.text == "claims: { import_undecided: [two] }, any_claims: { groups: [a, c], roles: [b] }")
        rules.require(oneOf: [], from: "three")
        #expect(rules.undecided == ["two", "three"])
    }

    @Test(.refuses("ECO-83")) func `of addresses let through what both did, or nobody`() {
        var rules = ClaimRules()
        rules.require(EmailRule(domains: ["a.example", "b.example"]), from: "one")
        rules.require(EmailRule(domains: ["b.example"]), from: "two")
        #expect(rules.text == "email: { domain: [b.example] }")
        rules.require(EmailRule(domains: ["b.example"], takesSubdomains: true), from: "three")
        #expect(rules.undecided == ["three"])
        rules.require(EmailRule(), from: "four")
        #expect(rules.undecided == ["three", "four"])
    }

    @Test(
        .refuses("ECO-83"),
        arguments: [
            (["A.example", "b.example"], "{ domain: [a.example, b.example] }", []),
            (["a.example", ".a.example"], "{ domain: [a.example], subdomains: true }", []),
            (["*.a.example", "a.example"], "{ domain: [a.example], subdomains: true }", []),
            // Ours would have a.example itself too, or what is below the other.
            ([".a.example"], "{  }", [".a.example"]),
            (["a.example", "b.example", ".a.example"], "{ domain: [a.example, b.example] }", [".a.example"]),
            (["a@b", "a.example", "-", "a b"], "{ domain: [a.example] }", ["a@b", "-", "a b"]),
        ])
    func `of domains have none that the source had not`(domains: [String], text: String, left: [String]) {
        let found = EmailRule.of(domains)
        #expect(found.rule.text == text)
        #expect(found.left == left)
    }

    @Test(.holds("ECO-83")) func `have as many values as a claim takes, and name the others`() throws {
        let names = (1...100).map { "group-\($0)" }
        let file = ForeignFile(
            name: "a.cfg",
            bytes: Array(
                """
                provider = "oidc"
                oidc_issuer_url = "https://id.example.com/"
                client_id = "shop"
                email_domains = [ \((1...70).map { "\"d\($0).example\"" }.joined(separator: ", ")) ]
                allowed_groups = "\(names.joined(separator: ","))"
                upstreams = "http://127.0.0.1:3000/"
                """.utf8))
        let made = try ForeignConfiguration.oauth2Proxy([file], flags: [])
        #expect(try Checked.load(made).settings.routes.count == 1)
        #expect(made.contains("groups: [group-1, group-2, "))
        #expect(made.contains(", group-64] }"))
        #expect(made.contains("# groups: 36 left out, who pass no longer: "))
        #expect(made.contains("#   group-65, group-66, ") && made.contains(", group-100\n"))
        #expect(made.contains("# email-domain: 6 left out, who pass no longer: "))
        #expect(made.contains("#   d65.example, d66.example, "))
    }

    @Test func `are those of Apache's lines, of which one is enough, or all`() throws {
        func outcome(_ text: String) throws -> ApacheRequirement.Outcome {
            ApacheRequirement.any(try ApacheReader.directives(ForeignFile(name: "a", bytes: Array(text.utf8))))
        }
        func all(_ text: String) -> String { "<RequireAll>\n\(text)\n</RequireAll>" }
        #expect(try outcome("Require claim a:1\nRequire claim a:2").rules.text == "claims: { a: [\"1\", \"2\"] }")
        #expect(try outcome("Require claim a:x\nRequire claim b:z").rules.text == "any_claims: { a: [x], b: [z] }")
        #expect(try outcome("Require valid-user\nRequire claim a:x").rules.isEmpty)
        #expect(try outcome("Require all granted").isEverybody)
        #expect(try outcome("Require ip 10.0.0.1").rules.undecided == ["Require"])
        #expect(try outcome("Require not claim a:x\nRequire valid-user").rules.undecided == ["Require"])
        #expect(try outcome(all("Require valid-user\nRequire ip 10.0.0.1")).rules.undecided == ["Require"])
        #expect(try outcome(all("Require claim a:x\nRequire claim b:z")).rules.text == "claims: { a: [x], b: [z] }")
        #expect(
            try outcome(all("Require claim a:x\nRequire claim a:z")).rules.text == "claims: { a: { all: [x, z] } }")
        #expect(try outcome("Require claim a~^x$").rules.undecided == ["Require"])
        #expect(try outcome("Require claim http://a:x").rules.undecided == ["Require"])
        let two = all("Require claim a:x\nRequire claim b:y")
        let partial = try outcome("Require claim c:z\n" + two)
        #expect(partial.rules.text == "claims: { c: [z] }" && partial.isPartial)
        #expect(try outcome(two + "\n" + all("Require claim c:x\nRequire claim d:y")).rules.undecided == ["Require"])
        let either = try outcome("Require ip 10.0.0.1\nRequire claim a:x")
        #expect(either.rules.text == "claims: { a: [x] }" && either.networks == ["10.0.0.1"])
        #expect(try outcome(all("Require ip 10.0.0.1\nRequire claim a:x")).networks == [])
    }
}

@Suite struct `networks without a login` {
    @Test(
        .refuses("ECO-83"),
        arguments: [
            (["10.0.0.0/8", "192.0.2.7", "fd00::/8"], [], ["10.0.0.0/8", "192.0.2.7/32", "fd00::/8"], []),
            (["0.0.0.0/0", "10.0.0.1/8", "office", ""], [], [], ["0.0.0.0/0", "10.0.0.1/8", "office", ""]),
            (["10.1.0.0/16", "10.2.0.0/16"], ["10.1.2.0/24"], ["10.2.0.0/16"], ["10.1.0.0/16"]),
            (["10.1.2.3"], ["10.0.0.0/8"], [], ["10.1.2.3"]),
            (["fd00::/8"], ["fd01::/16"], [], ["fd00::/8"]), (["10.0.0.0/8"], ["fd01::/16"], ["10.0.0.0/8"], []),
        ] as [([String], [String], [String], [String])])
    func `have no proxy in them, and are never everybody`(
        given: [String], proxies: [String], networks: [String], left: [String]
    ) {
        let found = ForeignNetworks(given, proxies: proxies)
        #expect(found.networks == networks)
        #expect(found.left == left)
    }

    private func made(_ text: String) throws -> String {
        let own = """
            provider = "oidc"
            oidc_issuer_url = "https://id.example.com/"
            client_id = "shop"
            email_domains = "*"
            redirect_url = "https://shop.example.com/oauth2/callback"
            upstreams = "http://127.0.0.1:3000/"
            trusted_ips = [ "10.2.0.0/16" ]

            """
        let made = try ForeignConfiguration.oauth2Proxy(
            [ForeignFile(name: "a.cfg", bytes: Array((own + text).utf8))], flags: [])
        _ = try Checked.load(made)
        return made
    }

    @Test(.refuses("ECO-83")) func `are those of oauth2-proxy where an address is known without doubt`() throws {
        let networks = "login: { client: web, networks: [\"10.2.0.0/16\"] }"
        #expect(try made("tls_cert_file = \"a.crt\"\ntls_key_file = \"a.key\"").contains(networks))
        let proxy = "reverse_proxy = true\ntrusted_proxy_ips = [ \"10.1.0.1\" ]\n"
        #expect(try made(proxy + "real_client_ip_header = \"X-Forwarded-For\"").contains(networks))
        // Without TLS here, by another field, with nobody's field believed, or with a proxy in that network.
        #expect(try !made("").contains("networks: ["))
        #expect(try !made(proxy).contains("networks: ["))
        #expect(
            try !made("reverse_proxy = true\nreal_client_ip_header = \"X-Forwarded-For\"").contains("networks: ["))
        let near = proxy + "real_client_ip_header = \"X-Forwarded-For\"\ntrusted_proxy_ips = [ \"10.2.0.1\" ]"
        #expect(try !made(near).contains("networks: ["))
        // Whoever comes from there passes whatever is not decided.
        let undecided = "tls_cert_file = \"a.crt\"\ntls_key_file = \"a.key\"\ngithub_users = \"a\""
        #expect(try !made(undecided).contains("networks: ["))
    }
}
