/// Parameters of a challenge, each appended in the one spelling that every client reads (RFC 9110 §11.6.1).
struct ChallengeText {
    /// The field value so far.
    private(set) var value: String

    /// `<scheme> realm="…"`.
    init(scheme: String, realm: String) {
        value = "\(scheme) realm=\(Self.quotedString(realm))"
    }

    /// `error` and `error_description`; a byte that the latter must not have becomes a space.
    mutating func error(_ code: String, _ description: String? = nil) {
        value += ", error=\"\(code)\""
        guard let description else { return }
        let text = String(
            decoding: description.utf8.map { Self.isDescriptionByte($0) ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
        value += ", error_description=\"\(text)\""
    }

    /// `acr_values` and `max_age` of RFC 9470 §3, in order of preference; nothing for what is not asked for.
    mutating func authentication(acrValues: [String], maxAge: Int?) {
        // A space would make two of one value.
        let words = acrValues.filter { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
        if !words.isEmpty { value += ", acr_values=\(Self.quotedString(words.joined(separator: " ")))" }
        if let maxAge { value += ", max_age=\"\(max(maxAge, 0))\"" }
    }

    /// `algs` of RFC 9449 §7.1.
    mutating func algorithms(_ names: [String]) {
        value += ", algs=\"\(names.joined(separator: " "))\""
    }

    /// `scope`, without words that RFC 6749 §3.3 does not derive; nothing when none is left.
    mutating func scope(_ scopes: [String]) {
        let words = scopes.filter { !$0.isEmpty && $0.utf8.allSatisfy(Self.isScopeByte) }
        if !words.isEmpty { value += ", scope=\"\(words.joined(separator: " "))\"" }
    }

    /// `resource_metadata` of RFC 9728 §5.1.
    mutating func resourceMetadata(_ url: String?) {
        if let url { value += ", resource_metadata=\(Self.quotedString(url))" }
    }

    /// RFC 9110 §5.6.4, ASCII alone; what it cannot hold becomes `?`.
    private static func quotedString(_ text: String) -> String {
        var quoted = "\""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                quoted += "\\"
                quoted.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20...0x7E: quoted.unicodeScalars.append(Unicode.Scalar(byte))
            default: quoted += "?"
            }
        }
        return quoted + "\""
    }

    /// RFC 6749 §3.3: `%x21 / %x23-5B / %x5D-7E`.
    private static func isScopeByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// RFC 6750 §3: `%x20-21 / %x23-5B / %x5D-7E`.
    private static func isDescriptionByte(_ byte: UInt8) -> Bool {
        byte == 0x20 || isScopeByte(byte)
    }
}
