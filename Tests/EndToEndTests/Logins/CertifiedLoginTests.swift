import TestSupport
import TestTraits
import Testing

/// The same at a server that knows its clients by their certificates, and speaks https therefore.
@Suite(.serialized, .enabled(if: AuthorizationServer.isInstalled)) struct `logins with a client's certificate` {
    // As in the other matrix, for the objects that glewlwyd fetches.
    private static let byHTTP1 = Shared { try LoginStage(plan(LoginCase.certified, speaksHTTP2: false)) }
    private static let byHTTP2 = Shared { try LoginStage(plan(LoginCase.certifiedOverHTTP2, speaksHTTP2: true)) }
    private static let cases = LoginCase.certified + LoginCase.certifiedOverHTTP2

    private static func plan(_ cases: [LoginCase], speaksHTTP2: Bool) -> LoginStage.Plan {
        var plan = LoginStage.Plan(accessTokenSeconds: 10, isCertified: true, speaksHTTP2: speaksHTTP2)
        plan.registrations = [("web-tls_client_auth", LoginCase.registration(of: .certificate))]
        plan.clients = cases.map { $0.client(resource: LoginStage.resource) }
        plan.routes = cases.map(\.route)
        return plan
    }

    private static func stage(of version: WireProtocol) throws -> LoginStage {
        try (version == .http2 ? byHTTP2 : byHTTP1).get()
    }

    @Test(.holds("CA-12"), arguments: cases)
    func `the certificate is the client's proof, and its tokens are bound to it`(
        _ one: LoginCase
    ) throws {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        let seen = try #require(stage.upstream(one).requests.last { $0.path == "/\(one.name)/page" })
        #expect(seen.fields.only("x-email") == "alice@example.org")
        #expect(!seen.fields.contains("cookie"))
        try visit.expectAuthorizationURL()
        guard one.passesToken else { return #expect(!seen.fields.contains("authorization")) }
        let words = try #require(seen.fields.only("authorization")).split(separator: " ").map(String.init)
        #expect(words.first == (one.isBound ? "DPoP" : "Bearer"))
        let confirmation = try SeenToken(try #require(words.last)).claims["cnf"] as? [String: String]
        #expect(confirmation?["x5t#S256"]?.isEmpty == false)
        #expect((confirmation?["jkt"] != nil) == one.isBound)
    }

    @Test(.holds("CA-12"), arguments: cases)
    func `tokens are renewed with the certificate, and revoked at a logout`(
        _ one: LoginCase
    ) throws {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        stage.forget(one)
        var statuses: Set<Int> = []
        let isRenewed = try eventually(within: .seconds(120)) {
            statuses.insert(try visit.ask("again").status)
            return stage.gateway.operatorLine(within: .zero) {
                $0["event"] == "session_refreshed" && $0["login_client"] == one.name && $0["outcome"] == "refreshed"
            } != nil
        }
        #expect(isRenewed && statuses == [200], "\(statuses)\(stage.gateway.diagnosis)")
        try visit.logOut()
        #expect(!stage.gateway.operatorLog.contains { $0["event"] == "revocation_failed" })
    }

    @Test(.refuses("OPS-01"))
    func `no cookie, key or state of these logins is in any log, page or request to an upstream`() throws {
        let stage = try Self.stage(of: .http1)
        _ = try stage.visit(LoginCase.certified[0])
        try SecretSearch(stage).expectNothing()
    }
}
