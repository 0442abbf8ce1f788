import Access
import Configuration
import Gateway
import Import
import TestTraits
import Testing

@Suite struct `a configuration of oauth2-proxy for GitHub` {
    private func made(_ more: String) throws -> String {
        let text = "provider = \"github\"\nclient_id = \"Iv1.a\"\nupstreams = \"http://a/\"\n\(more)\n"
        return try ForeignConfiguration.oauth2Proxy([ForeignFile(name: "a.cfg", bytes: Array(text.utf8))], flags: [])
    }

    @Test(
        .holds("ECO-83"),
        arguments: [
            "email_domains = \"example.com\"", "email_domains = \"*\"\nacr_values = \"a b\"",
            "email_domains = \"*\"\npass_authorization_header = true",
            "email_domains = \"*\"\noidc_enabled_signing_algs = [\"ES256\"]\noidc_extra_audiences = [\"b\"]",
            "email_domains = \"*\"\nscope = \"openid user:email read:org\"\nprompt = \"select_account\"",
            "email_domains = \"*\"\nlogin_url = \"https://github.com/login/oauth/authorize\"\ncookie_refresh = \"1h\"",
        ]) func `signs people in as there, by the endpoints that GitHub documents`(more: String) throws
    {
        let made = try made(more)
        let settings = try Checked.load(made).settings
        #expect(made.contains("token: https://github.com/login/oauth/access_token"))
        #expect(made.contains("subject: id") && made.contains("emails_url:") && made.contains("\"user:email\""))
        #expect(!made.contains("openid"))
        #expect(settings.routes.allSatisfy { $0.access.login != nil })
    }

    @Test(.refuses("ECO-83")) func `lets nobody pass by an organization, a team, a group, or at a server of one's own`()
        throws
    {
        for more in [
            "github_org = \"a\"", "github_team = \"a\"", "github_repo = \"a/b\"", "github_users = \"a\"",
            "allowed_groups = \"a\"",
        ] {
            let login = try Checked.load(try made("email_domains = \"*\"\n" + more)).settings.routes.first?.access.login
            #expect(login?.rights.claims.contains { $0.claim == ["import_undecided"] } == true, "\(more)")
        }
        let own = try made("email_domains = \"*\"\nlogin_url = \"https://github.example.com/login/oauth/authorize\"")
        #expect(own.contains("issuer-not-named.invalid") && !own.contains("identity_from"))
        let lookalike = try made("email_domains = \"*\"\nredeem_url = \"https://github.com.example/login\"")
        #expect(lookalike.contains("issuer-not-named.invalid"))
    }
}
