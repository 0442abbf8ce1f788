import Crypto
import Gateway
import JOSE

/// `assertion_keys`: the keys that sign identity assertions for upstreams.
enum AssertionKeySection {
    private static let table = SettingTable(
        "the keys of identity assertions", defaults: AssertionKeySettings(),
        [
            .key(
                "files", .list(ListShape(noun: "files", element: .text(PlainText.file), count: 1...8)), .optional,
                example: "[/run/secrets/assertion.pem]",
                "PEM files with private keys: the first signs, all are published. Keys are made at start by default."),
            .word(
                "algorithm", \.algorithm,
                [("ES256", .es256), ("ES384", .es384), ("ES512", .es512), ("EdDSA", .edDSA)],
                "The algorithm of keys made at start."),
            .seconds(
                "rotation", \.rotation, 3600...2_592_000,
                "How long a key made at start signs before the next one."),
        ])
    static let shape = table.shape

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
        table.read(object, into: &settings)
        let standard = AssertionKeySettings()
        if settings.algorithm != standard.algorithm { refuse("algorithm", besideFilesIn: object, translation) }
        if settings.rotation != standard.rotation {
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
