@testable import Access
import HTTPMessage
import TestSupport
import TestTraits
import Testing

/// What tokens with these claims may do on a route with these settings, by method.
private struct Rights {
    private let catalogue: PredicateCatalogue
    private let policy: FixedValue<TokenPolicy>

    init(_ settings: TokenSettings) {
        var catalogue = PredicateCatalogue()
        policy = FixedValue(
            TokenPolicy(settings, ProofSettings(), issuerIndex: { _ in 0 }, catalogue: &catalogue))
        self.catalogue = catalogue
    }

    func allow(_ name: String, _ claims: [String: String?]) throws -> Bool {
        let method = MethodSet.all.first { $0.name == name && !name.isEmpty }?.id ?? .other
        let row = name.withBytes { policy.pointee.rights.row(of: method, named: $0.span) }
        let words = catalogue.answers(for: try verifiedToken(claims), issuer: 0)
        let bits = AnswerBits(words.span)
        let hasScopes = bits.allHold(policy.pointee.rights[row: row].scopes.numbers)
        let hasDetails = bits.allHold(policy.pointee.rights[row: row].details.numbers)
        let hasForm = bits.allHold(policy.pointee.rights.detailsForm.numbers)
        return hasScopes && hasDetails && hasForm
    }
}

private func settings(
    scopes: [String] = [], _ byMethod: [String: [String]] = [:], details: [String: [AuthorizationDetailsRule]] = [:]
) -> TokenSettings {
    var settings = TokenSettings(issuers: ["main"], audiences: ["x"], scopes: scopes, scopesByMethod: byMethod)
    settings.authorizationDetailsByMethod = details
    return settings
}

@Suite struct `the rights a method needs` {
    @Test(.holds("RS-19")) func `are asked of methods without a number too`() throws {
        let rights = Rights(settings(["GET": ["read"], "PURGE": ["admin"], "LINK": []]))
        #expect(try rights.allow("PURGE", ["scope": "\"admin\""]))
        #expect(!(try rights.allow("PURGE", ["scope": "\"read\""])))
        #expect(!(try rights.allow("PURGE", ["scope": nil])))
        #expect(try rights.allow("LINK", ["scope": nil]))
        #expect(!(try rights.allow("GET", ["scope": "\"admin\""])))
    }

    @Test(.refuses("RS-19")) func `are the default's for a method that nobody named`() throws {
        let rights = Rights(settings(scopes: ["default"], ["PURGE": ["admin"]]))
        #expect(try rights.allow("UNLINK", ["scope": "\"default\""]))
        #expect(!(try rights.allow("UNLINK", ["scope": "\"admin\""])))
        #expect(!(try rights.allow("purge", ["scope": "\"admin\""])), "another method by its case")
        #expect(!(try rights.allow("PURGER", ["scope": "\"admin\""])))
    }

    @Test(.holds("RAR-01")) func `by method are those of the method alone`() throws {
        let rights = Rights(
            settings(details: [
                "GET": [AuthorizationDetailsRule(type: "orders", actions: ["read"])],
                "POST": [
                    AuthorizationDetailsRule(type: "orders", actions: ["write"]), AuthorizationDetailsRule(type: "pay"),
                ],
                "PURGE": [AuthorizationDetailsRule(type: "admin")],
            ]))
        let read: [String: String?] = ["authorization_details": #"[{"type":"orders","actions":["read"]}]"#]
        let write: [String: String?] = [
            "authorization_details": #"[{"type":"orders","actions":["write"]},{"type":"pay"}]"#
        ]
        let half: [String: String?] = ["authorization_details": #"[{"type":"orders","actions":["write"]}]"#]
        #expect(try ["GET", "HEAD", "POST", "PURGE"].map { try rights.allow($0, read) } == [true, true, false, false])
        #expect(
            try ["GET", "HEAD", "POST", "PURGE"].map { try rights.allow($0, write) } == [false, false, true, false])
        #expect(!(try rights.allow("POST", half)))
    }

    @Test(.holds("HTTP-19", "RAR-01"), .refuses("HTTP-19", "RAR-01"))
    func `by method close the methods that are not named`() {
        func known(_ settings: TokenSettings) -> String {
            MethodSet.of(
                RouteSettings(
                    name: "r", path: "/", upstream: UpstreamSettings(host: "h", port: 1), access: .token(settings))
            ).allow
        }
        let rule = AuthorizationDetailsRule(type: "t")
        #expect(known(settings(details: ["GET": [rule], "POST": [rule]])) == "GET, POST, HEAD")
        #expect(known(settings(["GET": ["r"], "PUT": ["w"]], details: ["GET": [rule], "POST": []])) == "GET, HEAD")
        #expect(known(settings(scopes: ["r"], details: ["POST": [rule]])) == "POST")
        #expect(known(settings(scopes: ["r"])) == MethodSet(nil).allow)
    }
}
