import Access
import JOSE
import OAuth
import TestTraits
import Testing

@testable import Gateway

private let metadata = "https://api.example/.well-known/oauth-protected-resource"

/// What a refusal is answered with on a route that takes these schemes.
private func lines(
    _ refusal: Refusal, _ schemes: [TokenSettings.Scheme], _ attempted: AttemptedScheme = .none,
    acr: [String] = [], maxAge: Int? = nil, scopes: [String] = ["read"], metadata url: String? = metadata,
    algorithms: [SignatureAlgorithm] = [.es256, .ps256]
) -> [String] {
    var settings = TokenSettings(issuers: ["main"], audiences: ["x"])
    settings.realm = "r"
    settings.schemes = schemes
    settings.dpop.algorithms = algorithms
    settings.rights.acrValues = acr
    settings.rights.maximumAge = maxAge.map { .seconds($0) }
    let challenges = Challenges(settings, attempted: attempted, scopes: scopes, resourceMetadata: url)
    return challenges.fields(for: refusal).map { name, value in
        name == "WWW-Authenticate" ? value : "\(name): \(value)"
    }
}

/// The texts of the challenges with what goes before and behind the error.
private func bearer(_ error: String = "") -> String {
    #"Bearer realm="r"\#(error), scope="read", resource_metadata="\#(metadata)""#
}

private func dpop(_ error: String = "") -> String {
    #"DPoP realm="r"\#(error), algs="ES256 PS256", scope="read", resource_metadata="\#(metadata)""#
}

private let expired = #", error="invalid_token", error_description="The access token expired""#
private let repeated = #", error="invalid_request", error_description="More than one set of credentials was sent""#
private let replayed = #", error="invalid_dpop_proof", error_description="The DPoP proof was used before""#
private let nonce = #", error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#
private let scope = #", error="insufficient_scope""#
private let both: [TokenSettings.Scheme] = [.bearer, .dpop]

@Suite struct `challenges` {
    @Test(.holds("RS-02", "DPOP-23"))
    func `without credentials name every scheme of the route, Bearer first, and no error`() {
        #expect(lines(.credentialsMissing, [.bearer]) == [bearer()])
        #expect(lines(.credentialsMissing, [.dpop]) == [dpop()])
        #expect(lines(.credentialsMissing, both) == [bearer(), dpop()])
        #expect(lines(.credentialsMissing, [.dpop, .bearer]) == [bearer(), dpop()])
        for attempted in [AttemptedScheme.none, .bearer, .dpop] {
            #expect(lines(.schemeNotEnabled, both, attempted) == [bearer(), dpop()])
        }
    }

    @Test(.refuses("RS-14", "DPOP-20")) func `tell what was wrong with a token to the scheme that was tried`() {
        #expect(lines(.tokenExpired, [.bearer], .bearer) == [bearer(expired)])
        #expect(lines(.tokenExpired, [.dpop], .dpop) == [dpop(expired)])
        #expect(lines(.tokenExpired, both, .bearer) == [bearer(expired), dpop()])
        #expect(lines(.tokenExpired, both, .dpop) == [bearer(), dpop(expired)])
    }

    @Test(.refuses("RS-05")) func `tell of a request that cannot be read in every scheme`() {
        #expect(lines(.credentialsRepeated, [.bearer]) == [bearer(repeated)])
        #expect(lines(.credentialsRepeated, [.dpop]) == [dpop(repeated)])
        #expect(lines(.credentialsRepeated, both) == [bearer(repeated), dpop(repeated)])
        #expect(lines(.credentialsRepeated, both, .dpop) == [bearer(repeated), dpop(repeated)])
    }

    @Test(.holds("RS-19")) func `ask for scopes in the scheme that was tried alone`() {
        #expect(lines(.scopeInsufficient, [.bearer], .bearer) == [bearer(scope)])
        #expect(lines(.scopeInsufficient, [.dpop], .dpop) == [dpop(scope)])
        #expect(lines(.scopeInsufficient, both, .bearer) == [bearer(scope)])
        #expect(lines(.scopeInsufficient, both, .dpop) == [dpop(scope)])
    }

    @Test(.holds("DPOP-01", "DPOP-15")) func `tell of a proof in the challenge of DPoP, with Bearer's beside it`() {
        #expect(lines(.proofReplayed, [.dpop], .dpop) == [dpop(replayed)])
        #expect(lines(.proofReplayed, both, .dpop) == [bearer(), dpop(replayed)])
    }

    @Test(.holds("DPOP-11")) func `ask for a nonce in one line`() {
        for refusal in [Refusal.proofNonceMissing, .proofNonceUnknown] {
            #expect(lines(refusal, [.dpop], .dpop) == [dpop(nonce)])
            #expect(lines(refusal, both, .dpop) == [dpop(nonce)])
        }
    }

    @Test(.holds("STEP-01", "STEP-02", "STEP-03"))
    func `ask for another sign-in with everything that the route wants of it`() {
        let high = #", error="insufficient_user_authentication", error_description="#
        let level = high + #""A different authentication level is required", acr_values="gold silver", max_age="300""#
        let recent = high + #""More recent authentication is required", acr_values="gold silver", max_age="300""#
        let end = #", resource_metadata="\#(metadata)""#
        let acr = ["gold", "silver"]
        for schemes in [[.bearer], both] as [[TokenSettings.Scheme]] {
            #expect(
                lines(.authenticationInsufficient, schemes, .bearer, acr: acr, maxAge: 300)
                    == [#"Bearer realm="r""# + level + end])
        }
        for schemes in [[.dpop], both] as [[TokenSettings.Scheme]] {
            #expect(
                lines(.authenticationTooOld, schemes, .dpop, acr: acr, maxAge: 300)
                    == [#"DPoP realm="r""# + recent + #", algs="ES256 PS256""# + end])
        }
    }

    @Test(.refuses("RS-08")) func `are in a refusal where other credentials could help, and in no other`() {
        for refusal in Refusal.allCases {
            let isAnswered =
                switch refusal.template {
                case .noCredentials, .token, .scope, .request, .proof, .nonce, .stepUp, .login: true
                case .message, .denied, .page, .authorizationDown, .tooLarge, .slow, .plain, .badGateway: false
                }
            for attempted in [AttemptedScheme.bearer, .dpop] {
                let said = lines(refusal, both, attempted)
                #expect(said.isEmpty == !isAnswered, "\(refusal)")
                #expect(said.count { $0.hasPrefix("Bearer ") } <= 1 && said.count { $0.hasPrefix("DPoP ") } <= 1)
                #expect(said.allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } })
            }
            // A 401 without a challenge is no 401 (RFC 9110 §15.5.2).
            #expect(refusal.status != 401 || isAnswered, "\(refusal)")
        }
    }
}

/// A challenge as a client reads it: the order of parameters says nothing.
private struct ReadChallenge: Equatable, CustomStringConvertible {
    let scheme: String
    let parameters: [String: String]
    var description: String { "\(scheme) \(parameters)" }

    init(_ line: String) {
        scheme = String(line.prefix { $0 != " " })
        var read: [String: String] = [:]
        for match in line.matches(of: #/([a-z_]+)="([^"]*)"/#) { read[String(match.1)] = String(match.2) }
        parameters = read
    }

    /// Without what is ours to choose: the realm that we always name (D-2), and the words for people.
    func leavingOut(_ names: [String]) -> ReadChallenge {
        ReadChallenge(scheme, parameters.filter { !names.contains($0.key) })
    }

    private init(_ scheme: String, _ parameters: [String: String]) {
        self.scheme = scheme
        self.parameters = parameters
    }
}

private func read(_ lines: [String], leavingOut names: [String] = []) -> [ReadChallenge] {
    lines.map { ReadChallenge($0).leavingOut(names + ["realm"]) }
}

@Suite struct `published challenges` {
    @Test(.holds("RS-15")) func `are those of RFC 6750 section 3`() {
        let said = lines(.tokenExpired, [.bearer], .bearer, scopes: [], metadata: nil)
        #expect(
            said == [#"Bearer realm="r", error="invalid_token", error_description="The access token expired""#])
        #expect(lines(.credentialsMissing, [.bearer], scopes: [], metadata: nil) == [#"Bearer realm="r""#])
    }

    @Test(.holds("DPOP-23")) func `are those of RFC 9449 Figures 15 and 17`() {
        let figure = #"DPoP algs="ES256 PS256""#
        #expect(read(lines(.credentialsMissing, [.dpop], scopes: [], metadata: nil)) == read([figure]))
        #expect(read(lines(.credentialsMissing, both, scopes: [], metadata: nil)) == read(["Bearer", figure]))
    }

    @Test(.holds("DPOP-19")) func `are those of RFC 9449 Figure 16`() {
        let said = lines(.proofKeyMismatch, [.dpop], .dpop, scopes: [], metadata: nil, algorithms: [.es256])
        let figure = #"DPoP error="invalid_token", error_description="Invalid DPoP key binding", algs="ES256""#
        #expect(read(said) == read([figure]))
    }

    @Test(.holds("RS-14")) func `are those of RFC 9449 Figure 18, in our words`() {
        let said = lines(.tokenSignatureInvalid, both, .bearer, scopes: [], metadata: nil)
        let figure = [#"Bearer error="invalid_token", error_description="Invalid token""#, #"DPoP algs="ES256 PS256""#]
        #expect(read(said, leavingOut: ["error_description"]) == read(figure, leavingOut: ["error_description"]))
        #expect(ReadChallenge(said[0]).parameters["error_description"] == "The access token is invalid")
    }

    @Test(.holds("RS-05")) func `are those of RFC 9449 Figure 19, in our words`() {
        let said = lines(.credentialsRepeated, both, scopes: [], metadata: nil)
        let text = #"error="invalid_request", error_description="Multiple methods used to include access token""#
        let figure = ["Bearer \(text)", #"DPoP algs="ES256 PS256", \#(text)"#]
        #expect(read(said, leavingOut: ["error_description"]) == read(figure, leavingOut: ["error_description"]))
    }

    @Test(.holds("DPOP-11")) func `are those of RFC 9449 Figure 24, and the algorithms`() {
        let said = lines(.proofNonceMissing, [.dpop], .dpop, scopes: [], metadata: nil)
        let text = "Resource server requires nonce in DPoP proof"
        let figure = #"DPoP error="use_dpop_nonce", error_description="\#(text)""#
        #expect(read(said, leavingOut: ["algs"]) == read([figure]))
    }

    @Test(.holds("STEP-01", "STEP-02")) func `are those of RFC 9470 Figures 2 and 3`() {
        let error = #"Bearer error="insufficient_user_authentication", error_description="#
        let level = error + #""A different authentication level is required", acr_values="myACR""#
        let recent = error + #""More recent authentication is required", max_age="5""#
        #expect(
            read(lines(.authenticationInsufficient, [.bearer], .bearer, acr: ["myACR"], scopes: [], metadata: nil))
                == read([level]))
        #expect(
            read(lines(.authenticationTooOld, [.bearer], .bearer, maxAge: 5, scopes: [], metadata: nil))
                == read([recent]))
    }

    @Test(.holds("MCP-01", "MCP-03")) func `are those that MCP clients look for`() {
        let url = "https://mcp.example.com/.well-known/oauth-protected-resource"
        let first = #"Bearer resource_metadata="\#(url)", scope="files:read""#
        #expect(
            read(lines(.credentialsMissing, [.bearer], scopes: ["files:read"], metadata: url)) == read([first]))
        let later = #"Bearer error="insufficient_scope", scope="files:write", resource_metadata="\#(url)""#
        #expect(
            read(lines(.scopeInsufficient, [.bearer], .bearer, scopes: ["files:write"], metadata: url))
                == read([later]))
    }
}
