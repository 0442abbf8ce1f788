import TestTraits
import Testing

@Suite struct `a route's token that does not load` {
    @Test(.refuses("RS-13")) func `a token route without an audience is refused`() {
        #expect(
            refusal(of: Sample.route("token: { issuers: [main] }"))
                == """
                gateway.yaml:3:61: routes[0].token.audience: expected an audience such as https://api.example.com or a list of audiences, found nothing
                    add  audience: https://api.example.com
                """)
    }

    @Test(.refuses("RS-13")) func `an empty list of audiences is refused`() {
        #expect(
            refusal(of: Sample.route("token: { issuers: [main], audience: [] }"))
                == """
                gateway.yaml:3:90: routes[0].token.audience: expected a list of 1 to 16 audiences, found an empty list
                    write it as  audience: https://api.example.com
                """)
    }

    @Test(.refuses("RS-13")) func `an empty audience is refused`() {
        #expect(
            refusal(of: Sample.route("token: { issuers: [main], audience: '' }"))
                == """
                gateway.yaml:3:90: routes[0].token.audience: expected an audience such as https://api.example.com, found ""
                    use 1 to 1024 characters of printable ASCII
                """)
    }

    @Test(.refuses("RS-12")) func `a token route without issuers is refused`() {
        #expect(
            refusal(of: Sample.route("token: { audience: api }"))
                == """
                gateway.yaml:3:61: routes[0].token.issuers: expected a list of names of issuers, found nothing
                    add  issuers: [main]
                """)
    }

    @Test(.refuses("RS-12")) func `an unknown issuer is refused with the one that was meant`() {
        #expect(
            refusal(of: Sample.route("token: { issuers: [mian], audience: api }"))
                == """
                gateway.yaml:3:73: routes[0].token.issuers[0]: expected the name of an issuer, found "mian"
                    did you mean main?
                """)
    }

    @Test(.refuses("RS-12")) func `an issuer where none is there is refused`() {
        #expect(
            refusal(of: Sample(issuers: "").text)
                == """
                gateway.yaml:3:73: routes[0].token.issuers[0]: expected the name of an issuer, found "main"
                    there are no issuers here
                """)
    }

    @Test func `an audience that is a number is refused`() {
        #expect(
            refusal(of: Sample.route("token: { issuers: [main], audience: 7 }"))
                == """
                gateway.yaml:3:90: routes[0].token.audience: expected an audience such as https://api.example.com, found the number 7
                    put it in quotation marks: "7"
                """)
    }

    @Test func `scopes in one text are refused`() {
        #expect(
            refusal(of: Sample.token("scopes: 'a b'"))
                == """
                gateway.yaml:3:103: routes[0].token.scopes: expected a list of scopes or a mapping of methods to lists of scopes, found a text
                    write it as a list:  scopes: [a, b]
                """)
    }

    @Test func `two scopes in one element are refused`() {
        #expect(
            refusal(of: Sample.token("scopes: ['a b']"))
                == """
                gateway.yaml:3:104: routes[0].token.scopes[0]: expected a scope such as orders:read, found "a b"
                    write each scope as an element of its own
                """)
    }

    @Test func `scopes by a method in lower case are refused`() {
        #expect(
            refusal(of: Sample.token("scopes: { get: [a] }"))
                == """
                gateway.yaml:3:105: routes[0].token.scopes.get: expected a method such as GET, found "get"
                    methods are case-sensitive: write GET
                """)
    }

    @Test func `a method that scopes forgot is refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "methods: [GET, DELETE], token: { issuers: [main], audience: api, scopes: { GET: [a] } }"))
                    == """
                    gateway.yaml:3:69: routes[0].methods[1]: expected a method that token.scopes names, found "DELETE"
                        add  DELETE: [...]  to scopes; an empty list asks for none
                    """)
    }

    @Test func `scopes of a method that is not allowed are refused`() {
        #expect(
            refusal(
                of: Sample.route(
                    "methods: [GET], token: { issuers: [main], audience: api, scopes: { GET: [a], POST: [b] } }"))
                    == """
                    gateway.yaml:3:131: routes[0].token.scopes.POST: expected a method that the route's methods allow, found "POST"
                        add it to methods, or leave it out here
                    """)
    }

    @Test func `a claim with an empty name is refused`() {
        #expect(
            refusal(of: Sample.token("claims: { a..b: x }"))
                == #"""
                gateway.yaml:3:105: routes[0].token.claims.a..b: expected a claim such as sub or realm_access.roles, found "a..b"
                    join the names of nested claims with dots, at most 8 of them; write a dot of a name as \.
                """#)
    }

    @Test func `a claim with a mapping for a value is refused`() {
        #expect(
            refusal(of: Sample.token("claims: { a: { b: c } }"))
                == """
                gateway.yaml:3:108: routes[0].token.claims.a: expected a text, true, false or a whole number or a list of values, found a mapping
                    write it as  claims: { realm_access.roles: [admin] }
                """)
    }

    @Test func `a claim with a fraction for a value is refused`() {
        #expect(
            refusal(of: Sample.token("claims: { a: 1.5 }"))
                == """
                gateway.yaml:3:108: routes[0].token.claims.a: expected a text, true, false or a whole number, found the number 1.5
                    put it in quotation marks: "1.5"
                """)
    }

    @Test func `a scheme that nobody knows is refused`() {
        #expect(
            refusal(of: Sample.token("schemes: [Dpop]"))
                == """
                gateway.yaml:3:105: routes[0].token.schemes[0]: expected one of Bearer, DPoP, found "Dpop"
                    did you mean DPoP?
                """)
    }

    @Test func `another meaning of a query token is refused`() {
        #expect(
            refusal(of: Sample.token("query_token: accept"))
                == """
                gateway.yaml:3:108: routes[0].token.query_token: expected one of reject, ignore, found "accept"
                    words here: reject, ignore
                """)
    }

    @Test func `a realm with a line break is refused`() {
        #expect(
            refusal(of: Sample.token(#"realm: "a\nb""#))
                == #"""
                gateway.yaml:3:102: routes[0].token.realm: expected a realm of printable ASCII, found "a\nb"
                    use 1 to 128 characters of printable ASCII
                """#)
    }

    @Test func `introspection is no key yet`() {
        #expect(
            refusal(of: Sample.token("introspection: true"))
                == """
                gateway.yaml:3:95: routes[0].token.introspection: expected a key of the token rules of a route, found "introspection"
                    keys here: issuers, audience, scopes, claims, realm, optional, user_only, query_token, schemes, dpop, acr_values, max_age, authorization_details, resource
                """)
    }

    @Test func `a boolean in quotation marks is refused`() {
        #expect(
            refusal(of: Sample.token(#"optional: "true""#))
                == """
                gateway.yaml:3:105: routes[0].token.optional: expected true or false, found "true"
                    write it as  true  without quotation marks
                """)
    }
}
