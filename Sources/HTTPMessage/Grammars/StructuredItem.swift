/// A structured field that is one item: a value and its parameters (RFC 9651 §3.3).
public struct StructuredItem: Sendable, Equatable {
    /// The value itself.
    public var value: BareItem
    /// What was said about the value, in order, each name once.
    public var parameters: [Parameter]

    /// A name and its value; `true` when it had none.
    public struct Parameter: Sendable, Equatable {
        /// The key, in lower case as the grammar has it.
        public var name: String
        /// Its value.
        public var value: BareItem
    }

    /// A value without parameters of its own (RFC 9651 §3.3).
    ///
    /// Display strings (RFC 9651 §3.3.8) are not read: no field that we know uses them.
    public enum BareItem: Sendable, Equatable {
        /// Of at most fifteen digits.
        case integer(Int64)
        /// In thousandths: `1.5` is 1500.
        case decimal(thousandths: Int64)
        /// Printing ASCII and spaces, without its quotes and backslashes.
        case string(String)
        /// A word.
        case token(String)
        /// Bytes that stood between colons in base64.
        case bytes([UInt8])
        /// `?1` or `?0`.
        case boolean(Bool)
        /// Seconds since 1970.
        case date(Int64)
    }

    /// The limits of what is read: longer values, and those with more parameters, are refused.
    public static let maximumBytes = 64 << 10
    /// RFC 9651 §3.1.2 asks for at least as many.
    public static let maximumParameters = 256

    /// Reads a whole field value, one line's or several joined by commas: a list is no item and is refused.
    ///
    /// Where RFC 9651 §4.2 lets a parser be lenient this one is not: base64 has exactly the padding it needs, and its
    /// unused bits are zero.
    public init(_ field: Span<UInt8>) throws(StructuredFieldRefusal) {
        guard field.count <= StructuredItem.maximumBytes else { throw .tooLong }
        var reader = StructuredFieldReader()
        reader.skipSpaces(field)
        value = try reader.bareItem(field)
        parameters = try reader.parameters(field)
        reader.skipSpaces(field)
        guard reader.position == field.count else { throw .trailingBytes }
    }
}

/// Why a field's value is no structured item.
public enum StructuredFieldRefusal: Error, Sendable, Equatable {
    /// The value is longer than `StructuredItem.maximumBytes`.
    case tooLong
    /// No item begins where one must.
    case noItem
    /// A number without digits, with too many, or with a point that has none behind it or more than three.
    case number
    /// A string that does not end, or has an octet or a backslash that no string may have.
    case string
    /// A byte sequence that does not end, or is not base64 as an encoder would have written it.
    case byteSequence
    /// A boolean other than `?0` and `?1`.
    case boolean
    /// A date that is no integer.
    case date
    /// A parameter without a proper name.
    case parameterName
    /// More parameters than `StructuredItem.maximumParameters`.
    case tooManyParameters
    /// Something follows the item, such as a second one.
    case trailingBytes
}
