package import HTTPMessage

extension ClientCertField.Refusal {
    /// What the operator's log says was there instead of a certificate.
    package var found: String {
        switch self {
        case .repeated: "repeated"
        case .malformed(let cause): "malformed: \(cause.found)"
        case .notBytes: "not bytes"
        case .tooLarge: "too large"
        case .notDER: "not DER"
        }
    }
}

extension StructuredFieldRefusal {
    /// What was wrong with the item.
    fileprivate var found: String {
        switch self {
        case .tooLong: "too long"
        case .noItem: "no item"
        case .number: "number"
        case .string: "string"
        case .byteSequence: "byte sequence"
        case .boolean: "boolean"
        case .date: "date"
        case .parameterName: "parameter name"
        case .tooManyParameters: "too many parameters"
        case .trailingBytes: "trailing bytes"
        }
    }
}
