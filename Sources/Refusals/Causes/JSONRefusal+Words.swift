package import JSON

extension JSONRefusal {
    /// What the operator's log says was there instead of JSON that every reader understands alike.
    package var found: String {
        switch self {
        case .tooLong: "JSON that is too long"
        case .tooDeep: "JSON that is nested too deep"
        case .tooManyMembers: "JSON with too many members"
        case .tooManyElements: "JSON with too many elements"
        case .duplicateMember: "JSON with a member twice"
        case .unexpectedByte: "a byte that JSON does not have there"
        case .unexpectedEnd: "JSON that ends too soon"
        case .trailingBytes: "bytes behind the JSON"
        case .byteOrderMark: "a byte order mark in front of the JSON"
        case .invalidUTF8: "bytes that are no UTF-8"
        case .controlCharacter: "a control character in a string"
        case .invalidEscape: "an escape that JSON does not have"
        case .loneSurrogate: "half of a surrogate pair"
        case .invalidNumber: "a number that JSON does not have"
        }
    }
}
