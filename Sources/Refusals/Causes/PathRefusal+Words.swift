package import HTTPMessage

extension PathRefusal {
    /// What the operator's log says was in the path.
    package var found: String {
        switch self {
        case .encodedSlash: "encoded slash"
        case .backslash: "backslash"
        case .nul: "nul"
        case .controlOctet: "control octet"
        case .dotSegment: "dot segment"
        case .doubleEncoding: "double encoding"
        case .invalidEscape: "invalid escape"
        case .semicolon: "semicolon"
        case .nonASCII: "non ASCII"
        case .fragment: "fragment"
        }
    }
}
