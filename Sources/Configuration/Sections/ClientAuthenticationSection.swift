import Crypto
import JOSE
import OAuth

/// `authentication` of a client: one method, and what that method needs (RFC 6749 §2.3, CA-01).
enum ClientAuthenticationSection {
    /// A method with the keys that it needs, and those that it may have beside them.
    private struct Rule {
        var method: String
        var needs: [String]
        var mayHave: [String] = []
    }

    private static let rules = [
        Rule(method: "client_secret_basic", needs: ["secret"]),
        Rule(method: "client_secret_post", needs: ["secret"]),
        Rule(method: "client_secret_jwt", needs: ["secret"], mayHave: ["algorithm", "audience", "type"]),
        Rule(method: "private_key_jwt", needs: ["key"], mayHave: ["algorithm", "key_id", "audience", "type"]),
        Rule(method: "tls_client_auth", needs: ["certificate", "key"]),
        Rule(method: "self_signed_tls_client_auth", needs: ["certificate", "key"]),
        Rule(method: publicClient, needs: ["public"]),
    ]
    /// The method of a client that proves nothing.
    static let publicClient = "none"

    static let shape = ObjectShape(
        noun: "the authentication of a client",
        keys: [
            KeyDescription(
                "method",
                .word(rules.map(\.method)), .required, example: "private_key_jwt",
                "The method that the client is registered with."),
            KeyDescription(
                "secret", .object(SecretReference.shape(noun: "a reference to a secret")), .optional,
                example: "{ file: /run/secrets/client }", "The client secret, for the methods that begin with it."),
            KeyDescription(
                "key", .object(SecretReference.shape(noun: "a reference to a private key")), .optional,
                example: "{ file: /run/secrets/client.key }",
                "The private key in PEM, for private_key_jwt and the methods with a certificate."),
            KeyDescription(
                "algorithm", .text(AlgorithmText.ofAssertions), .optional, example: "ES256",
                "What assertions are signed with; HS256, or what fits the key, by default (PS256 for RSA)."),
            KeyDescription(
                "key_id", .text(PlainText.detail), .optional, example: "shop-2026",
                "The kid of the key where it was registered; its RFC 7638 thumbprint by default."),
            KeyDescription(
                "certificate", .text(PlainText.file), .optional, example: "/run/secrets/client.crt",
                "PEM file with the certificate chain, for the methods with a certificate."),
            KeyDescription(
                "public", .onlyTrue, .optional, example: "true",
                "For none: anybody can be this client, and PKCE alone guards its logins. Better is any other method."),
            KeyDescription(
                "audience", .word(["issuer", "token_endpoint", "endpoint"]), .standard("issuer"),
                "What aud of an assertion names; the other two are for servers that do not accept their issuer."),
            KeyDescription(
                "type", .word(["JWT", "client-authentication+jwt"]), .standard("JWT"), "The typ of an assertion."),
        ])

    /// The method with its secret or key, or nil after at least one problem has been noted.
    static func method(_ object: CheckedObject, _ translation: Translation) -> ClientCredentials.Method? {
        guard let name = object.text("method"), let rule = rules.first(where: { $0.method == name.text }) else {
            return nil
        }
        judgeKeys(object, rule, name.place, translation.problems)
        guard rule.needs.allSatisfy({ object[$0] != nil }) else { return nil }
        switch name.text {
        case "client_secret_basic": return secret(object, translation).map { .secretBasic(Secret($0.bytes)) }
        case "client_secret_post": return secret(object, translation).map { .secretPost(Secret($0.bytes)) }
        case "client_secret_jwt": return secretJWT(object, translation)
        case "private_key_jwt": return signingKey(object, translation).map { .privateKeyJWT($0) }
        case "tls_client_auth":
            return pair(object, translation).map { .tls(certificateFile: $0.certificate, keyFile: $0.key) }
        case publicClient:
            warnOfPublicClient(name.place, translation.problems)
            return .publicClient
        default:
            return pair(object, translation).map { .selfSignedTLS(certificateFile: $0.certificate, keyFile: $0.key) }
        }
    }

    static func audience(_ object: CheckedObject) -> ClientCredentials.AssertionAudience {
        switch object.text("audience")?.text {
        case "token_endpoint": .tokenEndpoint
        case "endpoint": .endpoint
        default: .issuer
        }
    }

    /// A key that the method does not read would let somebody believe that it protects something.
    private static func judgeKeys(
        _ object: CheckedObject, _ rule: Rule, _ place: Place, _ problems: ProblemList
    ) {
        for key in rule.needs where !object.says(key) {
            problems.error(
                at: place, expected: "\(key) for \(rule.method)", found: "none",
                remedy: rule.method == publicClient
                    ? "have the server give the client a secret or a key; only where it gives none, add  public: true"
                    : "add  \(key): \(shape[key]?.example ?? "…")")
        }
        for key in shape.keys.map(\.name) where object.says(key) && key != "method" {
            guard !rule.needs.contains(key), !rule.mayHave.contains(key) else { continue }
            let methods = rules.filter { $0.needs.contains(key) || $0.mayHave.contains(key) }.map(\.method)
            problems.error(
                at: object.place(of: key), expected: "no \(key) for \(rule.method)", found: "one",
                remedy: "leave it out; it is for \(methods.joined(separator: ", "))")
        }
    }

    /// A client that anybody can be: its operator says that this is meant, and is told of it all the same.
    private static func warnOfPublicClient(_ place: Place, _ problems: ProblemList) {
        problems.warning(
            at: place, expected: "a method that proves which client this is", found: publicClient,
            remedy: "have the server give the client a secret or a key: its refresh tokens are anybody's who has them")
    }

    private static func secret(
        _ object: CheckedObject, _ translation: Translation
    ) -> (bytes: [UInt8], place: Place)? {
        guard let reference = object.object("secret"),
            let value = SecretReference.resolve(
                reference, translation, noun: "a client secret", sensitivity: .secret, limit: 4096)
        else { return nil }
        let bytes = SecretReference.line(value.bytes)
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            translation.problems.error(
                at: value.place, expected: "a client secret in one line",
                found: bytes.isEmpty ? "nothing" : "line breaks or other control characters",
                remedy: "put the secret alone there; one line break at the end is fine")
            return nil
        }
        return (bytes, value.place)
    }

    private static func secretJWT(_ object: CheckedObject, _ translation: Translation) -> ClientCredentials.Method? {
        let said = object.text("algorithm")
        let algorithm = said.map { said in MACAlgorithm.allCases.first { $0.name == said.text } } ?? .hs256
        if let said, algorithm == nil {
            translation.problems.error(
                at: said.place, expected: "HS256, HS384 or HS512 for client_secret_jwt", found: Quoted.text(said.text),
                remedy: "a secret makes codes, not signatures; for signatures choose private_key_jwt")
        }
        guard let secret = secret(object, translation), let algorithm else { return nil }
        let least = algorithm.leastSecretBytes
        guard secret.bytes.count >= least else {
            translation.problems.error(
                at: secret.place, expected: "a secret of at least \(least) bytes for \(algorithm.name)",
                found: "\(secret.bytes.count) bytes",
                remedy: "a shorter one could be guessed from an assertion (RFC 7518 section 3.2): register a longer one"
            )
            return nil
        }
        return .secretJWT(algorithm, Secret(secret.bytes))
    }

    private static func signingKey(_ object: CheckedObject, _ translation: Translation) -> SigningJWK? {
        guard let reference = object.object("key"),
            let value = SecretReference.resolve(
                reference, translation, noun: "a private key", sensitivity: .secret, limit: PrivateKeyPEM.maximumBytes)
        else { return nil }
        let said = object.text("algorithm")
        let algorithm = said.flatMap { AlgorithmText.algorithm($0.text) }
        if let said, algorithm == nil {
            translation.problems.error(
                at: said.place, expected: "an algorithm of private keys for private_key_jwt",
                found: Quoted.text(said.text), remedy: "leave algorithm out: it follows from the key")
            return nil
        }
        return PrivateKeyPEM.read(
            value.bytes, at: value.place, said.flatMap { said in algorithm.map { ($0, said.place) } },
            keyID: object.text("key_id")?.text, noting: translation.problems)
    }

    /// The files that libcurl shows in the handshake.
    private static func pair(
        _ object: CheckedObject, _ translation: Translation
    ) -> (certificate: String, key: String)? {
        guard let certificate = object.text("certificate"), let reference = object.object("key") else { return nil }
        guard let key = reference.text("file") else {
            if let variable = reference.text("env") {
                translation.problems.error(
                    at: variable.place, expected: "a key in a file beside certificate",
                    found: "an environment variable",
                    remedy: "write it as  key: { file: /run/secrets/client.key }")
            }
            return nil
        }
        translation.judgePair(certificate, key)
        return (translation.resolved(certificate), translation.resolved(key))
    }
}
