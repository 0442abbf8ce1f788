import TestSupport
import TestTraits
import Testing

/// The same at a server that knows its clients by their certificates, and speaks https therefore.
@Suite(.serialized, .enabled(if: AuthorizationServer.isInstalled)) struct `logins with a client's certificate` {
    private static let shared = Shared {
        // As in the other matrix, for the objects that glewlwyd fetches.
        var plan = LoginStage.Plan(accessTokenSeconds: 10, isCertified: true, speaksHTTP2: false)
        plan.registrations = [("web-tls_client_auth", LoginCase.registration(of: .certificate))]
        plan.clients = LoginCase.certified.map { $0.client(resource: LoginStage.resource) }
        plan.routes = LoginCase.certified.map(\.route)
        return try LoginStage(plan)
    }
    private let stage: LoginStage

    init() throws { stage = try Self.shared.get() }

    @Test(.holds("CA-12"), arguments: LoginCase.certified)
    func `the certificate is the client's proof, and its tokens are bound to it`(
        _ one: LoginCase
    ) throws {
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

    @Test(.holds("CA-12"), arguments: LoginCase.certified)
    func `tokens are renewed with the certificate, and revoked at a logout`(
        _ one: LoginCase
    ) throws {
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
        _ = try stage.visit(LoginCase.certified[0])
        try SecretSearch(stage).expectNothing()
    }
}
