public import JSON

/// Why a token endpoint's answer has no tokens for us (CF-31).
public enum TokenResponseRefusal: Error, Sendable, Equatable {
    /// The server said no.
    case refused(TokenError)
    /// A success that is not 200.
    case status(Int)
    /// More than 128 KiB.
    case tooLarge(bytes: Int)
    case contentType(String)
    /// Not strict JSON.
    case notJSON(JSONRefusal)
    /// JSON, but no object.
    case notAnObject
    /// A member that RFC 6749 §5.1 requires is absent.
    case missingMember(String)
    /// A member has another type than its specification gives it, is too long, or could end a line.
    case memberMalformed(String)
    /// `token_type`, as the server has it, is not the kind that was asked for (DPOP-42).
    case tokenTypeWrong(found: String)
}
