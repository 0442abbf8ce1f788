import Access
import Configuration
import Gateway
import Import
import TestTraits
import Testing

/// What small configurations become, of which each has something that ours cannot say.
@Suite struct `a rule that ours cannot say` {
    /// The paths that everybody has, and the claims that the others ask for.
    private func rules(_ text: String, _ name: String) throws -> (open: Set<String>, undecided: [String: Set<String>]) {
        let file = ForeignFile(name: name, bytes: Array(text.utf8))
        let made: String
        switch name {
        case "nginx": made = try ForeignConfiguration.nginx(file, oauth2Proxy: [Self.everybody])
        case "apache": made = try ForeignConfiguration.modAuthOpenIDC(file)
        default: made = try ForeignConfiguration.oauth2Proxy([Self.everybody, file], flags: [])
        }
        let routes = try Checked.load(made).settings.routes
        var undecided: [String: Set<String>] = [:]
        for route in routes {
            let claims = route.access.login?.rights.claims.filter { $0.claim == ["import_undecided"] } ?? []
            if !claims.isEmpty { undecided[route.path] = Set(claims.flatMap(\.anyOf)) }
        }
        return (Set(routes.filter { $0.access.login == nil }.map(\.path)), undecided)
    }

    /// An oauth2-proxy that lets everybody with an account pass.
    private static let everybody = ForeignFile(
        name: "core.cfg",
        bytes: Array(
            """
            provider = "oidc"
            oidc_issuer_url = "https://id.example.com/"
            client_id = "shop"
            email_domains = "*"
            """.utf8))

    private static let asks = "auth_request /ask; proxy_pass http://a;"
    private static let free = "proxy_pass http://a;"

    @Test(
        .refuses("ECO-83"),
        arguments: [
            // As it is: nothing in the way.
            ("location / { \(asks) } location /p/ { \(free) }", ["/p/"], [:]),
            ("location / { \(asks) } location = /p { \(free) }", ["/p"], [:]),
            // Protected names that begin like a public route's.
            ("location / { \(free) } location /adm { \(asks) }", [], [:]),
            ("location / { \(free) } location /adm/ { \(asks) }", ["/", "/adm"], [:]),
            // Protected expressions.
            ("location / { \(asks) } location /p/ { \(free) } location ~ x { \(asks) }", [], [:]),
            (
                "location /p/ { \(free) } location ~ x { auth_request /ask?allowed_groups=g; proxy_pass http://a; }",
                [],
                ["/p/": ["location x"]]
            ),
            ("location / { \(asks) } location ~ \\.ht { deny all; }", [], ["/": ["location \\.ht"]]),
            ("location / { \(asks) } location ~ \\.ht { return 404; }", [], ["/": ["location \\.ht"]]),
            // What nginx does itself, or restricts by other means.
            ("location / { \(asks) } location = /x { return 403; }", ["/x"], [:]),
            ("location = /x { return 403; } location /x { \(asks) } location / { \(asks) }", ["/x"], [:]),
            ("location / { \(asks) } location = /x { return 200 $arg_a; }", [], ["/x": ["return"]]),
            ("location / { \(asks) } location = /x { return 444; }", [], ["/x": ["return"]]),
            ("location / { \(asks) } location = /x { deny all; return 200 a; }", [], ["/x": ["deny"]]),
            ("location / { \(asks) } location = /x { include more.conf; return 200 a; }", [], ["/x": ["return"]]),
            ("location / { \(asks) } location /x/ { return 301 /x/y/; }", [], ["/x/": ["return"]]),
            ("rewrite ^/x/(.*)$ /y/$1 permanent; location / { \(asks) }", ["/x/"], [:]),
            ("rewrite ^/x(.*)$ /y/$1 permanent; location / { \(asks) }", [], [:]),
            ("rewrite ^/x/(.*)$ /y/$1 permanent; location /x/ { \(asks) }", [], [:]),
            ("location / { \(asks) } location = / { return 302 /x; }", [], [:]),
            ("location / { \(asks) } location /p/ { auth_basic b; \(free) }", [], ["/p/": ["auth_basic"]]),
            ("location / { \(asks) } location /p/ { if ($arg_a) { return 403; } \(free) }", [], ["/p/": ["if"]]),
            ("location / { \(asks) } location /p/ { internal; \(free) }", [], ["/p/": ["internal"]]),
            ("location / { \(asks) } location /p/ { include more.conf; \(free) }", [], [:]),
            ("location / { \(asks) } location /p/ { proxy_pass http://a/other/; }", ["/p/"], [:]),
            ("location / { \(asks) } location /p/ { proxy_pass http://a/other; }", [], ["/p/": ["proxy_pass"]]),
            ("location / { \(asks) } location /p/ { proxy_pass http://a/$1; }", [], ["/p/": ["proxy_pass"]]),
            ("satisfy any; allow 10.0.0.0/8; deny 10.1.0.0/16; location / { \(asks) }", [], ["/": ["deny"]]),
            ("satisfy any; allow 10.0.0.0/8; location / { \(asks) }", [], ["/": ["allow"]]),
            ("satisfy any; allow 10.0.0.0/8; deny all; location / { \(asks) }", [], [:]),
            (
                "location / { \(asks) } location = /p/ { auth_request /ask; proxy_pass http://a; }", [],
                ["/p/": ["location = /p/"]]
            ),
            ("rewrite ^/p /q last; location / { \(asks) } location /p/ { \(free) }", [], [:]),
            ("deny 10.0.0.1; location / { \(asks) }", [], ["/": ["deny"]]),
            (
                "location / { auth_request /ask?allowed_email_domains=.a.example; proxy_pass http://a; }", [],
                ["/": ["allowed_email_domains"]]
            ),
            (
                "location / { auth_request /ask?allowed_groups=a+b; proxy_pass http://a; }", [],
                ["/": ["allowed_groups"]]
            ),
        ] as [(String, Set<String>, [String: Set<String>])])
    func `protects or refuses in nginx`(text: String, open: Set<String>, undecided: [String: Set<String>]) throws {
        let found = try rules(
            "server { server_name a.example; \(text) location = /ask { proxy_pass http://o; } }", "nginx")
        #expect(found.open == open)
        #expect(found.undecided == undecided)
    }

    @Test(
        .refuses("ECO-83"),
        arguments: [
            // No network is anybody's where nobody says from whom a header may come.
            ("listen 443 ssl proxy_protocol;", [], [], false),
            ("listen 443 ssl proxy_protocol; set_real_ip_from 10.0.0.1;", [], [], false),
            (
                "listen 443 ssl proxy_protocol; set_real_ip_from 10.0.0.1; real_ip_header X-Forwarded-For;", [], [],
                false
            ),
            (
                "listen 443 ssl proxy_protocol; set_real_ip_from 10.0.0.1; real_ip_header proxy_protocol;",
                ["10.0.0.1/32"], [], true
            ),
            ("listen 443 ssl; set_real_ip_from 10.0.0.1; real_ip_header proxy_protocol;", [], ["10.0.0.1/32"], false),
            (
                "listen 443 ssl; set_real_ip_from 10.0.0.1; real_ip_header X-Forwarded-For;", [], ["10.0.0.1/32"],
                true
            ),
            ("listen 443 ssl;", [], [], true),
        ] as [(String, [String], [String], Bool)])
    func `believes the proxies that nginx believes, by what they write`(
        listen: String, headers: [String], fields: [String], isNetwork: Bool
    ) throws {
        let location = "location / { satisfy any; allow 192.0.2.0/24; deny all; \(Self.asks) }"
        let text =
            "server { \(listen) server_name a.example; ssl_certificate a.crt; ssl_certificate_key a.key; \(location) }"
        let made = try ForeignConfiguration.nginx(
            ForeignFile(name: "nginx", bytes: Array(text.utf8)), oauth2Proxy: [Self.everybody])
        let settings = try Checked.load(made).settings
        #expect(settings.listeners[0].proxyProtocolFrom == headers)
        #expect(settings.listeners[0].trustedProxies == fields)
        #expect(
            settings.routes[0].access.login?.networks == (isNetwork ? [AddressRange([192, 0, 2, 0], length: 24)] : []))
    }

    @Test(.holds("ECO-83")) func `names proxies that Apache believes, for whoever has to say so`() throws {
        let text = """
            ServerName a.example
            RemoteIPProxyProtocol On
            <Location />
            RemoteIPHeader X-Forwarded-For
            \(Self.login)
            </Location>
            """
        let made = try ForeignConfiguration.modAuthOpenIDC(ForeignFile(name: "apache", bytes: Array(text.utf8)))
        #expect(made.contains("RemoteIPProxyProtocol") && made.contains("RemoteIPHeader"))
        #expect(made.split(separator: "\n").filter { $0.contains("proxy_protocol where they") }.count == 2, "\(made)")
    }

    private static let login = "AuthType openid-connect\nRequire valid-user"

    @Test(
        .refuses("ECO-83"),
        arguments: [
            ("<Location /a/>\n\(login)\n</Location>", ["/", "/a"], [:]),
            ("<LocationMatch \"^/a\">\n\(login)\n</LocationMatch>", [], [:]),
            (
                "<LocationMatch \"^/a\">\nAuthType openid-connect\nRequire claim a:b\n</LocationMatch>", [],
                ["/": ["LocationMatch"]]
            ),
            ("<If \"true\">\n\(login)\n</If>", [], [:]),
            // The later section counts, also where its path is shorter.
            ("<Location /p>\nRequire all granted\n</Location>\n<Location />\n\(login)\n</Location>", [], [:]),
            (
                "<Location />\n\(login)\n</Location>\n<Location /p>\nRequire all granted\n</Location>", ["/p", "/p/"],
                [:]
            ),
            ("<Location />\n\(login)\nRequire not ip 10.0.0.1\n</Location>", [], ["/": ["Require"]]),
            ("<Location />\nAuthType basic\nRequire valid-user\n</Location>", [], ["/": ["AuthType basic"]]),
            ("<Location />\n\(login)\n<Limit POST>\nRequire claim a:b\n</Limit>\n</Location>", [], ["/": ["Require"]]),
            ("Include more.conf\n<Location /a/>\n\(login)\n</Location>", [], [:]),
            ("OIDCMetadataDir /var/oidc\n<Location />\n\(login)\n</Location>", [], ["/": ["OIDCMetadataDir"]]),
            ("OIDCNewWord on\n<Location />\n\(login)\n</Location>", [], ["/": ["OIDCNewWord"]]),
            (
                "RewriteEngine On\nRewriteRule ^/w/(.*)$ /v/$1 [R=301]\n<Location />\n\(login)\n</Location>", ["/w/"],
                [:]
            ),
            ("RewriteCond a b\nRewriteRule ^/w/(.*)$ /v/$1 [R=301]\n<Location />\n\(login)\n</Location>", [], [:]),
            ("Redirect /w https://b.example/\n<Location />\n\(login)\n</Location>", [], [:]),
            (
                "ProxyPass /w !\nRedirect /w https://b.example/\n<Location />\n\(login)\n</Location>", ["/w", "/w/"],
                [:]
            ),
            ("ProxyPass /s/ http://b/t\n<Location />\n\(login)\n</Location>", [], [:]),
            ("RewriteRule ^/x - [F]\n<Location />\n\(login)\n</Location>", [], ["/": ["RewriteRule"]]),
            ("ProxyPass /s !\n<Location />\n\(login)\n</Location>", [], ["/s": ["ProxyPass"], "/s/": ["ProxyPass"]]),
        ] as [(String, Set<String>, [String: Set<String>])])
    func `protects or refuses in Apache`(text: String, open: Set<String>, undecided: [String: Set<String>]) throws {
        let head = "ServerName a.example\nOIDCClientID shop\nOIDCProviderIssuer https://id.example.com/\n"
        let found = try rules(head + text + "\nProxyPass / http://a/\n", "apache")
        #expect(found.open == open)
        #expect(found.undecided == undecided)
    }

    @Test(
        .refuses("ECO-83"),
        arguments: [
            ("email_domains = \"*\"", [:]), ("email_domains = \"a.example\"", [:]),
            ("email_domains = []", ["/": ["email-domain"]]),
            ("email_domains = \".a.example\"", ["/": ["email-domain"]]),
            ("email_domains = [\"a.example\"]\nauthenticated_emails_file = \"a.mails\"", [:]),
            (
                "email_domains = [\"a.example\"]\nauthenticated_emails_file = \"a.mails\"\noidc_email_claim = \"upn\"",
                ["/": ["email-domain", "authenticated-emails-file"]]
            ),
            ("github_users = \"a,b\"", ["/": ["github-user"]]), ("google_groups = \"a\"", ["/": ["google-group"]]),
            ("provider = \"google\"\nallowed_groups = \"a\"", ["/": ["allowed-group"]]),
            ("allowed_roles = [\"a.b:c\"]", ["/": ["allowed-role"]]),
            ("allowed_roles = [\"a:c\", \"a:d\"]", [:]), ("allowed_roles = [\":c\"]", ["/": ["allowed-role"]]),
        ] as [(String, [String: Set<String>])])
    func `refuses in oauth2-proxy`(text: String, undecided: [String: Set<String>]) throws {
        let found = try rules(text + "\nupstreams = \"http://a/\"\n", "more.cfg")
        #expect(found.undecided == undecided)
        #expect(found.open == [])
    }
}
