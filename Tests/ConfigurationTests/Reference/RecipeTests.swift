import Access
import Crypto
import Gateway
import HTTPMessage
import Issuers
import JOSE
import JSON
import Login
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

@Suite struct `the recipe for a server` {
    private static let now: Int64 = 1_800_000_000

    private func text(_ vendor: Vendor) throws -> String { try ProjectFile.text("config/examples/\(vendor.name).yaml") }

    private func loaded(_ vendor: Vendor) throws -> GatewaySettings {
        try settings(of: try text(vendor), from: .everyFileIsThere)
    }

    private func problems(_ vendor: Vendor, _ text: String) throws -> [String] {
        let settings = try settings(of: text, from: .everyFileIsThere)
        let login = try #require(settings.logins.first), client = settings.clients[login.client]
        let issuer = settings.issuers[client.issuer]
        let body = "{\"issuer\":\"\(vendor.issuer)\",\(vendor.metadata)}"
        let metadata = try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(body.utf8)),
            issuer: IssuerIdentifier(issuer.url))
        return ServerSuitability.review(of: metadata, for: login.demands(of: client, at: issuer)).flatMap(\.problems)
            .map(\.check)
    }

    @Test(.holds("MD-07"), .refuses("MD-07"), arguments: Vendor.all) func `logs in at what the vendor's metadata says`(
        vendor: Vendor
    )
        throws
    {
        let text = try text(vendor)
        #expect(try problems(vendor, text) == [])
        guard let relaxation = vendor.relaxation else { return }
        let strict = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix(relaxation) }.joined(separator: "\n")
        #expect(strict != text)
        #expect(try problems(vendor, strict) == ["CF-05"])
    }

    /// Those whose access tokens are verified here, with the issuer's rules and what the API's route asks for.
    private func verifying(_ vendor: Vendor) throws -> (rules: AccessTokenRules, policy: TokenSettings)? {
        guard let accessToken = vendor.accessToken, accessToken.introspection == nil else { return nil }
        let settings = try loaded(vendor)
        let policies = settings.routes.compactMap { route -> TokenSettings? in
            guard case .token(let policy) = route.access else { return nil }
            return policy
        }
        return (try #require(settings.issuers.first).rules, try #require(policies.first))
    }

    private func verify(_ token: String, _ rules: AccessTokenRules) throws -> VerifiedAccessToken {
        let bytes = Array(token.utf8), set = Array(SigningKey.keySet([Vendor.key]).utf8)
        return try UncheckedAccessToken(bytes.span, maximumBytes: rules.maximumTokenBytes)
            .verify(with: VerificationKeys(try KeySet.parse(set.span)), rules: rules, now: Self.now)
    }

    @Test(.holds("RS-11", "RS-16", "RS-19"), .refuses("RS-11", "RS-16", "RS-19"), arguments: Vendor.all)
    func `takes the vendor's access tokens, for which every default that it relaxes is too strict`(
        vendor: Vendor
    ) throws {
        guard let (rules, policy) = try verifying(vendor) else { return }
        let token = vendor.accessToken(issuer: vendor.issuer, now: Self.now)
        let verified = try verify(token, rules)
        let scopes = policy.rights.scopes(for: "GET")
        #expect(verified.hasAudience(oneOf: policy.audiences))
        #expect(verified.grants(scopes))
        #expect(rules.issuer == vendor.issuer)
        if rules.acceptedTypes != [.accessTokenJWT] {
            var strict = rules
            strict.acceptedTypes = [.accessTokenJWT]
            #expect(throws: AccessTokenRefusal.typeNotAccepted) { try verify(token, strict) }
        }
        if rules.profile != .rfc9068 {
            var strict = rules
            strict.profile = .rfc9068
            #expect(throws: AccessTokenRefusal.claim(.missing("client_id"))) { try verify(token, strict) }
        }
        if rules.scopeClaim != "scope" {
            var strict = rules
            strict.scopeClaim = "scope"
            #expect(!(try verify(token, strict)).grants(scopes))
        }
    }

    @Test(.refuses("RS-13", "RS-18"), arguments: Vendor.all)
    func `takes none of the vendor's ID tokens for an access token`(
        vendor: Vendor
    ) throws {
        guard let (rules, policy) = try verifying(vendor) else { return }
        // A refreshed one has no nonce.
        for nonce in ["n-0S6_WzA2Mj", nil] {
            let token = vendor.idToken(issuer: vendor.issuer, now: Self.now, nonce: nonce, accessToken: "access")
            let taken = try? verify(token, rules)
            #expect(taken?.hasAudience(oneOf: policy.audiences) != true, "with nonce \(nonce ?? "none")")
        }
    }

    @Test(.holds("OIDC-03"), .refuses("OIDC-03"), arguments: Vendor.all)
    func `takes the vendor's ID tokens, for which audiences that it trusts without need are none`(
        vendor: Vendor
    )
        throws
    {
        let settings = try loaded(vendor)
        let login = try #require(settings.logins.first)
        let access = "access"
        let token = vendor.idToken(issuer: vendor.issuer, now: Self.now, nonce: "n", accessToken: access)
        let set = Array(SigningKey.keySet([Vendor.key]).utf8), keys = VerificationKeys(try KeySet.parse(set.span))
        func verify(_ rules: IDTokenRules) throws -> VerifiedIDToken {
            try IDToken.verify(
                Secret(Array(token.utf8)),
                of: IDToken.Login(nonce: "n", accessToken: Secret(Array(access.utf8))), rules: rules, keys: keys,
                now: Self.now)
        }
        #expect(try verify(login.idToken).subject == vendor.subject)
        #expect(login.idToken.clientID == vendor.clientID)
        for audience in login.idToken.trustedAudiences {
            var strict = login.idToken
            strict.trustedAudiences.removeAll { $0 == audience }
            #expect(throws: IDTokenRefusal.self) { try verify(strict) }
        }
    }
}
