import Bytes

/// What an Authorization value carries; ranges are relative to the value (RS-01, RS-03, RS-04).
public enum CredentialsForm: Sendable, Equatable {
    /// The scheme Bearer and one token68.
    case bearer(ByteRange)
    /// The scheme DPoP and one token68.
    case dpop(ByteRange)
    /// A scheme that is not ours: as if nothing had been sent.
    case otherScheme
    /// Not credentials by the grammar of RFC 9110 §11.4 and RFC 6750 §2.1: a bad request, not a bad token.
    case malformed
}

/// The Authorization field (RFC 9110 §11.6.2).
public enum AuthorizationField {
    /// Reads a value whose outer whitespace is gone.
    ///
    /// The scheme is compared without case and followed by one or more SP; the token keeps its case.
    public static func parse(_ value: Span<UInt8>) -> CredentialsForm {
        var end = 0
        while end < value.count, ASCII.isToken(value[end]) { end &+= 1 }
        guard end > 0 else { return .malformed }
        let scheme = value.extracting(first: end)
        let isBearer = ASCII.equalsIgnoringCase(scheme, "Bearer")
        guard isBearer || ASCII.equalsIgnoringCase(scheme, "DPoP") else { return .otherScheme }
        let schemeEnd = end
        while end < value.count, value[end] == 0x20 { end &+= 1 }
        guard end > schemeEnd, isToken68(value.extracting(end...)) else { return .malformed }
        let token = ByteRange(from: end, to: value.count)
        return isBearer ? .bearer(token) : .dpop(token)
    }

    private static func isToken68(_ text: Span<UInt8>) -> Bool {
        var end = 0
        // A token is hundreds of bytes, and this is asked for every request: eight at a time where it can be.
        while end &+ 8 <= text.count, ByteWord.commonToken68(text.word(at: end)) == ByteWord.tops { end &+= 8 }
        while end < text.count, ASCII.isToken68(text[end]) { end &+= 1 }
        guard end > 0 else { return false }
        while end < text.count, text[end] == 0x3d { end &+= 1 }
        return end == text.count
    }
}
