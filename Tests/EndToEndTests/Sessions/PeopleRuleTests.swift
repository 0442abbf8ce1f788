import Foundation
import TestSupport
import TestTraits
import Testing

/// Row RS-20: whose mail is verified, who is on a list, and that a list is read again when it changes.
@Suite(.serialized, .byEachProtocol) struct `a route for people of some kind` {
    private func stage() throws -> SessionStage {
        try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web }",
                    """
                    { path: /house/, upstream: $UPSTREAM, login: { client: web, email: { domain: [example.com], \
                    file: $FOLDER/people.txt } } }
                    """,
                    """
                    { path: /any/, upstream: $UPSTREAM, login: { client: web, \
                    any_claims: { groups: { all: [staff, night] }, tenant: acme } } }
                    """,
                ], client: ["scopes: [openid, email]"], files: ["people.txt": "guest@other.example\n"]))
    }

    private func status(_ stage: SessionStage, _ path: String, claims: [String: String]) throws -> Int {
        stage.server.change { $0.claims = claims }
        return try stage.exchange("GET", path, browser: stage.login()).status
    }

    @Test(.holds("RS-20"), .refuses("RS-20")) func `takes verified addresses of its domain or its list`() throws {
        let stage = try stage()
        let rows = [
            ("\"ann@example.com\"", "true", 200), ("\"Ann@EXAMPLE.com\"", "true", 200),
            ("\"guest@other.example\"", "true", 200), ("\"ann@example.com\"", "false", 403),
            ("\"ann@example.com\"", "\"true\"", 403), ("\"ann@sub.example.com\"", "true", 403),
            ("\"ann@example.com.evil.test\"", "true", 403), ("\"ann@other.example\"", "true", 403),
        ]
        for (email, verified, expected) in rows {
            let found = try status(stage, "/house/a", claims: ["email": email, "email_verified": verified])
            #expect(found == expected, "\(email) \(verified)")
        }
        #expect(try status(stage, "/house/a", claims: [:]) == 403)
        #expect(stage.upstream.requests.count == 3)
    }

    @Test(.holds("RS-20"), .refuses("RS-20")) func `takes one of several claims`() throws {
        let stage = try stage()
        #expect(try status(stage, "/any/a", claims: ["groups": "[\"night\",\"staff\"]"]) == 200)
        #expect(try status(stage, "/any/a", claims: ["tenant": "\"acme\""]) == 200)
        #expect(try status(stage, "/any/a", claims: ["groups": "[\"staff\"]", "tenant": "\"Acme\""]) == 403)
    }

    @Test(.holds("RS-20", "OPS-07"), .refuses("RS-20"))
    func `lets go of whoever is taken off its list, without a signal`()
        throws
    {
        let stage = try stage()
        stage.server.change { $0.claims = ["email": "\"guest@other.example\"", "email_verified": "true"] }
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/house/a", browser: browser).status == 200)
        let list = stage.gateway.folder + "/people.txt"
        try "# nobody\n".write(toFile: list, atomically: true, encoding: .utf8)
        #expect(eventually { (try? stage.exchange("GET", "/house/a", browser: browser).status) == 403 })
        // The session itself goes on.
        #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200)
        try "GUEST@other.example\n".write(toFile: list, atomically: true, encoding: .utf8)
        #expect(eventually { (try? stage.exchange("GET", "/house/a", browser: browser).status) == 200 })
        // A list that is none keeps the one of before, and the log says why.
        try "guest@other.example\nno address\n".write(toFile: list, atomically: true, encoding: .utf8)
        let line = stage.gateway.operatorLine { $0["event"] == "reload_refused" }
        let wanted = "routes[1].login.email.file: expected an address of mail in each line"
        #expect(line?["detail"]?.contains(wanted) == true, "\(line as Any)")
        #expect(try stage.exchange("GET", "/house/a", browser: browser).status == 200)
    }
}
