// SPDX-License-Identifier: Apache-2.0
import Crypto
import JOSE
import OAuth
import TestSupport
import Testing

private typealias Given = Requesting

private let fine = AuthorizationRequestSettings(form: .pushedSigned, responseMode: .jwt)

private func credentials(
    _ method: ClientCredentials.Method? = nil, audience: ClientCredentials.AssertionAudience = .issuer
) throws -> ClientCredentials {
    try ClientCredentials(
        clientID: Given.clientID, method: method ?? .privateKeyJWT(Given.signer()), assertionAudience: audience)
}

private func settings(
    _ settings: AuthorizationRequestSettings = fine, _ credentials: ClientCredentials,
    object: SignatureAlgorithm? = .es256, dpop: DPoPDemand = .required,
    idToken: IDTokenRules.Signature = .algorithms([.ps256])
) -> [String] {
    FAPIProfile.contradictions(
        of: settings, credentials: credentials, requestObjectAlgorithm: object, dpop: dpop, idToken: idToken
    ).map(\.setting)
}

private let certificate = ClientCredentials.Method.tls(certificateFile: "/c.pem", keyFile: "/k.pem")
private let selfSigned = ClientCredentials.Method.selfSignedTLS(certificateFile: "/c.pem", keyFile: "/k.pem")

@Suite struct `the FAPI 2.0 profile` {
    @Test(arguments: [AuthorizationRequestSettings.ResponseMode.queryJWT, .formPostJWT, .jwt])
    func `PAR-06 takes pushed signed requests and signed responses`(
        mode: AuthorizationRequestSettings.ResponseMode
    ) throws {
        var chosen = fine
        chosen.responseMode = mode
        #expect(settings(chosen, try credentials()).isEmpty)
    }

    @Test(arguments: [AuthorizationRequestSettings.Form.plain, .signed, .signedByReference, .pushed])
    func `PAR-06 takes no other form`(form: AuthorizationRequestSettings.Form) throws {
        var chosen = fine
        chosen.form = form
        #expect(settings(chosen, try credentials()) == ["authorization_request"])
    }

    @Test(arguments: [AuthorizationRequestSettings.ResponseMode.query, .formPost])
    func `CF-28 takes no unsigned response`(mode: AuthorizationRequestSettings.ResponseMode) throws {
        var chosen = fine
        chosen.responseMode = mode
        #expect(settings(chosen, try credentials()) == ["response_mode"])
    }

    @Test func `CA-01 takes a key or a certificate`() throws {
        #expect(settings(fine, try credentials(certificate)).isEmpty)
        #expect(settings(fine, try credentials(selfSigned)).isEmpty)
        #expect(settings(fine, try credentials(.privateKeyJWT(Given.signer(.ed25519)))).isEmpty)
    }

    @Test func `CA-01 takes no secret`() throws {
        let secret = Authenticating.secret(Authenticating.secret)
        for method in [
            ClientCredentials.Method.secretBasic(secret), .secretPost(secret), .secretJWT(.hs256, secret),
        ] {
            #expect(settings(fine, try credentials(method)) == ["authentication.method"])
        }
    }

    @Test(arguments: [ClientCredentials.AssertionAudience.tokenEndpoint, .endpoint])
    func `CA-06 takes no audience of an assertion but the issuer`(audience: ClientCredentials.AssertionAudience) throws
    {
        #expect(settings(fine, try credentials(audience: audience)) == ["authentication.audience"])
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .rs384, .rs512, .ps384, .es384, .es512])
    func `JAR-01 takes no other algorithm, wherever one is configured`(algorithm: SignatureAlgorithm) throws {
        #expect(settings(fine, try credentials(), object: algorithm) == ["request_object.algorithm"])
        #expect(
            settings(fine, try credentials(), idToken: .algorithms([.es256, algorithm])) == ["id_token.algorithm"])
    }

    @Test func `JAR-01 takes no assertion signed by another algorithm`() throws {
        let method = ClientCredentials.Method.privateKeyJWT(try Given.signer(.rsa, .rs256))
        #expect(settings(fine, try credentials(method)) == ["authentication.algorithm"])
    }

    @Test(arguments: FAPIProfile.algorithms)
    func `JAR-01 takes each of its own algorithms`(algorithm: SignatureAlgorithm) throws {
        #expect(settings(fine, try credentials(), object: algorithm, idToken: .algorithms([algorithm])).isEmpty)
    }

    @Test func `OIDC-06 takes no ID token made with a secret`() throws {
        let rule = IDTokenRules.Signature.secret(.hs256, Authenticating.secret(Authenticating.secret))
        #expect(settings(fine, try credentials(), idToken: rule) == ["id_token.algorithm"])
    }

    @Test func `JAR-05 takes no object that is good for more than an hour`() throws {
        var chosen = fine
        chosen.objectLifetimeSeconds = 3590
        #expect(settings(chosen, try credentials()).isEmpty)
        chosen.objectLifetimeSeconds = 3591
        #expect(settings(chosen, try credentials()) == ["request_object.lifetime"])
    }

    @Test func `DPOP-40 takes bound tokens alone: by a proof, or by the client's certificate`() throws {
        for demand in [DPoPDemand.off, .optional] {
            #expect(settings(fine, try credentials(), dpop: demand) == ["dpop"])
            #expect(settings(fine, try credentials(certificate), dpop: demand).isEmpty)
        }
    }

    @Test func `says everything at once, with what is found and what is expected`() throws {
        let secret = ClientCredentials.Method.secretBasic(Authenticating.secret(Authenticating.secret))
        let found = FAPIProfile.contradictions(
            of: AuthorizationRequestSettings(objectLifetimeSeconds: 7200), credentials: try credentials(secret),
            requestObjectAlgorithm: .rs256, dpop: .off, idToken: .algorithms([.rs256]))
        #expect(
            found.map(\.setting) == [
                "authorization_request", "response_mode", "request_object.algorithm", "request_object.lifetime",
                "authentication.method", "dpop", "id_token.algorithm",
            ])
        #expect(found.map(\.found) == ["plain", "query", "RS256", "7200s", "client_secret_basic", "off", "RS256"])
        #expect(found.allSatisfy { !$0.expected.isEmpty && !"\($0)".contains(Authenticating.secret) })
    }
}
