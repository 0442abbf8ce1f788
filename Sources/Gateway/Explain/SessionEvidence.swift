package import JSON
package import Sessions

/// What a request brings under the name of a route's session cookie, without its value.
package struct SessionEvidence: Sendable {
    /// The login's place in the settings.
    package var login: Int
    package var cookieName: String
    /// Cookies of that name, its chunks among them.
    package var cookieCount = 0
    /// Bytes of the value, its chunks joined.
    package var bytes = 0
    /// Whether two of one name were sent, so that none counts (SC-06).
    package var isRepeated = false
    /// Whether the client's network needs none.
    package var isLetInByNetwork = false
    /// What became of the value; nil without one.
    package var diagnosis: SessionDiagnosis?
    /// Whether its tokens would be refreshed before the request goes on.
    package var isRefreshDue = false
    /// The session that the value stands for, as far as logs may say who that is.
    package var subject = ""
    /// What routes ask of it: its claims with `scope` and `client_id`.
    package var claims: JSONValue?
    /// Unix seconds.
    package var createdAt: Int64 = 0
    package var endsAt: Int64 = 0
    /// Of the access token; nil where the session keeps none, or one that does not say.
    package var tokenExpiresAt: Int64?
    /// Whether the session's tokens are bound to a key of its own.
    package var hasProofKey = false

    package init(login: Int, cookieName: String) {
        self.login = login
        self.cookieName = cookieName
    }

    /// Whether the request has a session that lives.
    package var lives: Bool { claims != nil }
}

/// The fields by which a browser says why it asks: Fetch Metadata, and what stands in for it.
package struct BrowserEvidence: Sendable {
    package var fetchSite: [String] = []
    package var fetchMode: [String] = []
    package var fetchDestination: [String] = []
    package var acceptsPages = false
    package var hasRequestedBy = false
    package var hasRequestedWith = false
    package var hasPurpose = false
    package var offersWebSocket = false
    /// The gateway's own judgement: a person waits for a page.
    package var isNavigation = false

    package init() {}
}

/// Where the gateway sends a request that needs a login.
package struct LoginStartEvidence: Sendable {
    /// 303 for a page, 401 with a JSON body for everything else (CF-08).
    package var isRedirect: Bool
    /// The path that the login begins at.
    package var path: String
    /// Where the user comes back to, with values left out that may be secret; nil where the browser is not sent.
    package var returnTo: String?
    /// What the route asks for beyond a login, by its place; -1 for nothing.
    package var stepUp: Int
    /// Whether the form that was posted is kept.
    package var keepsForm: Bool

    /// The status of an answer that sends the browser there, 200 where a page keeps its form; nil where it tells a script.
    package var status: Int? { isRedirect ? keepsForm ? 200 : 303 : nil }
}
