import JOSE
import OAuth
import TestTraits
import Testing

@Suite struct `the DPoP challenge` {
    private let plain = TokenChallenge(.dpop(algorithms: [.es256, .ps256]), realm: "r")
    private let full = TokenChallenge(
        .dpop(algorithms: DPoPRules().algorithms), realm: "orders", scopes: ["orders:read"],
        resourceMetadata: "https://api.example/.well-known/oauth-protected-resource")

    private static let problems: [TokenChallenge.Problem] = [
        .none, .invalidToken("x"), .insufficientScope(["a"]), .invalidRequest("x"), .invalidProof("x"), .useNonce,
        .insufficientUserAuthentication("x", acrValues: ["a"], maxAge: 5, scopes: ["b"]),
    ]

    @Test(.holds("DPOP-23")) func `the challenge without credentials reads as RFC 9449 prints it`() {
        // Figure 15, and the realm.
        #expect(plain.value() == #"DPoP realm="r", algs="ES256 PS256""#)
        #expect(
            full.value()
                == #"DPoP realm="orders", algs="ES256 PS256 EdDSA", scope="orders:read", resource_metadata="https://api.example/.well-known/oauth-protected-resource""#
        )
    }

    @Test(.holds("DPOP-23"), arguments: problems)
    func `every challenge names the algorithms once, in their order`(problem: TokenChallenge.Problem) throws {
        let read = try #require(Challenge(full.value(problem)))
        #expect(read.scheme == "DPoP" && read.parameters.first?.name == "realm")
        #expect(read["algs"] == "ES256 PS256 EdDSA")
        let order = [
            "realm", "error", "error_description", "acr_values", "max_age", "algs", "scope", "resource_metadata",
        ]
        #expect(read.parameters.map(\.name) == order.filter { read[$0] != nil })
        let other = try #require(Challenge(TokenChallenge(.dpop(algorithms: [.es512]), realm: "r").value(problem)))
        #expect(other["algs"] == "ES512")
    }

    @Test(.holds("DPOP-19")) func `a proof of another key reads as RFC 9449 prints it`() {
        // Figure 16, and the realm.
        #expect(
            TokenChallenge(.dpop(algorithms: [.es256]), realm: "r").value(.invalidToken("Invalid DPoP key binding"))
                == #"DPoP realm="r", error="invalid_token", error_description="Invalid DPoP key binding", algs="ES256""#
        )
    }

    @Test(.holds("DPOP-01")) func `a proof that proves nothing has its own error`() {
        #expect(
            plain.value(.invalidProof("The proof is not for this request"))
                == #"DPoP realm="r", error="invalid_dpop_proof", error_description="The proof is not for this request", algs="ES256 PS256""#
        )
    }

    @Test(.holds("DPOP-11")) func `a nonce is asked for as RFC 9449 prints it`() {
        // Figure 24, and the realm and the algorithms.
        #expect(
            plain.value(.useNonce)
                == #"DPoP realm="r", error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof", algs="ES256 PS256""#
        )
    }

    @Test func `the other errors are those of RFC 6750 and RFC 9470`() throws {
        let scope = try #require(Challenge(full.value(.insufficientScope(["a", "b"]))))
        #expect(scope["error"] == "insufficient_scope" && scope["scope"] == "a b")
        let request = try #require(Challenge(full.value(.invalidRequest("Multiple methods"))))
        #expect(request["error"] == "invalid_request" && request["error_description"] == "Multiple methods")
        let stepUp = full.value(
            .insufficientUserAuthentication("More recent", acrValues: ["a", "b"], maxAge: 5, scopes: []))
        let read = try #require(Challenge(stepUp))
        #expect(read["error"] == "insufficient_user_authentication" && read["error_description"] == "More recent")
        #expect(read["acr_values"] == "a b" && read["max_age"] == "5" && read["scope"] == nil)
    }

    @Test func `nothing outside printable ASCII gets into a challenge`() throws {
        let hostile = "a\r\nDPoP-Nonce: x\0\u{7F}é\""
        let challenge = TokenChallenge(
            .dpop(algorithms: [.es256]), realm: hostile, scopes: [hostile], resourceMetadata: hostile)
        for problem in [
            TokenChallenge.Problem.none, .invalidToken(hostile), .invalidRequest(hostile), .invalidProof(hostile),
            .insufficientScope([hostile]),
            .insufficientUserAuthentication(hostile, acrValues: [hostile], maxAge: .min, scopes: [hostile]),
        ] {
            let value = challenge.value(problem)
            #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            let read = try #require(Challenge(value))
            #expect(read["scope"] == nil && read["acr_values"] == nil)
        }
    }
}
