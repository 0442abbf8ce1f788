import OAuth
import TestTraits
import Testing

@Suite struct `the bearer challenge` {
    private let full = TokenChallenge(
        .bearer, realm: "orders", scopes: ["orders:read"],
        resourceMetadata: "https://api.example/.well-known/oauth-protected-resource")

    @Test(.holds("RS-02")) func `without credentials no error is named`() {
        #expect(TokenChallenge(.bearer, realm: "example").value() == #"Bearer realm="example""#)
        #expect(
            full.value()
                == #"Bearer realm="orders", scope="orders:read", resource_metadata="https://api.example/.well-known/oauth-protected-resource""#
        )
    }

    @Test(.refuses("RS-02"), arguments: [TokenChallenge.Problem.invalidProof("x"), .useNonce])
    func `a client that is asked for no proof is told of none`(problem: TokenChallenge.Problem) {
        #expect(full.value(problem) == full.value())
    }

    @Test(.holds("RS-15")) func `an expired token reads as RFC 6750 prints it`() {
        #expect(
            TokenChallenge(.bearer, realm: "example").value(.invalidToken("The access token expired"))
                == #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#)
    }

    @Test(.holds("RS-19")) func `insufficient scope names every scope the operation needs`() {
        #expect(
            full.value(.insufficientScope(["orders:read", "orders:write"]))
                == #"Bearer realm="orders", error="insufficient_scope", scope="orders:read orders:write", resource_metadata="https://api.example/.well-known/oauth-protected-resource""#
        )
    }

    @Test(.holds("RS-05")) func `a request that no reader understands alike is invalid`() {
        #expect(
            TokenChallenge(.bearer, realm: "r").value(.invalidRequest("Multiple methods used to include access token"))
                == #"Bearer realm="r", error="invalid_request", error_description="Multiple methods used to include access token""#
        )
    }

    @Test(.holds("RS-08")) func `the parameters come in one order`() throws {
        let challenge = try #require(Challenge(full.value(.invalidToken("x"))))
        #expect(challenge.scheme == "Bearer")
        #expect(
            challenge.parameters.map(\.name) == ["realm", "error", "error_description", "scope", "resource_metadata"])
    }

    @Test(.holds("RS-08"), arguments: [#"a "b" \c"#, #"\"#, #"""#, #"", error="x"#, "", "plain", #"\\""#])
    func `a realm is escaped and read back`(realm: String) throws {
        let challenge = TokenChallenge(.bearer, realm: realm, resourceMetadata: realm)
        for problem in [
            TokenChallenge.Problem.none, .invalidToken("x"), .insufficientScope(["a"]), .invalidRequest("y"),
        ] {
            let read = try #require(Challenge(challenge.value(problem)))
            #expect(read["realm"] == realm)
            #expect(read["resource_metadata"] == realm)
        }
    }

    @Test(.refuses("RS-08")) func `nothing outside printable ASCII gets into a challenge`() throws {
        let hostile = "a\r\nSet-Cookie: x\0\u{7F}é"
        let challenge = TokenChallenge(
            .bearer, realm: hostile, scopes: [hostile, "ok", "a\"b", "", "c\\d"], resourceMetadata: hostile)
        for problem in [TokenChallenge.Problem.none, .invalidToken(hostile), .invalidRequest(hostile)] {
            let value = challenge.value(problem)
            #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            let read = try #require(Challenge(value))
            #expect(read["scope"] == "ok")
        }
        let read = try #require(Challenge(challenge.value(.invalidToken(#"say "no" \ now"#))))
        #expect(read["error_description"] == "say  no    now")
        #expect(Challenge(challenge.value(.insufficientScope([hostile])))?["scope"] == nil)
    }

    private let stepUp = TokenChallenge(.bearer, realm: "example")

    @Test(.holds("STEP-01")) func `another authentication level is asked for as RFC 9470 prints it`() {
        // Figure 2, and the realm.
        #expect(
            stepUp.value(
                .insufficientUserAuthentication(
                    "A different authentication level is required", acrValues: ["myACR"], maxAge: nil, scopes: []))
                == #"Bearer realm="example", error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="myACR""#
        )
    }

    @Test(.holds("STEP-01"), .refuses("STEP-01"))
    func `every level is named in order of preference, and none is forged`() throws {
        let values = ["urn:b", "a", "", "two words", #"a"b\"#, "x\r\ny", "é", "c"]
        let text = full.value(
            .insufficientUserAuthentication("x", acrValues: values, maxAge: nil, scopes: []))
        let read = try #require(Challenge(text))
        #expect(read["acr_values"] == #"urn:b a a"b\ c"#)
        #expect(read["max_age"] == nil && read["scope"] == nil)
        let none = try #require(
            Challenge(full.value(.insufficientUserAuthentication("x", acrValues: [""], maxAge: nil, scopes: []))))
        #expect(none["acr_values"] == nil)
    }

    @Test(.holds("STEP-02")) func `a more recent authentication is asked for as RFC 9470 prints it`() throws {
        // Figure 3, and the realm.
        #expect(
            stepUp.value(
                .insufficientUserAuthentication(
                    "More recent authentication is required", acrValues: [], maxAge: 5, scopes: []))
                == #"Bearer realm="example", error="insufficient_user_authentication", error_description="More recent authentication is required", max_age="5""#
        )
        let never = stepUp.value(.insufficientUserAuthentication("x", acrValues: [], maxAge: -1, scopes: []))
        #expect(try #require(Challenge(never))["max_age"] == "0")
    }

    @Test(.holds("STEP-03")) func `level, age and missing scopes come in one challenge`() throws {
        let text = full.value(
            .insufficientUserAuthentication("Sign in again", acrValues: ["b", "a"], maxAge: 0, scopes: ["x", "y"]))
        let read = try #require(Challenge(text))
        #expect(
            read.parameters.map(\.name) == [
                "realm", "error", "error_description", "acr_values", "max_age", "scope", "resource_metadata",
            ])
        #expect(read["acr_values"] == "b a" && read["max_age"] == "0" && read["scope"] == "x y")
    }

    @Test(.refuses("STEP-03")) func `what is not asked for is not in the challenge`() throws {
        let read = try #require(
            Challenge(full.value(.insufficientUserAuthentication("x", acrValues: [], maxAge: nil, scopes: []))))
        #expect(read.parameters.map(\.name) == ["realm", "error", "error_description", "resource_metadata"])
    }

    @Test func `the reader of these tests is strict`() {
        for text in [
            "Bearer", "Bearer ", #"Bearer realm=a"#, #"Bearer realm="a"#, #"Bearer realm="a","#,
            #"Bearer realm="a" error="b""#,
            #"Bearer realm="a", realm="b""#, #"Bearer realm="a", REALM="b""#, " Bearer realm=\"a\"", #"Bearer ="a""#,
            "Bearer realm=\"\u{7F}\"",
        ] {
            #expect(Challenge(text) == nil)
        }
        #expect(Challenge(#"Bearer realm="a\"b", error="c""#)?["realm"] == #"a"b"#)
    }
}
