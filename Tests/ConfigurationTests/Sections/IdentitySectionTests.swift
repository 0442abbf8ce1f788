import TestTraits
import Testing

@Suite struct `a route's identity that does not load` {
    @Test func `a field with a meaning of its own is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { Authorization: sub }"))
                == """
                gateway.yaml:3:109: routes[0].identity.Authorization: expected a field name that nothing else uses, found "Authorization"
                    Authorization has a meaning of its own to servers; choose a name such as X-User-Id
                """)
    }

    @Test func `a field of framing is refused in any spelling`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { CONTENT_LENGTH: sub }"))
                == """
                gateway.yaml:3:109: routes[0].identity.CONTENT_LENGTH: expected a field name that nothing else uses, found "CONTENT_LENGTH"
                    CONTENT_LENGTH has a meaning of its own to servers; choose a name such as X-User-Id
                """)
    }

    @Test func `a field that the gateway writes is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { X-Forwarded-User: sub }"))
                == """
                gateway.yaml:3:109: routes[0].identity.X-Forwarded-User: expected a field name that nothing else uses, found "X-Forwarded-User"
                    X-Forwarded-User has a meaning of its own to servers; choose a name such as X-User-Id
                """)
    }

    @Test(.refuses("HTTP-46")) func `a field that the gateway knows by another rule is refused`() {
        let refusal = refusal(of: Sample.tokenRoute("identity: { X-Content-Type-Options: sub }"))
        #expect(refusal.contains("expected a field name that nothing else uses, found \"X-Content-Type-Options\""))
    }

    @Test func `a name that is no token is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { 'X User': sub }"))
                == """
                gateway.yaml:3:109: routes[0].identity.X User: expected a field name such as X-User-Id, found "X User"
                    use letters, digits and hyphens
                """)
    }

    @Test func `a name with a line break is refused on one line`() {
        #expect(
            refusal(of: Sample.tokenRoute(#"identity: { "X\r\nHost": sub }"#))
                == #"""
                gateway.yaml:3:109: routes[0].identity.X\r\nHost: expected a field name such as X-User-Id, found "X\r\nHost"
                    use letters, digits and hyphens
                """#)
    }

    @Test func `a field and a claim that changed places are warned of`() throws {
        #expect(
            try warnings(of: Sample.tokenRoute("identity: { sub: X-User-Id }"))
                == """
                gateway.yaml:3:109: warning: routes[0].identity.sub: expected a field's name before the colon, and a claim behind it, found "sub": "X-User-Id"
                    write it as  X-User-Id: sub
                """)
        for swapped in ["email: user_mail", "X-User-Id: x-user-id", "groups: { claim: X-Groups }"] {
            #expect(
                try warnings(of: Sample.tokenRoute("identity: { \(swapped) }")).contains("before the colon"),
                "\(swapped)")
        }
        for meant in ["X-User-Id: sub", "Email: email", "email: email", "X-Roles: realm_access.roles"] {
            #expect(try warnings(of: Sample.tokenRoute("identity: { \(meant) }")).isEmpty, "\(meant)")
        }
    }

    @Test func `two names that fold alike are refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { X-User-Id: sub, x_user.id: email }"))
                == """
                gateway.yaml:3:125: routes[0].identity.x_user.id: expected field names that differ in more than case, _ and -, found "x_user.id" beside "X-User-Id"
                    rename one of them
                """)
    }

    @Test func `identity on a public route is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "",
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true, identity: { X-User-Id: sub } }]"
                ).text)
                    == """
                    gateway.yaml:3:68: routes[0].identity: expected no identity on a public route, found field names
                        nobody is known here; leave identity out, or say token with optional: true
                    """)
    }

    @Test func `a claim path with an empty name is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { X-User-Id: .sub }"))
                == #"""
                gateway.yaml:3:120: routes[0].identity.X-User-Id: expected a claim such as sub or realm_access.roles, found ".sub"
                    join the names of nested claims with dots, at most 8 of them; write a dot of a name as \.
                """#)
    }

    @Test func `a mapping without a claim is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { X-Roles: { separator: ',' } }"))
                == """
                gateway.yaml:3:118: routes[0].identity.X-Roles.claim: expected a claim such as sub or realm_access.roles, found nothing
                    add  claim: realm_access.roles
                """)
    }

    @Test func `a separator that could be part of a value is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { X-Roles: { claim: roles, separator: and } }"))
                == """
                gateway.yaml:3:145: routes[0].identity.X-Roles.separator: expected a separator such as "," or " ", found "and"
                    use 1 to 8 spaces or signs of ASCII, no letters, digits or %
                """)
    }

    @Test func `a separator that base64url uses is refused`() {
        #expect(
            refusal(
                of: Sample.tokenRoute("identity: { X-Roles: { claim: roles, separator: '-', encoding: base64url } }"))
                    == """
                    gateway.yaml:3:134: routes[0].identity.X-Roles.separator: expected a separator that base64url does not use, found "-"
                        write it as  separator: ","
                    """)
    }

    @Test func `an unknown encoding is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: { X-Roles: { claim: roles, encoding: base64 } }"))
                == """
                gateway.yaml:3:144: routes[0].identity.X-Roles.encoding: expected one of percent, base64url, found "base64"
                    did you mean base64url?
                """)
    }

    @Test func `an empty mapping of fields is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("identity: {}"))
                == """
                gateway.yaml:3:107: routes[0].identity: expected a mapping of 1 to 32 field names to claims, found an empty mapping
                    write it as  identity: { X-User-Id: sub }
                """)
    }
}
