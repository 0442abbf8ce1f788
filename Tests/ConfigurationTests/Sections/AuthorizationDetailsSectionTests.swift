import Access
import Gateway
import TestTraits
import Testing

@Suite struct `rights and sign-in of a token route` {
    @Test(.holds("STEP-01")) func `acr values keep their order, STEP-02 max_age is in seconds`() throws {
        let token = try token(of: Sample.token("acr_values: [urn:example:mfa, pwd], max_age: 5m"))
        #expect(token.rights.acrValues == ["urn:example:mfa", "pwd"])
        #expect(token.rights.maximumAge == .seconds(300))
        #expect(try self.token(of: Sample.token("max_age: 0s")).rights.maximumAge == .zero)
        #expect(try self.token(of: Sample().text).rights.maximumAge == nil)
    }

    @Test(.holds("RAR-01")) func `rights for all methods leave the methods alone`() throws {
        let text = Sample.token(
            "authorization_details: [{ type: a, actions: [x, y], locations: [l], datatypes: [d], privileges: [p], identifier: i }, { type: b }]"
        )
        #expect(
            try token(of: text).authorizationDetails == [
                AuthorizationDetailsRule(
                    type: "a", actions: ["x", "y"], locations: ["l"], dataTypes: ["d"], privileges: ["p"],
                    identifier: "i"),
                AuthorizationDetailsRule(type: "b"),
            ])
        #expect(try token(of: text).authorizationDetailsByMethod.isEmpty)
        #expect(try settings(of: text).routes[0].methods == nil)
    }

    @Test(.holds("RAR-01")) func `rights by method leave no method without them, and HEAD needs what GET needs`() throws
    {
        let text = Sample.token("authorization_details: { GET: [{ type: a }], POST: [] }")
        let read = AuthorizationDetailsRule(type: "a")
        #expect(try token(of: text).authorizationDetailsByMethod == ["GET": [read], "HEAD": [read], "POST": []])
        #expect(try token(of: text).authorizationDetails.isEmpty)
        #expect(try settings(of: text).routes[0].methods == ["GET", "POST", "HEAD"])
    }

    @Test func `scopes and rights by method name the same methods, HEAD beside GET in either`() throws {
        let text = Sample.token(
            "scopes: { GET: [r], POST: [w] }, authorization_details: { GET: [], HEAD: [{ type: a }], POST: [{ type: b }] }"
        )
        let token = try token(of: text)
        #expect(token.rights.scopesByMethod == ["GET": ["r"], "HEAD": ["r"], "POST": ["w"]])
        #expect(
            token.authorizationDetailsByMethod == [
                "GET": [], "HEAD": [AuthorizationDetailsRule(type: "a")], "POST": [AuthorizationDetailsRule(type: "b")],
            ])
        #expect(try settings(of: text).routes[0].methods == ["GET", "POST", "HEAD"])
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}
}
