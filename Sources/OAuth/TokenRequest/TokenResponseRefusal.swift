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

    /// What the operator's log says was there instead; nothing of the answer is in it but names.
    public var found: String {
        switch self {
        case .refused(let error):
            "status \(error.response.status)" + (error.response.code.map { ", error \($0)" } ?? "")
                + (error.response.description.map { ", \"\($0)\"" } ?? "")
        case .status(let status): "status \(status)"
        case .tooLarge(let bytes): "\(bytes) bytes, more than \(TokenRequest.maximumBytes)"
        case .contentType(let type): type.isEmpty ? "no Content-Type" : "Content-Type \(Unverified.quote(type))"
        case .notJSON(let cause): cause.found
        case .notAnObject: "JSON that is no object"
        case .missingMember(let name): "no \(name)"
        case .memberMalformed(let name): "\(name) of another type, length or form than its specification gives it"
        case .tokenTypeWrong(let name): "token_type \(Unverified.quote(name))"
        }
    }
}
