/// Why a text is not JSON that every reader understands alike.
public enum JSONRefusal: Error, Sendable, Equatable, CaseIterable {
    /// Longer than `JSONLimits.bytes`.
    case tooLong
    /// Nested deeper than `JSONLimits.depth`.
    case tooDeep
    /// An object with more members than `JSONLimits.members`.
    case tooManyMembers
    /// An array with more elements than `JSONLimits.elements`.
    case tooManyElements
    /// Two members of one object with the same name, however it is escaped.
    case duplicateMember
    /// Something else where a value, name, comma or bracket belongs.
    case unexpectedByte
    /// The text ends inside a value.
    case unexpectedEnd
    /// Bytes after the value.
    case trailingBytes
    /// A byte order mark in front (RFC 8259 §8.1).
    case byteOrderMark
    /// Bytes that are not UTF-8: overlong, surrogate, truncated or beyond U+10FFFF.
    case invalidUTF8
    /// A control character that is not escaped, inside a string.
    case controlCharacter
    /// A backslash with something after it that RFC 8259 §7 does not define.
    case invalidEscape
    /// `\uD800`…`\uDFFF` without its other half: no UTF-8 spells it.
    case loneSurrogate
    /// A number that RFC 8259 §6 does not derive, such as `01`, `+1`, `.5`, `NaN`.
    case invalidNumber
}

extension JSONRefusal {
    /// What a text that goes beyond a bound of ours should have kept to, as the end of a sentence; the bounds are those of
    /// `JSONLimits` unless said otherwise.
    public var expectation: String {
        let limits = JSONLimits()
        return switch self {
        case .tooDeep: "with at most \(limits.depth) objects and arrays inside one another"
        case .tooManyMembers: "with at most \(limits.members) members in an object"
        case .tooManyElements: "with at most \(limits.elements) elements in an array"
        case .tooLong: "of at most \(limits.bytes) bytes"
        default: "in strict JSON"
        }
    }
}
