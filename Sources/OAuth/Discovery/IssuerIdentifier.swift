public import HTTPMessage

/// An authorization server's name for itself: a URL without query or fragment, compared byte for byte.
///
/// It comes from the operator and from nowhere else (MD-01): a token's `iss` is only ever looked up among these, so a
/// stranger's token cannot make the gateway talk to a stranger's host.
public struct IssuerIdentifier: Sendable, Equatable {
    /// Exactly as the operator wrote it and as tokens and metadata must spell it (RFC 8414 §3.3).
    public let text: String
    /// The parsed form, for host and port only.
    public let uri: URI

    /// The identifier, when RFC 8414 §2 allows it.
    public init(_ text: String, schemes: EndpointSchemes = .httpsOnly) throws(MetadataRefusal) {
        guard let uri = URI(text), !uri.host.isEmpty else { throw .issuerNotURL }
        guard schemes.allow(uri.scheme) else { throw .issuerNotHTTPS }
        guard !text.utf8.contains(UInt8(ascii: "?")), !text.utf8.contains(UInt8(ascii: "#")) else {
            throw .issuerWithQueryOrFragment
        }
        self.text = text
        self.uri = uri
    }

    /// Everything before the path, with the operator's own spelling of host and port.
    var origin: String { String(text[..<pathStart]) }

    /// The path without any terminating slash; empty for none (RFC 8414 §3.1).
    var pathWithoutTrailingSlash: String {
        var path = text[pathStart...]
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    private var pathStart: String.Index {
        let utf8 = text.utf8
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return text.endIndex }
        let authority = utf8.index(colon, offsetBy: 3, limitedBy: utf8.endIndex) ?? utf8.endIndex
        return utf8[authority...].firstIndex(of: UInt8(ascii: "/")) ?? utf8.endIndex
    }
}

/// Which schemes an issuer's URLs may have.
public enum EndpointSchemes: Sendable, Equatable {
    /// RFC 8414 §2.
    case httpsOnly
    /// Also `http`: for an issuer on the developer's own machine.
    case insecureHTTPAllowed

    func allow(_ scheme: String) -> Bool {
        switch self {
        case .httpsOnly: scheme == "https"
        case .insecureHTTPAllowed: scheme == "https" || scheme == "http"
        }
    }
}
