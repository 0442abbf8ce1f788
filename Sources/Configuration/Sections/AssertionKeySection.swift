import Crypto
import Gateway

/// `assertion_keys`: the keys that sign identity assertions for upstreams.
enum AssertionKeySection {
    static let shape = ObjectShape(
        noun: "the keys of identity assertions",
        keys: [
            KeyDescription(
                "files", .list(ListShape(noun: "files", element: .text(PlainText.file), count: 1...8)), .optional,
                example: "[/run/secrets/assertion.pem]",
                "PEM files with private keys: the first signs, all are published. Keys are made at start by default."),
            KeyDescription(
                "algorithm", .word(["ES256", "ES384", "ES512", "EdDSA"]), .standard("ES256"),
                "The algorithm of keys made at start."),
            KeyDescription(
                "rotation", .duration(DurationShape(range: 3_600_000...2_592_000_000, step: .seconds)),
                .standard("24h"), "How long a key made at start signs before the next one."),
        ])

    static func translate(_ object: CheckedObject?, _ translation: Translation) -> AssertionKeySettings {
        var settings = AssertionKeySettings()
        guard let object else { return settings }
        for path in object.texts("files") {
            guard let file = translation.file(path, noun: "a private key", limit: PrivateKeyPEM.maximumBytes) else {
                continue
            }
            translation.refuseWorldAccess(to: file, at: path, noun: "a private key")
            if PrivateKeyPEM.read(file.bytes, at: path.place, noting: translation.problems) != nil {
                settings.keys.append(Secret(file.bytes))
            }
        }
        if let name = object.text("algorithm")?.text, let algorithm = AlgorithmText.algorithm(name) {
            settings.algorithm = algorithm
        }
        if let seconds = object.seconds("rotation") { settings.rotationSeconds = seconds }
        let standard = AssertionKeySettings()
        if settings.algorithm != standard.algorithm { refuse("algorithm", besideFilesIn: object, translation) }
        if settings.rotationSeconds != standard.rotationSeconds {
            refuse("rotation", besideFilesIn: object, translation)
        }
        return settings
    }

    private static func refuse(_ key: String, besideFilesIn object: CheckedObject, _ translation: Translation) {
        guard object.says("files") else { return }
        translation.problems.error(
            at: object.place(of: key), expected: "no \(key) beside files", found: "both",
            remedy: "leave \(key) out: it is about keys made at start; files are rotated by a new first one")
    }
}
