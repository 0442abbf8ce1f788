import Bytes
import Crypto
import JOSE

/// A compact JWE, and whether keys decrypt what nobody has encrypted.
///
/// Five lines stand for the segments before they are encoded, so that a mutation need not be base64url; anything else is
/// a token as it is.
enum JWEFuzzer {
    static let maximumBytes = 16 * 1024

    static func attempt(_ input: [UInt8]) -> Outcome {
        checkRoundTrip(input)
        let token = DecodedParts.token(input, segments: 5)
        let decrypted: CompactJWE.Decrypted
        switch read(token) {
        case .failure(let refusal):
            if refusal == .notCompact {
                hold(!CompactJWE.isJWE(token.span), "what has five segments is read as having them")
            }
            hold(isRefused(token, for: refusal), "the same token is refused for the same reason")
            return .refused
        case .success(let found): decrypted = found
        }
        hold(CompactJWE.isJWE(token.span), "nothing decrypts that does not look encrypted")
        hold(known.contain(token), "nothing decrypts but what was encrypted, to its last bit")
        hold(decrypted.plaintext.count < token.count, "nothing grows")
        hold(KeyManagementAlgorithm(name: decrypted.algorithm) != nil, "the algorithm is one of ours")
        hold(ContentEncryption(name: decrypted.encoding) != nil, "the encoding is one of ours")
        guard let inside = try? decrypted.signedToken() else { return .refused }
        hold(inside == decrypted.plaintext, "what was encrypted is kept as it came")
        hold(!CompactJWE.isJWE(inside.span), "no token is encrypted twice")
        return .accepted
    }

    private static func read(_ token: [UInt8]) -> Result<CompactJWE.Decrypted, JWERefusal> {
        Result { () throws(JWERefusal) in
            try CompactJWE.decrypt(token.span, with: keys, secrets: secrets, maximumBytes: maximumBytes)
        }
    }

    private static func isRefused(_ token: [UInt8], for refusal: JWERefusal) -> Bool {
        if case .failure(refusal) = read(token) { true } else { false }
    }

    /// The input as a text that two share a secret for: it is read as it was, and no longer once a bit differs.
    private static func checkRoundTrip(_ text: [UInt8]) {
        guard text.count < 4096, let secret = secrets.last else { return }
        let encoding = text.count % 2 == 0 ? "A256GCM" : "A128CBC-HS256"
        guard
            var token = try? CompactJWE.encrypt(text.span, with: secret, encoding: encoding, contentType: nil)
        else { fatalError("what is short enough is encrypted") }
        guard case .success(let decrypted) = read(token) else { fatalError("what is encrypted is decrypted") }
        hold(decrypted.plaintext == text, "what was encrypted comes back")
        let place = token.count - 1 - text.count % 40
        guard token[place] != UInt8(ascii: ".") else { return }
        token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "Q") : UInt8(ascii: "A")
        if case .success = read(token) { fatalError("a touched token is none") }
    }

    private static func key(_ pem: String, _ algorithm: String, _ keyID: String) -> DecryptionJWK {
        guard let key = try? DecryptionJWK(pem: Secret(Array(pem.utf8)), algorithm: algorithm, keyID: keyID)
        else { fatalError("the keys are keys") }
        return key
    }

    private static func secret(_ text: String, _ algorithm: String, _ keyID: String) -> DecryptionSecret {
        let text = Array(text.utf8)
        guard let bytes = Base64URL.decode(text.span),
            let secret = try? DecryptionSecret(Secret(bytes), algorithm: algorithm, keyID: keyID)
        else { fatalError("the secrets are secrets") }
        return secret
    }

    private static let known = EncryptedSeeds("jwe")
    private static let secrets = [
        secret("KsQyNPIALPC8sgdJOJDBnw", "A128KW", "w"),
        secret("qjRCCVQczOOgtZAxmUCHihr8Tq0_Rt02n0nd5w3U2gE", "dir", "d"),
    ]
    /// The keys that the seeds were encrypted to; they are for nothing else.
    private static let keys = [
        key(
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1AhOaPIt+a6JCaZU
            ta8U5Ot5Vk15ExZ2RSjeWSN2emuhRANCAARmStTY0NAkduq+EKQJ6hEpGuCXJm8Z
            aZkRfPYSPtdO7KVSwTALleHm7QPZfg2oJyP1wT2oYm0VxtDNfRW6qU27
            -----END PRIVATE KEY-----
            """, "ECDH-ES+A128KW", "ec"),
        key(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VuBCIEIGD+pU/hgGR+mJI9xja88KCDFZ0rUQtaZ0ufrrnOCuBq
            -----END PRIVATE KEY-----
            """, "ECDH-ES", "x"),
        key(
            """
            -----BEGIN PRIVATE KEY-----
            MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDmjHMMoS5ebVGZ
            vIZfQXzAwHoA8NHvoA8nwDZWYJUzqy+duL0Azn2W+42c4VJKYHaPRN4xDrGbnZv0
            EQLdGWEnxcGCzxkvCbhZXqcPTlrzi692/Ti7oz6ntfZg7NJAUYZzgjaoxCcOm2vT
            /8MLdbYLrNPN1GGwVmMreeRagPnoNnAFh+jlzVgM73ZNr0O5Ju042wTa9+Ri5BMd
            N9ShwZShIbwGfFcU/fJuIU3J7jVza+XfYfEFmj5W/Ur5qc62S6h/4q5+ZaJ3RMte
            KbE0BRKBSC7X9H8YG93NYXp1tWyy4USga3gtPDENvFFZ97ViYdIXuI6EtK/BlZ4g
            k9SjguO3AgMBAAECggEAWGQXxgtT8ksaYoVnxUSf1mzVOeAatTMaLGTi0FomShGD
            Z4aJHDKO7yCR6khvGuoB+qruP0PBb4bNYJVXEjrlR3Dn4MWTA7hH0CfciB9D+qUf
            CFFMe5A6eOVoST/y2ksHb+jIGQtfaBfJjxW7i3y9Z5uC9yLKs2djjSsmFFbnuZHP
            BiQfnalvz0aJDJrrhrTLoMKt7oANGzF9jUSAI+ErRLYZGR9YUHmqrvq9rO29xdGX
            ujcn4cIgDRncL2lcljAA/c4Gha2L1LfyjK58HRmTILBFc3gyzUo04N1VWMOSOkxd
            TvXAGIIKGF94Otbk5EsWCN1VxVLURJdO6pEBxpFa6QKBgQD+JImj8M6jnyugkcA1
            s34dyzVOELt/VAzZF3bE2Gt8oWLThjN+quuykyRz9qoTy1QzJz+goZVjScApXZUs
            4CZQNpLXUCXfe7wPxPN1WBS61qalyWfl4OXeuvsWsiwr+VjzwgP/924ohDdJsREt
            bd9xobx1KwAOEB4Tu8oEP68buQKBgQDoO8VS0hGDUXvCLlmyJs8xHAZIg3T69UWX
            Ku+0j3KPCsLEN8I4kdOpAkZuJZ13gPxPpMhDL/YF8qcniV55E76Kp6gev1EKidVT
            qjIViNCBnq+igAGYQhEOc1ss141b3jr20JvBkHm7q90+240Vl84Jt4nesFZBTmYZ
            EFT9ZD0S7wKBgQD2cvYqzb2FPDhxaIXNTbdyKvoRLvaz/gzLhQ5+yyRI4rPUTeKn
            5hXUwQ3rinrZ4SZQyLHSEn+snftD4eVkdCWTSajSNX3Un8f6PtKcq4LGwJswUAR6
            DsK7X/VXyAY/ynixQSbh1M61aam3w4bV2CODrQT1VnKiMI0KM+QuhJdJuQKBgAMH
            nJhrAy16Z6nt3t+zH+rdGbvicyk+/+xr8/qgEHeLRWU38QG57U/8Jp0TQo2nkiMb
            3Dz8KDKFquaaJTBhMJAwhcH47v67M5xG0SZ0xXubbWEqWFr7KavNl3frS/3R1WUY
            7Z9F2kC3ikhipuGMPHTl/xd3p3hspGpZSzKPFzjjAoGBAIOcr6uiu1Ed5C5F5s4B
            KVB8ocuFBCGXc3JbJWNER9cLGWlS+j7VEvMOJkII5H9qkfsdhUD2tYrDvU61/cwK
            3+AUjUcni8VxdFnwmVlCSf8sA0fiyNKXhfTrJLRudszn05HlXWJD8LkcqUWqcoDt
            CTBXOJMp6ANOV+WottOpUGVt
            -----END PRIVATE KEY-----
            """, "RSA-OAEP-256", "rsa"),
    ]
}
