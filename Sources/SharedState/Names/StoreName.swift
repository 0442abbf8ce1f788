/// The name of a key in the store: `prefix:kind:` and 22 characters of base64url, or a word (SH-50).
package struct StoreName: Sendable, Hashable {
    /// The name, as commands have it.
    package let bytes: [UInt8]

    /// The 22 characters at the end, by which lines of the log tell sessions and markers apart.
    var suffix: [UInt8] { Array(bytes.suffix(StoreName.suffixLength)) }

    /// Characters of 128 bits in base64url.
    static let suffixLength = 22
}

/// What a key of the store is about; no two share a name, so that one is never taken for another.
enum StoreKind: String, Sendable, CaseIterable {
    /// A session, or the tombstone of one that was ended.
    case session = "s"
    /// A user's sessions.
    case subjectIndex = "u"
    /// The sessions that belong to one of the authorization server's.
    case serverSessionIndex = "i"
    /// Says that all sessions of a user, or of one of the server's sessions, are over that began until a time.
    case marker = "m"
    /// A used proof of possession.
    case proof = "p"
    /// The used state of a login.
    case state = "t"
    /// A used logout token.
    case logoutToken = "l"
    /// A request object that the authorization server fetches.
    case requestObject = "r"
    /// Says that a process sees to the tokens of a session that was ended without its cookie.
    case claim = "c"
    /// What was spent of a rate of requests.
    case limit = "q"
}
