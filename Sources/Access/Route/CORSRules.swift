/// What scripts of pages elsewhere may do with a route (the Fetch standard's CORS protocol; HTTP-71, HTTP-72).
package enum CORSSettings: Sendable, Equatable {
    /// Nothing: preflights are refused here. Where credentials are taken, what an upstream allows goes no further.
    case refused
    /// What the upstream says; its preflights reach it without identity and credentials.
    case upstream
    /// What is said here, and nothing that the upstream says.
    case rules(CORSRules)
}

/// Which pages' scripts may call a route, and how.
package struct CORSRules: Sendable, Equatable {
    /// Exactly as browsers write them into `Origin`; nil is every one, which goes without credentials only.
    package var origins: [String]?
    /// Methods of requests that browsers ask for first; nil is whatever the route allows.
    package var methods: [String]?
    /// Request fields beyond those that every page may send.
    package var requestFields: [String]
    /// Response fields that scripts may read beside `WWW-Authenticate` and `DPoP-Nonce` (RFC 9449 §8).
    package var exposedFields: [String]
    /// Browsers send the session's cookie along, and let scripts read the answer.
    package var credentials: Bool
    /// How long a browser may remember the answer to a preflight, in whole seconds.
    package var maximumAge: Duration

    /// Request fields by default are what scripts need to call an API with a token, a proof and a body, or with a session
    /// that wants a field of theirs.
    package init(
        origins: [String]?, methods: [String]? = nil,
        requestFields: [String] = ["Authorization", "Content-Type", "DPoP", "X-Requested-By"],
        exposedFields: [String] = [], credentials: Bool = false, maximumAge: Duration = .seconds(600)
    ) {
        self.origins = origins
        self.methods = methods
        self.requestFields = requestFields
        self.exposedFields = exposedFields
        self.credentials = credentials
        self.maximumAge = maximumAge
    }
}
