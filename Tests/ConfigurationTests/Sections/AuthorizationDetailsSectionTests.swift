import Access
import Gateway
import TestTraits
import Testing

@Suite struct `rights and sign-in of a token route` {
    @Test(.holds("STEP-01")) func `acr values keep their order, STEP-02 max_age is in seconds`() throws {
        let token = try token(of: Sample.token("acr_values: [urn:example:mfa, pwd], max_age: 5m"))
        #expect(token.acrValues == ["urn:example:mfa", "pwd"])
        #expect(token.maxAgeSeconds == 300)
        #expect(try self.token(of: Sample.token("max_age: 0s")).maxAgeSeconds == 0)
        #expect(try self.token(of: Sample().text).maxAgeSeconds == nil)
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
        #expect(token.scopesByMethod == ["GET": ["r"], "HEAD": ["r"], "POST": ["w"]])
        #expect(
            token.authorizationDetailsByMethod == [
                "GET": [], "HEAD": [AuthorizationDetailsRule(type: "a")], "POST": [AuthorizationDetailsRule(type: "b")],
            ])
        #expect(try settings(of: text).routes[0].methods == ["GET", "POST", "HEAD"])
    }

    @Test(.refuses("RAR-01")) func `a right without a type is refused`() {
        #expect(
            refusal(of: Sample.token("authorization_details: [{ actions: [read] }]"))
                == """
                gateway.yaml:3:119: routes[0].token.authorization_details[0].type: expected a text of printable ASCII, found nothing
                    add  type: orders
                """)
    }

    @Test(.refuses("RAR-01")) func `a text in place of a right is refused`() {
        #expect(
            refusal(of: Sample.token("authorization_details: [orders]"))
                == """
                gateway.yaml:3:119: routes[0].token.authorization_details[0]: expected a right with type, found a text
                    write it as  authorization_details: [{ type: orders, actions: [read] }]
                """)
    }

    @Test(.refuses("RAR-01")) func `a misspelt key of a right is refused`() {
        #expect(
            refusal(of: Sample.token("authorization_details: [{ type: a, action: [read] }]"))
                == """
                gateway.yaml:3:130: routes[0].token.authorization_details[0].action: expected a key of a right with type, found "action"
                    did you mean actions?
                """)
    }

    @Test(.refuses("RAR-01")) func `one action that is no list is refused`() {
        #expect(
            refusal(of: Sample.token("authorization_details: [{ type: a, actions: read }]"))
                == """
                gateway.yaml:3:139: routes[0].token.authorization_details[0].actions: expected a list of actions, found a text
                    write it as a list:  actions: [read]
                """)
    }

    @Test(.refuses("RAR-01")) func `no right at all is refused`() {
        #expect(
            refusal(of: Sample.token("authorization_details: []"))
                == """
                gateway.yaml:3:118: routes[0].token.authorization_details: expected a list of 1 to 32 rights, found an empty list
                    write it as  authorization_details: [{ type: orders, actions: [read] }]
                """)
    }

    @Test(.refuses("RAR-01")) func `rights by a method in lower case are refused`() {
        #expect(
            refusal(of: Sample.token("authorization_details: { get: [] }"))
                == """
                gateway.yaml:3:120: routes[0].token.authorization_details.get: expected a method such as GET, found "get"
                    methods are case-sensitive: write GET
                """)
    }

    @Test(.refuses("RAR-01")) func `a method that rights forgot is refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "methods: [GET, DELETE], token: { issuers: [main], audience: api, authorization_details: { GET: [] } }"
                ))
                    == """
                    gateway.yaml:3:69: routes[0].methods[1]: expected a method that token.authorization_details names, found "DELETE"
                        add  DELETE: [...]  to authorization_details; an empty list asks for none
                    """)
    }

    @Test(.refuses("RAR-01")) func `rights of a method that is not allowed are refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "methods: [GET], token: { issuers: [main], audience: api, authorization_details: { GET: [], POST: [] } }"
                ))
                    == """
                    gateway.yaml:3:145: routes[0].token.authorization_details.POST: expected a method that the route's methods allow, found "POST"
                        add it to methods, or leave it out here
                    """)
    }

    @Test(.refuses("RAR-01")) func `a method that only scopes names is refused`() {
        #expect(
            refusal(of: Sample.token("scopes: { GET: [r], POST: [w] }, authorization_details: { GET: [] }"))
                == """
                gateway.yaml:3:128: routes[0].token.authorization_details: expected authorization_details for each method that scopes or authorization_details names, found none for POST
                    add  POST: [...]  to authorization_details; an empty list asks for none
                """)
    }

    @Test(.refuses("RAR-01")) func `a method that only rights name is refused`() {
        #expect(
            refusal(of: Sample.token("scopes: { GET: [r] }, authorization_details: { GET: [], PUT: [] }"))
                == """
                gateway.yaml:3:95: routes[0].token.scopes: expected scopes for each method that scopes or authorization_details names, found none for PUT
                    add  PUT: [...]  to scopes; an empty list asks for none
                """)
    }

    @Test(.refuses("STEP-01")) func `two acr values in one element are refused`() {
        #expect(
            refusal(of: Sample.token("acr_values: ['a b']"))
                == """
                gateway.yaml:3:108: routes[0].token.acr_values[0]: expected an acr value such as urn:example:mfa, found "a b"
                    write each value as an element of its own
                """)
    }

    @Test(.refuses("STEP-01")) func `an acr value with a quotation mark is refused`() {
        #expect(
            refusal(of: Sample.token("acr_values: ['a\"b']"))
                == #"""
                gateway.yaml:3:108: routes[0].token.acr_values[0]: expected an acr value such as urn:example:mfa, found "a"b"
                    use printable ASCII without " and \
                """#)
    }

    @Test(.refuses("STEP-01")) func `an acr value said twice is refused`() {
        #expect(
            refusal(of: Sample.token("acr_values: [a, a]"))
                == """
                gateway.yaml:3:111: routes[0].token.acr_values[1]: expected each value once, found "a" again
                    keep one of them
                """)
    }

    @Test(.refuses("STEP-01")) func `no acr value at all is refused`() {
        #expect(
            refusal(of: Sample.token("acr_values: []"))
                == """
                gateway.yaml:3:107: routes[0].token.acr_values: expected a list of 1 to 16 acr values, found an empty list
                    write it as  acr_values: [urn:example:mfa]
                """)
    }

    @Test(.refuses("STEP-02")) func `a max_age without a unit is refused`() {
        #expect(
            refusal(of: Sample.token("max_age: 300"))
                == """
                gateway.yaml:3:104: routes[0].token.max_age: expected a duration from 0ms to 8760h in whole seconds, found the number 300
                    say the unit: 300s
                """)
    }

    @Test(.refuses("STEP-02")) func `a max_age of half a second is refused`() {
        #expect(
            refusal(of: Sample.token("max_age: 500ms"))
                == """
                gateway.yaml:3:104: routes[0].token.max_age: expected a duration from 0ms to 8760h in whole seconds, found "500ms"
                    choose a duration from 0ms to 8760h
                """)
    }

    private func token(of text: String) throws -> TokenSettings {
        guard case .token(let token) = try settings(of: text).routes[0].access else { throw NotATokenRoute() }
        return token
    }

    private struct NotATokenRoute: Error {}
}
