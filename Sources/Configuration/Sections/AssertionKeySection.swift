// SPDX-License-Identifier: Apache-2.0
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
        let files = object.texts("files")
        Repetition.refuse(files, translation.problems)
        settings.keys = files.compactMap { path in
            PrivateKeyFile.read(path, translation, noun: "a private key").map { Secret($0.bytes) }
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

/// A private key in PEM that signs, judged as it will be used.
enum PrivateKeyFile {
    /// The file, or nil after the problem has been noted.
    static func read(
        _ path: PlacedText, _ translation: Translation, noun: String
    ) -> ConfigurationSources.File? {
        guard let file = translation.file(path, noun: noun, limit: 64 * 1024) else { return nil }
        translation.refuseWorldAccess(to: file, at: path, noun: noun)
        guard let fault = PEMText.fault(key: file.bytes) else { return file }
        translation.problems.error(
            at: path.place, expected: "\(noun) in PEM", found: fault,
            remedy: "give an unencrypted PEM file such as  openssl ecparam -name prime256v1 -genkey -noout  makes")
        return nil
    }
}
