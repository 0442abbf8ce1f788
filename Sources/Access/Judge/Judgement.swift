package import Login

/// What is to be done with a request.
package enum Judgement: Sendable {
    /// Send it on by this route; the head that was planned for it has so many bytes.
    case forward(by: FixedValue<Route>, headCount: Int)
    /// Wait, then judge again.
    case wait(Wait)
    /// Answer it here: `OPTIONS` for the server, or for a hop that `Max-Forwards` forbids (HTTP-16, HTTP-20).
    case answerOptions
    /// Answer a browser's preflight here, for the origin at this place of the route's list (HTTP-71).
    case answerPreflight(origin: Int?)
    /// Answer it here as its route says, which has no upstream (ECO-69).
    case answerRoute(FixedValue<Route>)
    /// Answer it here: the same address is to be asked for over https.
    case redirectToHTTPS
    /// Answer it here with a document of the gateway's own (RFC 9728).
    case publish(Publication)
    /// Have it answered where logins are.
    case login(LoginRequest.Endpoint)
    /// Refuse it.
    case refuse(Refused)
}

/// A document of the gateway's own.
package enum Publication: Sendable, Equatable {
    /// What is said of one protected resource, by its place among the published documents (RFC 9728).
    case resource(Int)
    /// The keys of identity assertions and of our clients, as a JWK Set.
    case assertionKeys
}
