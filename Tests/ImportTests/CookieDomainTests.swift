import Import
import TestTraits
import Testing

@Suite struct `the domain of a session that is imported` {
    private func oauth2Proxy(_ text: String, url: String = "https://wiki.fernhill.example/oauth2/callback") throws
        -> String
    {
        let own = """
            provider = "oidc"
            oidc_issuer_url = "https://id.example.com/"
            client_id = "shop"
            email_domains = "*"
            upstreams = "http://127.0.0.1:3000/"
            redirect_url = "\(url)"

            """
        let file = ForeignFile(name: "a.cfg", bytes: Array((own + text).utf8))
        let made = try ForeignConfiguration.oauth2Proxy([file], flags: [])
        _ = try Checked.load(made)
        return made
    }

    private func modAuthOpenIDC(_ text: String) throws -> String {
        let own = """
            <VirtualHost *:443>
            ServerName wiki.fernhill.example
            SSLEngine on
            OIDCProviderMetadataURL https://id.example.com/.well-known/openid-configuration
            OIDCClientID shop
            OIDCRedirectURI https://wiki.fernhill.example/redirect
            \(text)
            <Location />
            AuthType openid-connect
            Require valid-user
            ProxyPass http://127.0.0.1:3000/
            </Location>
            </VirtualHost>
            """
        let made = try ForeignConfiguration.modAuthOpenIDC(ForeignFile(name: "a.apache", bytes: Array(own.utf8)))
        _ = try Checked.load(made)
        return made
    }

    @Test(
        .holds("ECO-83"),
        arguments: [
            "cookie_domains = \".Fernhill.example\"", "cookie_domain = \"fernhill.example\"",
            "cookie_domains = [ \"example.org\", \"example\", \".fernhill.example\" ]",
        ])
    func `is the longest that the host is under, and what it costs is said`(text: String) throws {
        let made = try oauth2Proxy(text)
        #expect(made.contains("\n      domain: fernhill.example\n"), "\(made)")
        #expect(made.contains("# - cookies are new, begin with __Secure-"))
        #expect(made.contains("# - write the other hosts under fernhill.example into hosts"))
        #expect(try modAuthOpenIDC("OIDCCookieDomain fernhill.example").contains("\n      domain: fernhill.example\n"))
        let nested = try oauth2Proxy(
            "cookie_domains = [ \"fernhill.example\", \"lab.fernhill.example\" ]",
            url: "https://wiki.lab.fernhill.example/oauth2/callback")
        #expect(nested.contains("domain: lab.fernhill.example\n"))
    }

    @Test(
        .refuses("ECO-83"),
        arguments: [
            ("cookie_domains = \"wiki.fernhill.example\"", "alone gets the session's cookie"),
            ("cookie_domains = \"hill.example\"", "no domain that public_url is under"),
            ("cookie_domains = \"example\"", "no domain that public_url is under"),
            ("cookie_domains = \"a\\nb\"", "no domain that public_url is under"),
        ])
    func `is none where it is not that of the host, or nothing but the host`(text: String, words: String) throws {
        let made = try oauth2Proxy(text)
        #expect(!made.contains(" domain: ") && made.contains(words), "\(made)")
        #expect(made.contains("# - cookies are new, begin with __Host-"))
        #expect(try !modAuthOpenIDC("OIDCCookieDomain example.org").contains(" domain: "))
        #expect(try !oauth2Proxy("cookie_domains = \"example.com\"", url: "/oauth2/callback").contains(" domain: "))
    }
}
