import Access
import Gateway
import Issuers
import Login
import OAuth
import TestTraits
import Testing

@testable import Configuration

@Suite struct `identity from an endpoint` {
    private static let issuer = """
        url: https://github.com/login/oauth, endpoints: { authorization: https://github.com/login/oauth/authorize, \
        token: https://github.com/login/oauth/access_token }
        """

    private static let identity = """
        assume_pkce: true
        identity_from: { url: https://api.github.com/user, subject: id, emails_url: https://api.github.com/user/emails }

        """

    private func settings(
        _ keys: String = "", route: String = "login: shop", issuer: String = issuer, identity: String = identity
    ) throws -> GatewaySettings {
        try ConfigurationTests.settings(of: Sample.login(identity + keys, route: route, issuer: issuer))
    }

    @Test(.holds("OIDC-18", "OIDC-21")) func `is the client's word, at endpoints that are the issuer's`() throws {
        let loaded = try settings()
        let issuer = try #require(loaded.issuers.first), login = try #require(loaded.logins.first)
        #expect(issuer.discovery == .none && issuer.keys == .absent)
        #expect(
            issuer.endpoints
                == IssuerSettings.Endpoints(
                    authorization: "https://github.com/login/oauth/authorize",
                    token: "https://github.com/login/oauth/access_token"))
        #expect(
            login.identityFrom
                == UserEndpointSettings(
                    url: "https://api.github.com/user", subject: "id", emailsURL: "https://api.github.com/user/emails"))
        #expect(login.authorization.scopes == [] && !login.authorization.isOpenID)
        #expect(!login.logout.atServer)
    }

    @Test(.holds("OIDC-21")) func `has scopes that are not openid, a rule for mail, and claims by the server's names`()
        throws
    {
        let loaded = try settings(
            "scopes: [read:user, user:email]\nresponse_mode: form_post\nlogout: { at_server: false, landing: /bye }",
            route: "login: { client: shop, email: { domain: [example.com] } }, identity: { X-Login: login, X-Id: sub }")
        let login = try #require(loaded.logins.first)
        #expect(login.authorization.scopes == ["read:user", "user:email"])
        #expect(login.uses.claimNames == ["email", "email_verified", "login"])
        #expect(login.logout.landing == "/bye")
    }

    @Test(.holds("MD-07", "OIDC-21")) func `is suited by endpoints alone`() throws {
        let loaded = try settings()
        let issuer = try #require(loaded.issuers.first), login = try #require(loaded.logins.first)
        let endpoints = try #require(issuer.endpoints)
        let metadata = try #require(
            ServerMetadata.stated(
                issuer: issuer.url, authorization: endpoints.authorization, token: endpoints.token, revocation: nil))
        let demands = login.demands(of: loaded.clients[0], at: issuer)
        #expect(ServerSuitability.review(of: metadata, for: demands).flatMap(\.problems) == [])
    }

    @Test(
        .refuses("OIDC-21"),
        arguments: [
            "id_token: { algorithm: ES256 }", "userinfo: optional", "acr_values: [a]", "max_age: 8h",
            "response_mode: query.jwt", "silent_first: true", "third_party_start: true",
            "authorization_request: pushed",
            "authorization_request: signed", "logout: { at_server: true }", "logout: { backchannel: true }",
            "logout: { frontchannel: true }", "scopes: [openid]", "profile: fapi2",
            "claims: { userinfo: { name: { essential: true } } }",
            "decryption_keys: [{ key: { file: decryption.key } }]",
        ]) func `does not load beside what needs an ID token`(keys: String)
    {
        let text = Sample.login(Self.identity + keys, issuer: Self.issuer)
        #expect(refusal(of: text).contains("beside identity_from"), "\(keys)")
    }

    @Test(.refuses("OIDC-18"), arguments: ["", "emails_url: https://a.example/emails, ", "subject: id, "])
    func `does not load without its endpoint, or the member that is the subject`(keys: String) {
        let identity = "assume_pkce: true\nidentity_from: { \(keys)more: 1 }"
        #expect(refusal(of: Sample.login(identity, issuer: Self.issuer)).contains("identity_from"))
    }

    @Test(.refuses("OIDC-19")) func `does not load for a rule for mail without the endpoint that verifies it`() {
        let text = Sample.login(
            "assume_pkce: true\nidentity_from: { url: https://api.github.com/user, subject: id }",
            route: "login: { client: shop, email: { domain: [example.com] } }", issuer: Self.issuer)
        #expect(refusal(of: text).contains("emails_url"))
    }
}
