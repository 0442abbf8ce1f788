/// A value kept outside the configuration: `{ file: /run/secrets/x }` or `{ env: X }`.
///
/// Only a reference makes loading look at the environment, so what a configuration means is in its text.
enum SecretReference {
    /// Whether everybody on the machine may read the value's file.
    enum Sensitivity: Sendable {
        case secret, published
    }

    /// `further` are the keys that say what is done with the value.
    static func shape(noun: String, beside further: [KeyDescription] = []) -> ObjectShape {
        ObjectShape(
            noun: noun,
            keys: [
                KeyDescription(
                    "file", .text(PlainText.file), .optional, example: "/run/secrets/value",
                    "The file that holds the value."),
                KeyDescription(
                    "env", .text(PlainText.environmentVariable), .optional, example: "VALUE",
                    "The environment variable that holds the value."),
            ] + further, exactlyOne: ["file", "env"])
    }

    /// The bytes referred to and the place to complain about, or nil after the problem has been noted.
    static func resolve(
        _ object: CheckedObject, _ translation: Translation, noun: String, sensitivity: Sensitivity, limit: Int
    ) -> (bytes: [UInt8], place: Place)? {
        if let path = object.text("file") {
            guard let file = translation.file(path, noun: noun, limit: limit) else { return nil }
            if sensitivity == .secret { translation.refuseWorldAccess(to: file, at: path, noun: noun) }
            guard !hasMark(file.bytes) else {
                translation.problems.error(
                    at: path.place, expected: noun, found: "a byte order mark before it",
                    remedy: "save the file as UTF-8 without a byte order mark (BOM)")
                return nil
            }
            return (file.bytes, path.place)
        }
        guard let name = object.text("env") else { return nil }
        let value = translation.sources.environment(name.text)
        guard let value, !value.isEmpty, value.utf8.count <= limit else {
            let found =
                switch value {
                case nil: "no such variable"
                case "": "an empty variable"
                default: "more than \(ByteCountText.text(limit)) in it"
                }
            translation.problems.error(
                at: name.place, expected: "\(noun) in the environment variable \(name.text)", found: found,
                remedy: value == nil
                    ? "set it for this process: a service's environment is not that of your shell"
                    : "set the variable to \(noun), of at most \(ByteCountText.text(limit))")
            return nil
        }
        return (Array(value.utf8), name.place)
    }

    /// Whether a byte order mark, which some editors put before a text, would be part of the value, and seen by nobody.
    private static func hasMark(_ bytes: [UInt8]) -> Bool {
        // Random bytes may begin so by chance; what a person wrote is text behind it.
        bytes.starts(with: [0xEF, 0xBB, 0xBF])
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    /// The value without the line break that editors and `echo` leave at the end of a text; other bytes as they are.
    static func line(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.last == 0x0A else { return bytes }
        let end = bytes.count - (bytes.dropLast().last == 0x0D ? 2 : 1)
        // A random key may end with the byte of a line break by chance.
        return bytes[..<end].allSatisfy { (0x20...0x7E).contains($0) } ? Array(bytes[..<end]) : bytes
    }
}
