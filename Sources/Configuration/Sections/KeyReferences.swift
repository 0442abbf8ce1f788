import Crypto

/// Keys that replicas share, as references to secrets: the first makes something, all of them accept it.
enum KeyReferences {
    static let shape = Shape.list(
        ListShape(
            noun: "references to keys", element: .object(SecretReference.shape(noun: "a reference to a key")),
            count: 1...8))

    /// The keys under `name`, each at least 32 bytes and none twice; `noun` is what one is called, without its article.
    static func translate(
        _ object: CheckedObject, _ name: String, noun: String, _ translation: Translation
    ) -> [Secret] {
        var keys: [[UInt8]] = []
        for reference in object.list(name).compactMap(\.object) {
            guard
                let value = SecretReference.resolve(
                    reference, translation, noun: "a \(noun)", sensitivity: .secret, limit: 4096)
            else { continue }
            let key = SecretReference.line(value.bytes)
            if key.count < 32 {
                translation.problems.error(
                    at: value.place, expected: "a \(noun) of at least 32 bytes", found: "\(key.count) bytes",
                    remedy: "make one with  openssl rand -base64 32")
            } else if keys.contains(key) {
                translation.problems.error(
                    at: value.place, expected: "each \(noun) once", found: "the same key again",
                    remedy: "keep one of them")
            }
            keys.append(key)
        }
        return keys.map { Secret($0) }
    }
}
