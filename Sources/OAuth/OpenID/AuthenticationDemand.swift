/// How a user must have been authenticated, because a route or the operator asked for it (OIDC-09).
public struct AuthenticationDemand: Sendable, Hashable {
    /// `acr` must be one of these; empty: any, or none.
    public var acrValues: [String]
    /// Seconds that may have passed since the user was last authenticated; `auth_time` is then required.
    public var maximumAge: Int?
    /// When the browser was sent to the server, in seconds since 1970; nil: the moment of verification.
    ///
    /// The age is counted from there: whoever takes long over a consent page has still just logged in.
    public var askedAt: Int64?

    /// A demand for one of `acrValues`, at most `maximumAge` seconds before `askedAt`.
    public init(acrValues: [String] = [], maximumAge: Int? = nil, askedAt: Int64? = nil) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.askedAt = askedAt
    }
}
