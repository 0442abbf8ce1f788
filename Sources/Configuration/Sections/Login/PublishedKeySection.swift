import JOSE

/// `published_keys` and `decryption_keys` of a client.
enum PublishedKeySection {
    static let published = SecretReference.shape(
        noun: "a reference to a private key",
        beside: [
            KeyDescription(
                "algorithm", .text(AlgorithmText.ofRequestObjects), .optional, example: "ES256",
                "What the key signs with, or signed with; what fits it by default (PS256 for RSA)."),
            KeyDescription(
                "key_id", .text(PlainText.detail), .optional, example: "shop-2027",
                "The kid of the key where it was registered; its RFC 7638 thumbprint by default."),
        ])

    static let decryption = ObjectShape(
        noun: "a mapping with key",
        keys: [
            KeyDescription(
                "key", .object(SecretReference.shape(noun: "a reference to a private key")), .required,
                example: "{ file: /run/secrets/decryption.key }", "The private key in PEM: RSA, P-256, P-384 or P-521."),
            KeyDescription(
                "algorithm",
                .word(
                    KeyManagementAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.name),
                    never: ["rsa1_5": "whoever can make us decrypt could break its padding: choose RSA-OAEP-256"]),
                .optional, example: "RSA-OAEP-256",
                "What the server encrypts with; RSA-OAEP-256 or ECDH-ES+A256KW by default, as the key is."),
            KeyDescription(
                "key_id", .text(PlainText.detail), .optional, example: "shop-decryption",
                "The kid of the key; its RFC 7638 thumbprint by default."),
        ])

    static func published(_ client: CheckedObject, _ translation: Translation) -> [JWK] {
        client.list("published_keys").compactMap(\.object).compactMap { object in
            guard let value = resolve(object, translation) else { return nil }
            let said = object.text("algorithm")
            return PrivateKeyPEM.read(
                value.bytes, at: value.place,
                said.flatMap { said in AlgorithmText.algorithm(said.text).map { ($0, said.place) } },
                keyID: object.text("key_id")?.text, noting: translation.problems)?.published
        }
    }

    static func decryption(_ client: CheckedObject, _ translation: Translation) -> [DecryptionJWK] {
        client.list("decryption_keys").compactMap(\.object).compactMap { object in
            guard let reference = object.object("key"), let value = resolve(reference, translation) else { return nil }
            return PrivateKeyPEM.readDecryption(
                value.bytes, at: value.place, object.text("algorithm"), keyID: object.text("key_id")?.text,
                noting: translation.problems)
        }
    }

    private static func resolve(
        _ reference: CheckedObject, _ translation: Translation
    ) -> (bytes: [UInt8], place: Place)? {
        SecretReference.resolve(
            reference, translation, noun: "a private key", sensitivity: .secret, limit: PrivateKeyPEM.maximumBytes)
    }
}
