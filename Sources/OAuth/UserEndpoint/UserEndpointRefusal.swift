public import JSON

/// Why what a server's own endpoint answered says nobody, or not what was asked (OIDC-18, OIDC-19).
public enum UserEndpointRefusal: Error, Sendable, Equatable {
    /// Another status than 200.
    case status(Int)
    /// More than 256 KiB.
    case tooLarge
    /// No type of JSON documents.
    case contentType(String)
    /// Not strict JSON.
    case notJSON(JSONRefusal)
    /// JSON about a user, but no object.
    case notAnObject
    /// The member that the operator named is absent, or null.
    case subjectMissing(String)
    /// It is neither a text of 1 to 255 printable ASCII characters nor a whole number.
    case subjectMalformed(String)
    /// JSON about addresses, but no list.
    case notAList
    /// An entry of that list lacks `email`, `primary` or `verified`, or has one of another type.
    case addressMalformed
    /// Two entries are the primary one, or speak of its address.
    case primaryRepeated
}
