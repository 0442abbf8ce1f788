import Bytes

/// The characters of a token that can stand in a header field and in a form without changing either.
struct TokenText {
    /// Letters, digits and `-._~+/`, then any number of `=`.
    let text: String

    /// Nil unless `bytes` are a token68 (RFC 9110 §11.2): a line break or a space would be a second field or a second
    /// token to whoever reads it next.
    init?(_ bytes: Span<UInt8>) {
        var end = 0
        while end < bytes.count, ASCII.isToken68(bytes[end]) { end += 1 }
        guard end > 0 else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        guard end == bytes.count else { return nil }
        text = String(copying: bytes)
    }
}
