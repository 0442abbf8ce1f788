import JOSE
import OAuth

/// `request_object` of a client: the signed object that carries the authorization request (RFC 9101).
enum RequestObjectSection {
    private static let table = SettingTable(
        "the settings of request objects", defaults: AuthorizationRequestSettings(),
        [
            .key(
                "key", .object(SecretReference.shape(noun: "a reference to a private key")), .optional,
                example: "{ file: /run/secrets/request.key }",
                "The private key in PEM that signs them; that of private_key_jwt by default."),
            .key(
                "algorithm", .text(AlgorithmText.ofRequestObjects), .optional, example: "PS256",
                "What they are signed with; what fits the key by default (PS256 for RSA)."),
            .key(
                "key_id", .text(PlainText.detail), .optional, example: "shop-2026",
                "The kid of the key where it was registered; its RFC 7638 thumbprint by default."),
            .word(
                "type", \.objectType, [("oauth-authz-req+jwt", .authorizationRequest), ("JWT", .jwt)],
                "Their typ; JWT is for servers that do not know the other."),
            .seconds("lifetime", \.objectLifetime, 60...3600, "How long one is good."),
            .key(
                "encryption", .object(encryption), .optional, example: "{ algorithm: RSA-OAEP-256 }",
                "Encrypts them to the server, beside the signature."),
            .flag(
                "sha256_fragment", \.hashesRequestURI,
                "Puts the object's hash into its URL, for signed_by_reference (OpenID Connect Core section 6.2)."),
            .flag(
                "repeat_parameters", \.repeatsParameters,
                "Repeats response_type and scope in the URL, for servers of OpenID Connect that insist on them."),
        ])
    static let shape = table.shape

    private static let encryption = ObjectShape(
        noun: "the encryption of request objects",
        keys: [
            KeyDescription(
                "algorithm",
                .word(
                    KeyManagementAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.name),
                    never: ["rsa1_5": "its padding can be broken through the server: choose RSA-OAEP-256"]),
                .required, example: "RSA-OAEP-256", "How the content key gets to the server (alg)."),
            KeyDescription(
                "encoding", .word(ContentEncryption.allCases.map(\.name)), .standard("A256GCM"),
                "How the content is encrypted (enc)."),
        ])

    static func apply(
        _ object: CheckedObject?, to settings: inout AuthorizationRequestSettings, _ problems: ProblemList
    ) {
        guard let object else { return }
        table.read(object, into: &settings)
        if let encryption = object.object("encryption"), let algorithm = encryption.text("algorithm") {
            settings.encryption = .init(
                algorithm: algorithm.text, encoding: encryption.text("encoding")?.text ?? "A256GCM")
        }
        if settings.hashesRequestURI, settings.form != .signedByReference {
            problems.error(
                at: object.place(of: "sha256_fragment"), expected: "sha256_fragment with signed_by_reference alone",
                found: settings.form.rawValue, remedy: "leave it out: the object has no URL of ours in this form")
        }
        if settings.repeatsParameters, settings.form == .pushedSigned {
            problems.error(
                at: object.place(of: "repeat_parameters"), expected: "no repeat_parameters for pushed_signed",
                found: "true", remedy: "leave it out: the URL has nothing but client_id and request_uri then (RFC 9126)"
            )
        }
    }

    /// The key that signs, or nil after the problem has been noted.
    static func key(
        _ client: CheckedObject, _ method: ClientCredentials.Method?, _ form: AuthorizationRequestSettings.Form,
        _ translation: Translation
    ) -> SigningJWK? {
        let object = client.object("request_object")
        if let reference = object?.object("key") { return own(reference, object, translation) }
        // A request_object or a key that does not fit has been told.
        guard !client.says("request_object") || object.map({ !$0.says("key") }) ?? false else { return nil }
        // Which method it is to be is not known: what is wrong with it has been told.
        guard let method else { return nil }
        guard case .privateKeyJWT(let key) = method else {
            let place = client["authorization_request"]?.place ?? client.place(of: "profile")
            translation.problems.error(
                at: place, expected: "a key for \(form.rawValue) beside \(method.name)", found: "none",
                remedy:
                    "add  request_object: { key: { file: /run/secrets/request.key } } ; make one with  portcullis keys new client"
            )
            return nil
        }
        return shared(key, object, translation.problems)
    }

    private static func own(
        _ reference: CheckedObject, _ object: CheckedObject?, _ translation: Translation
    ) -> SigningJWK? {
        guard
            let value = SecretReference.resolve(
                reference, translation, noun: "a private key", sensitivity: .secret, limit: PrivateKeyPEM.maximumBytes)
        else { return nil }
        let said = object?.text("algorithm")
        return PrivateKeyPEM.read(
            value.bytes, at: value.place,
            said.flatMap { said in AlgorithmText.algorithm(said.text).map { ($0, said.place) } },
            keyID: object?.text("key_id")?.text, noting: translation.problems)
    }

    /// The key of the client's assertions: `typ` keeps the two kinds of token apart (RFC 9101 §10.8).
    private static func shared(
        _ key: SigningJWK, _ object: CheckedObject?, _ problems: ProblemList
    ) -> SigningJWK? {
        if let said = object?.text("algorithm"), said.text != key.algorithm.name {
            problems.error(
                at: said.place, expected: "\(key.algorithm.name), which the same key signs assertions with",
                found: said.text,
                remedy:
                    "a key has one algorithm (RFC 8725 section 3.1): change authentication.algorithm too, or add  key: { file: … }  here"
            )
            return nil
        }
        if let said = object?.text("key_id"), said.text != key.keyID {
            problems.error(
                at: said.place, expected: "the kid of authentication.key, which is the same key",
                found: Quoted.text(said.text),
                remedy: "leave it out; the name is said once, as authentication.key_id")
            return nil
        }
        return key
    }
}
