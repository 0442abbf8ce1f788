import Bytes

/// A variable's value, which messages do not repeat: it may be a secret that was put into the wrong place, and what `check`
/// prints, or a reload logs, is read elsewhere.
struct ConcealedValue {
    /// A shorter one is no secret, and may be any word of a message.
    private static let shortest = 8

    let name: String
    let value: String

    /// The same message with `${NAME}` where the value is, or where its beginning is that was cut; in any case, for some
    /// remedies write what was found in lower case.
    func concealed(in message: String) -> String {
        let value = Array(value.utf8)
        let bytes = Array(message.utf8)
        guard value.count >= Self.shortest, bytes.count >= Self.shortest else { return message }
        var shown: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            let length = zip(rest, value).prefix { ASCII.lowercase($0) == ASCII.lowercase($1) }.count
            guard length == value.count || length >= Self.shortest && rest.dropFirst(length).starts(with: "…".utf8)
            else {
                shown.append(bytes[index])
                index += 1
                continue
            }
            shown += "${\(name)}".utf8
            index += length
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
