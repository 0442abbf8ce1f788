/// Content types of JSON documents.
enum MediaType {
    /// Whether it is `application/json` or a type with the `+json` suffix (RFC 6839 §3.1), parameters aside.
    static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }
        let parts = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let major = lowercase(parts[0].drop(while: isBlank))
        let minor = lowercase(parts[1].reversed().drop(while: isBlank).reversed())
        guard !major.isEmpty, !(major + minor).contains(where: isBlank) else { return false }
        if minor.elementsEqual("json".utf8) { return major.elementsEqual("application".utf8) }
        return minor.count > 5 && minor.suffix(5).elementsEqual("+json".utf8)
    }

    /// Whether it is exactly `name`, which is in lower case; case and parameters aside.
    static func named(_ contentType: String, _ name: String) -> Bool {
        let type = lowercase(contentType.utf8.prefix { $0 != UInt8(ascii: ";") })
        return type.drop(while: isBlank).reversed().drop(while: isBlank).reversed().elementsEqual(name.utf8)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func lowercase(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 &+ 0x20 : $0 }
    }
}
