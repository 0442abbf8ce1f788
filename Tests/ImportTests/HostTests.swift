import Access
import Configuration
import Gateway
import Import
import Login
import TestTraits
import Testing

/// What becomes of several servers of nginx, and of several virtual hosts of Apache, at one socket.
@Suite struct `hosts that an import finds` {
    /// An oauth2-proxy that lets everybody with an account pass.
    private static func proxy(_ more: String = "") -> ForeignFile {
        let text = """
            provider = "oidc"
            oidc_issuer_url = "https://id.example.com/"
            client_id = "shop"
            email_domains = "*"
            \(more)
            """
        return ForeignFile(name: "core.cfg", bytes: Array(text.utf8))
    }

    private static let asks = "location / { auth_request /ask; proxy_pass http://a; }"
    private static let ask = "location = /ask { proxy_pass http://127.0.0.1:4180; }"
    private static let free = "location / { proxy_pass http://a; }"

    private func nginx(_ servers: [String], _ more: String = "") throws -> (text: String, settings: GatewaySettings) {
        let text = servers.map { "server { \($0) }" }.joined(separator: "\n")
        let made = try ForeignConfiguration.nginx(
            ForeignFile(name: "a.nginx", bytes: Array(text.utf8)), oauth2Proxy: [Self.proxy(more)])
        return (made, try Checked.load(made).settings)
    }

    /// The clients of the routes with a login, in their order.
    private func clients(_ settings: GatewaySettings) -> [String] {
        settings.routes.compactMap { $0.access.login.map { settings.logins[$0.login].name } }
    }

    /// Of each host and path: `-` for a public route, else what nobody has decided.
    private func rules(_ settings: GatewaySettings) -> [String: String] {
        var found: [String: String] = [:]
        for route in settings.routes {
            let host = route.host.map { settings.hosts[$0].name } ?? "first"
            let claims = route.access.login?.rights.claims.filter { $0.claim == ["import_undecided"] }
            found[host + route.path] = claims.map { $0.flatMap(\.anyOf).joined(separator: ",") } ?? "-"
        }
        return found
    }

    @Test(.holds("ECO-83")) func `are one listener's, each with its routes and a login of its own`() throws {
        let made = try nginx([
            "server_name a.example; \(Self.ask) \(Self.asks)", "server_name b.example; \(Self.ask) \(Self.asks)",
            "server_name c.example; \(Self.free)",
        ])
        #expect(rules(made.settings) == ["first/": "", "b.example/": "", "c.example/": "-"])
        #expect(made.settings.listeners.count == 1)
        #expect(clients(made.settings) == ["web", "web2"])
        #expect(made.text.contains("# - register https://b.example/.portcullis/callback/web2 as redirect URI"))
        #expect(!made.text.contains("web3"))
    }

    @Test(.holds("ECO-83")) func `that shared a cookie are one sign-in`() throws {
        let servers = ["a.example", "b.example"].map { "server_name x\($0); \(Self.ask) \(Self.asks)" }
        let apart = try nginx(servers, "cookie_domains = [ \"a.example\" ]")
        #expect(clients(apart.settings) == ["web", "web2"])
        let names = ["one", "two"].map { "server_name \($0).shop.example; \(Self.ask) \(Self.asks)" }
        let together = try nginx(names, "cookie_domains = [ \".shop.example\" ]")
        #expect(clients(together.settings) == ["web", "web"])
    }

    @Test(
        .refuses("ECO-83"),
        arguments: [
            // Another oauth2-proxy, which may let fewer pass.
            ("server_name b.example; location = /ask { proxy_pass http://127.0.0.1:4190; } \(asks)", "auth_request"),
            // Certificates of clients that the listener does not ask for.
            (
                "server_name b.example; \(ask) \(asks) ssl_certificate b.crt; ssl_certificate_key b.key; "
                    + "ssl_verify_client on; ssl_client_certificate c.crt;", "ssl_verify_client"
            ),
            ("server_name b.example; \(ask) \(asks) deny all;", "deny"),
            ("server_name b.example; \(free) return 403;", "return"),
        ])
    func `let nobody pass by what restricted access and has no key`(server: String, name: String) throws {
        let isSecure = server.contains("ssl_")
        let tls = isSecure ? "ssl_certificate a.crt; ssl_certificate_key a.key;" : ""
        let made = try nginx(["server_name a.example; \(tls) \(Self.ask) \(Self.asks)", server])
        #expect(rules(made.settings)["b.example/"] == name, "\(made.text)")
        #expect(rules(made.settings)["first/"] == "")
    }

    @Test(
        .refuses("ECO-83"),
        arguments: [
            "listen 8081; server_name b.example;", "server_name *.example;", "server_name _;", "",
            "server_name a.example;", "server_name A.example;", "listen 80 ssl; server_name b.example;",
            "listen 10.0.0.1:80; server_name b.example;",
        ])
    func `are left out and said without a name of their own at the same socket`(head: String) throws {
        let made = try nginx(["server_name a.example; \(Self.ask) \(Self.asks)", "\(head) \(Self.free)"])
        #expect(rules(made.settings) == ["first/": ""], "\(made.text)")
        #expect(made.text.contains("# a.nginx:2:1: server"), "\(made.text)")
    }

    @Test(.refuses("ECO-83")) func `have no networks where the listener knows addresses otherwise`() throws {
        let visitors = "satisfy any; allow 10.1.0.0/16; deny all; real_ip_header X-Forwarded-For;"
        let servers = ["set_real_ip_from 10.0.0.1;", "set_real_ip_from 10.0.0.2;"].enumerated().map { number, from in
            "server_name h\(number).example; \(visitors) \(from) \(Self.ask) \(Self.asks)"
        }
        let made = try nginx(servers)
        #expect(made.settings.routes.map { $0.access.login?.networks.count } == [1, 0], "\(made.text)")
    }

    @Test(.holds("ECO-83")) func `have a certificate each`() throws {
        let servers = ["a", "b"].map { name in
            "listen 443 ssl; server_name \(name).example; ssl_certificate \(name).crt; ssl_certificate_key \(name).key; "
                + "\(Self.ask) \(Self.asks)"
        }
        let made = try nginx(servers)
        #expect(
            made.text.contains(
                "tls: { certificates: [{ certificate: a.crt, key: a.key }, { certificate: b.crt, key: b.key }] }"))
    }
}
