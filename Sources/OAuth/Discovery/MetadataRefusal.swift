public import JSON

/// Why an issuer identifier or a metadata document is not believed.
public enum MetadataRefusal: Error, Sendable, Equatable {
    // The configured identifier (MD-01).
    case issuerNotURL
    case issuerNotHTTPS
    case issuerWithQueryOrFragment

    // The answer (MD-04).
    case status(Int)
    case contentType(String)
    case tooLarge(bytes: Int)
    case notJSON(JSONRefusal)
    case notAnObject

    // The document's own issuer (MD-03).
    case issuerMissing
    case issuerMismatch(found: String)

    // What it points to (MD-04, MD-06).
    case keySetLocationMissing
    case endpointNotURL(member: String)
    case endpointNotHTTPS(member: String)
}
