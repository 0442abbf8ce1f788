import Crypto
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private typealias Given = Authenticating

@Suite struct `a client assertion` {
    private func methods() throws -> [ClientCredentials.Method] {
        [.secretJWT(.hs256, Given.secret(Given.secret)), .privateKeyJWT(try Given.key())]
    }

    @Test(.holds("CA-05", "CA-09")) func `is the client's own statement about itself, for a minute`() throws {
        for method in try methods() {
            let form = try ClientCredentials(clientID: "rs-1", method: method).ask()
            #expect(form.values("client_assertion_type") == ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"])
            let claims = try form.assertion().claims
            #expect(claims.members.map(\.name) == ["iss", "sub", "aud", "jti", "iat", "nbf", "exp"])
            #expect(claims["iss"]?.string == "rs-1")
            #expect(claims["sub"]?.string == "rs-1")
            #expect(form.values("client_id") == ["rs-1"])
            #expect(claims["iat"]?.integer == Given.now)
            #expect(claims["nbf"]?.integer == Given.now - 2)
            #expect(claims["exp"]?.integer == Given.now + 60)
        }
    }

    @Test(
        .holds("CA-05"), .refuses("CA-05"),
        arguments: [
            (SigningKey.p256, SignatureAlgorithm.es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA),
            (.rsa, .ps256), (.rsa, .rs256),
        ])
    func `is signed by the key's one algorithm, with its name in the header`(
        key: SigningKey, algorithm: SignatureAlgorithm
    ) throws {
        let signer = try Given.key(key, algorithm)
        let jwt = try ClientCredentials(clientID: "rs", method: .privateKeyJWT(signer)).ask().assertion()
        #expect(jwt.header.parameters.members.map(\.name) == ["alg", "kid", "typ"])
        #expect(jwt.header.keyID == signer.keyID)
        let keys = VerificationKeys(KeySet(keys: [signer.published]))
        #expect(try keys.verify(jwt.jws, algorithms: [algorithm]) == signer.published)
        #expect(throws: JOSERefusal.algorithmNotAllowed) {
            try keys.verify(jwt.jws, algorithms: SignatureAlgorithm.allCases.filter { $0 != algorithm })
        }
    }

    @Test(.holds("CA-04"), .refuses("CA-04"), arguments: MACAlgorithm.allCases)
    func `is made with the octets of the secret, and with no other`(algorithm: MACAlgorithm) throws {
        let text = String(repeating: "ü", count: 32)
        let method = ClientCredentials.Method.secretJWT(algorithm, Given.secret(text))
        let jwt = try ClientCredentials(clientID: "rs", method: method).ask().assertion()
        #expect(jwt.header.parameters.members.map(\.name) == ["alg", "typ"])
        try jwt.jws.verify(algorithm, algorithm.key(Given.secret(text)))
        let other = try algorithm.key(Given.secret(text.dropLast() + "u "))
        #expect(throws: JOSERefusal.signatureInvalid) { try jwt.jws.verify(algorithm, other) }
    }

    @Test(.holds("CA-06")) func `is for the configured issuer, as one string, whatever the metadata says`() throws {
        for method in try methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            let form = try credentials.authenticate(
                [("token", "t")], issuer: "https://as.example/tenant/", endpoint: "https://evil.example/introspect",
                tokenEndpoint: "https://evil.example/token", now: Given.now, randomness: Given.randomness())
            let audience = try #require(form.assertion().claims["aud"])
            #expect(audience.kind == .string)
            #expect(audience.equals("https://as.example/tenant/"))
        }
    }

    @Test(
        .holds("CA-06"),
        arguments: [
            (ClientCredentials.AssertionAudience.issuer, Given.issuer), (.endpoint, Given.endpoint),
            (.tokenEndpoint, Given.tokenEndpoint),
        ])
    func `is for another audience where that is configured`(
        audience: ClientCredentials.AssertionAudience, expected: String
    ) throws {
        for method in try methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method, assertionAudience: audience)
            #expect(try credentials.ask().assertion().claims["aud"]?.string == expected)
        }
    }

    @Test(.refuses("CA-06")) func `is not made for a token endpoint that the server has not`() throws {
        for method in try methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method, assertionAudience: .tokenEndpoint)
            #expect(throws: ClientAuthenticationRefusal.tokenEndpointUnknown) {
                try credentials.ask(tokenEndpoint: nil)
            }
        }
    }

    @Test(.holds("CA-07")) func `is another one for each request`() throws {
        for method in try methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            let one = try credentials.ask(randomness: Given.randomness(1)).assertion().claims
            let other = try credentials.ask(now: Given.now + 1, randomness: Given.randomness(2)).assertion().claims
            #expect(one["jti"]?.string == "AQEBAQEBAQEBAQEBAQEBAQ")
            #expect(other["jti"]?.string == "AgICAgICAgICAgICAgICAg")
            #expect(other["iat"]?.integer == Given.now + 1)
            #expect(other["exp"]?.integer == Given.now + 61)
        }
    }

    @Test(.refuses("CA-07"), arguments: [0, 1, 15])
    func `is not made with an identifier that could be guessed`(count: Int) throws {
        for method in try methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method)
            #expect(throws: ClientAuthenticationRefusal.randomnessTooShort) {
                try credentials.ask(randomness: [UInt8](repeating: 1, count: count))
            }
        }
    }

    @Test(.holds("CA-07")) func `lives as long as configured`() throws {
        let method = ClientCredentials.Method.privateKeyJWT(try Given.key())
        let credentials = try ClientCredentials(clientID: "rs", method: method, assertionLifetime: .seconds(20))
        #expect(try credentials.ask().assertion().claims["exp"]?.integer == Given.now + 20)
    }

    @Test(
        .holds("CA-08"), .refuses("CA-08"),
        arguments: [
            (ClientCredentials.AssertionType.jwt, "JWT"), (.clientAuthentication, "client-authentication+jwt"),
        ])
    func `has the configured type, and never a request object's`(
        type: ClientCredentials.AssertionType, expected: String
    ) throws {
        for method in try methods() {
            let credentials = try ClientCredentials(clientID: "rs", method: method, assertionType: type)
            let header = try credentials.ask().assertion().header
            #expect(header.type == expected)
            #expect(!header.hasType("oauth-authz-req+jwt"))
        }
    }

    @Test(.holds("CA-10"), .refuses("CA-10")) func `names its subject, so that it passes for no request object`() throws
    {
        for method in try methods() {
            let claims = try ClientCredentials(clientID: "rs", method: method).ask().assertion().claims
            #expect(claims["sub"]?.string == "rs")
            #expect(claims["client_id"] == nil && claims["response_type"] == nil)
        }
    }
}
