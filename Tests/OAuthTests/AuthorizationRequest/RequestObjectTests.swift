import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

@testable import OAuth

private typealias Given = Requesting

@Suite struct `a request object` {
    static let algorithms: [(SigningKey, SignatureAlgorithm)] = [
        (.rsa, .ps256), (.rsa, .rs256), (.rsa, .rs384), (.p256, .es256), (.p384, .es384), (.ed25519, .edDSA),
    ]

    @Test(.holds("JAR-01"), arguments: algorithms)
    func `is signed by the one algorithm of its key`(key: SigningKey, algorithm: SignatureAlgorithm) throws {
        let signer = try Given.signer(key, algorithm)
        let (header, _) = try Given.open(Given.object(by: signer), by: signer)
        #expect(header.algorithm == algorithm)
    }

    @Test(.refuses("JAR-01")) func `does not verify with another key, nor when a byte of it is another`() throws {
        let object = try Given.object(by: Given.signer(.p256))
        #expect(throws: (any Error).self) { try Given.open(object, by: Given.signer(.otherP256)) }
        for position in object.indices where position % 7 == 0 {
            var changed = object
            changed[position] = changed[position] == 0x41 ? 0x42 : 0x41
            #expect(throws: (any Error).self) { try Given.open(changed) }
        }
    }

    @Test(
        .holds("JAR-02"),
        arguments: [
            (AuthorizationRequestSettings.ObjectType.authorizationRequest, "oauth-authz-req+jwt"), (.jwt, "JWT"),
        ])
    func `says what it is, and by whose key`(
        type: AuthorizationRequestSettings.ObjectType, expected: String
    ) throws {
        let signer = try Given.signer()
        var settings = AuthorizationRequestSettings(form: .signed)
        settings.objectType = type
        let parameters = Given.parameters(settings)
        let (header, _) = try Given.open(Given.object(parameters))
        #expect(header.type == expected)
        #expect(header.keyID == signer.keyID)
    }

    @Test(.refuses("JAR-02")) func `is of no third type`() {
        #expect(AuthorizationRequestSettings.ObjectType(rawValue: "foo") == nil)
        #expect(AuthorizationRequestSettings.ObjectType(rawValue: "at+jwt") == nil)
    }

    @Test(.holds("JAR-03")) func `says all that is asked, for whom and by whom`() throws {
        let claims = try Given.open(Given.object()).claims
        let expected = [
            "iss": Given.clientID, "aud": Given.issuer, "client_id": Given.clientID, "response_type": "code",
            "redirect_uri": Given.redirectURI, "scope": "openid", "state": "the-state", "nonce": "the-nonce",
            "code_challenge": Given.challenge, "code_challenge_method": "S256", "jti": Given.identifier,
        ]
        for (name, value) in expected { #expect(claims[name]?.string == value, "\(name)") }
        #expect(Set(claims.members.map(\.name)) == Set(expected.keys).union(["iat", "nbf", "exp"]))
    }

    @Test(
        .holds("JAR-03"),
        arguments: ["https://tenant.example/", "https://tenant.example", "https://TENANT.example:443/a%2Fb//"])
    func `names the server byte for byte, slash and all`(issuer: String) throws {
        let claims = try Given.open(Given.object(issuer: issuer)).claims
        #expect(claims["aud"]?.equals(issuer) == true)
        #expect(claims["aud"]?.kind == .string)
    }

    @Test(.holds("JAR-04")) func `keeps numbers and structures what they are`() throws {
        let parameters = Given.parameters(try Given.everything(form: .signed))
        let claims = try Given.open(Given.object(parameters)).claims
        #expect(claims["max_age"]?.integer == 300)
        #expect(claims["max_age"]?.kind == .number)
        #expect(claims["claims"]?.kind == .object)
        #expect(claims["authorization_details"]?.kind == .array)
        #expect(claims["authorization_details"]?.elements.first?["amount"]?.numberText == "12.50")
        #expect(
            claims["resource"]?.elements.compactMap(\.string) == ["https://api.example/a", "https://api.example/b"])
        #expect(claims["acr_values"]?.string == "gold silver")
        #expect(claims["login_hint"]?.string == "ü@example.com")
    }

    @Test(.holds("JAR-04")) func `has one resource as a string, and none as nothing`() throws {
        let one = Given.parameters(AuthorizationRequestSettings(resources: ["https://api.example/a"]))
        #expect(try Given.open(Given.object(one)).claims["resource"]?.string == "https://api.example/a")
        #expect(try Given.open(Given.object()).claims["resource"] == nil)
    }

    @Test(.refuses("JAR-04")) func `never names another request nor a subject, and says no name twice`() throws {
        for settings in [AuthorizationRequestSettings(), try Given.everything()] {
            let claims = try Given.open(Given.object(Given.parameters(settings, proofThumbprint: "t"))).claims
            for name in ["sub", "request", "request_uri"] { #expect(claims[name] == nil, "\(name)") }
            #expect(claims["max_age"]?.kind != .string)
            // The parser refuses a name that comes twice, so that reading it at all is the check.
            #expect(claims.kind == .object)
        }
    }

    @Test(.holds("JAR-05"), arguments: [1, 60, 300, 3590])
    func `begins ten seconds ago and ends when it is told to`(lifetime: Int) throws {
        let parameters = Given.parameters(AuthorizationRequestSettings(objectLifetime: .seconds(lifetime)))
        let claims = try Given.open(Given.object(parameters)).claims
        #expect(claims["iat"]?.integer == Given.now)
        #expect(claims["nbf"]?.integer == Given.now - 10)
        #expect(claims["exp"]?.integer == Given.now + Int64(lifetime))
    }

    @Test(.holds("JAR-05")) func `is good for 310 seconds unless told otherwise`() throws {
        let claims = try Given.open(Given.object()).claims
        let end = try #require(claims["exp"]?.integer), start = try #require(claims["nbf"]?.integer)
        #expect(end - start == 310)
    }

    @Test(.refuses("JAR-05"), arguments: [Int.min, -1, 0, 3591, 86_400, Int.max])
    func `is never good for more than an hour, nor for nothing`(lifetime: Int) throws {
        let parameters = Given.parameters(AuthorizationRequestSettings(objectLifetime: .seconds(lifetime)))
        #expect(throws: RequestObjectRefusal.lifetimeNotAllowed) { try Given.object(parameters) }
    }

    @Test(.holds("JAR-05")) func `has an identifier of 64 bytes at most`() throws {
        let longest = String(repeating: "a", count: 64)
        #expect(try Given.open(Given.object(identifier: longest)).claims["jti"]?.string == longest)
    }

    @Test(.refuses("JAR-05"), arguments: ["", String(repeating: "a", count: 65), "a b", "a\"b", "ü", "a.b"])
    func `has no identifier that is longer, empty or not base64url`(identifier: String) {
        #expect(throws: RequestObjectRefusal.identifierInvalid) { try Given.object(identifier: identifier) }
    }

    @Test(.holds("JAR-06")) func `is another one for another login`() throws {
        var seen: [String: Set<String>] = [:]
        for login in 0..<3 {
            let secrets = try LoginSecrets(seed: Secret(RandomBytes.fill(32)))
            let parameters = AuthorizationParameters(
                settings: AuthorizationRequestSettings(form: .signed), clientID: Given.clientID,
                redirectURI: Given.redirectURI, state: "state-\(login)", nonce: secrets.nonce,
                challenge: secrets.challenge)
            let claims = try Given.open(Given.object(parameters, identifier: "id-\(login)")).claims
            #expect(claims["state"]?.string == "state-\(login)")
            #expect(claims["nonce"]?.string == secrets.nonce)
            #expect(claims["code_challenge"]?.string == secrets.challenge)
            for name in ["jti", "state", "nonce", "code_challenge"] {
                seen[name, default: []].insert(claims[name]?.string ?? "")
            }
        }
        #expect(seen.values.allSatisfy { $0.count == 3 })
    }

    @Test(.holds("JAR-06")) func `made at another second is another one, even for the same login`() throws {
        let earlier = try Given.open(Given.object(now: Given.now)).claims
        let later = try Given.open(Given.object(now: Given.now + 5)).claims
        #expect(earlier["iat"]?.integer != later["iat"]?.integer)
        #expect(earlier["exp"]?.integer != later["exp"]?.integer)
    }

    @Test(.holds("JAR-07"), .refuses("JAR-07")) func `escapes what a state could try`() throws {
        let state = "\",\"sub\":\"admin\",\"x\":\"\u{0}\n"
        let claims = try Given.open(Given.object(Given.parameters(state: state))).claims
        #expect(claims["state"]?.string == state)
        #expect(claims["sub"] == nil)
    }
}

@Suite struct `an encrypted request object` {
    private static func settings(
        _ algorithm: String = "ECDH-ES+A256KW", _ encoding: String = "A256GCM"
    ) -> AuthorizationRequestSettings {
        var settings = AuthorizationRequestSettings(form: .pushedSigned)
        settings.encryption = .init(algorithm: algorithm, encoding: encoding)
        return settings
    }

    @Test(.holds("JAR-10"), arguments: ["RSA-OAEP-256", "RSA-OAEP", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"])
    func `is the signed one, for the owner of the server's key alone`(algorithm: String) throws {
        let key: SigningKey = algorithm.hasPrefix("RSA") ? .rsa : .otherP256
        let recipient = try DecryptionJWK(Given.signer(key).key, algorithm: algorithm)
        let object = try Given.object(
            Given.parameters(Self.settings(algorithm)), to: [Given.signer().published, recipient.published])
        let isEncrypted = CompactJWE.isJWE(object.span)
        #expect(isEncrypted)
        let opened = try CompactJWE.decrypt(object.span, with: [recipient], maximumBytes: 65_536)
        #expect(opened.contentType == "JWT")
        #expect(opened.algorithm == algorithm)
        #expect(opened.encoding == "A256GCM")
        #expect(try Given.open(opened.plaintext).claims["state"]?.string == "the-state")
    }

    @Test(.holds("JAR-10"), .refuses("JAR-10"))
    func `is encrypted to a key of the set that the server publishes, to the one for that`()
        throws
    {
        let recipient = try DecryptionJWK(Given.signer(.otherP256).key, algorithm: "ECDH-ES+A256KW")
        let published = JWKSetWriter.write([try Given.signer().published, recipient.published])
        let set = try KeySet.parse(published.span)
        #expect(set.keys.count == 1)
        let object = try Given.object(Given.parameters(Self.settings()), to: set.encryptionKeys)
        let opened = try CompactJWE.decrypt(object.span, with: [recipient], maximumBytes: 65_536)
        #expect(try Given.open(opened.plaintext).claims["iss"]?.string == Given.clientID)
        // The keys that the server signs with are none to encrypt to.
        #expect(throws: RequestObjectRefusal.noEncryptionKey) {
            try Given.object(Given.parameters(Self.settings()), to: set.keys)
        }
    }

    @Test(.refuses("JAR-10"))
    func `is not made without a key for encryption, and nothing readable in its place`() throws {
        let signing = try Given.signer().published
        let unsaid = JWK(material: signing.material)
        let otherKind = try DecryptionJWK(Given.signer(.rsa).key, algorithm: "RSA-OAEP-256").published
        let otherAlgorithm = try DecryptionJWK(Given.signer(.otherP256).key, algorithm: "ECDH-ES").published
        for keys in [[], [signing], [unsaid], [otherKind], [otherAlgorithm], [signing, unsaid, otherKind]] {
            #expect(throws: RequestObjectRefusal.noEncryptionKey) {
                try Given.object(Given.parameters(Self.settings()), to: keys)
            }
        }
    }

    @Test(.refuses("JAR-10"), arguments: ["dir", "A256KW", "RSA1_5", "none", ""])
    func `is not made by an algorithm that no public key has`(algorithm: String) throws {
        let key = try DecryptionJWK(Given.signer(.rsa).key, algorithm: "RSA-OAEP-256").published
        #expect(throws: RequestObjectRefusal.noEncryptionKey) {
            try Given.object(Given.parameters(Self.settings(algorithm)), to: [key])
        }
    }

    @Test(.refuses("JAR-10"), arguments: ["", "A256", "none"])
    func `is not made by an encoding that nobody knows`(encoding: String) throws {
        let key = try DecryptionJWK(Given.signer(.otherP256).key, algorithm: "ECDH-ES+A256KW").published
        #expect(throws: RequestObjectRefusal.self) {
            try Given.object(Given.parameters(Self.settings("ECDH-ES+A256KW", encoding)), to: [key])
        }
    }

    @Test(.refuses("JAR-10")) func `is not made unless it is configured`() throws {
        let key = try DecryptionJWK(Given.signer(.otherP256).key, algorithm: "ECDH-ES+A256KW").published
        let object = try Given.object(to: [key])
        let isEncrypted = CompactJWE.isJWE(object.span)
        #expect(!isEncrypted)
    }
}
