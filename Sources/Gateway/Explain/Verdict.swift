package import Access

/// What became of a request at the end of its stages.
package enum Verdict: Sendable {
    /// It goes to the upstream, with these fields added (the names and values that the gateway vouches for).
    case forwarded(injected: [InjectedField])
    /// `OPTIONS` answered by the gateway itself (HTTP-16, HTTP-20).
    case answered
    /// It is refused; the texts are those of the operator's log.
    case refused(Refusal, expected: String, found: String, row: String)
    /// Nobody could say, for this reason.
    case undecided(OpenQuestion, reason: String)
}

/// What nobody could find out about a request.
package enum OpenQuestion: Sendable, CaseIterable {
    /// The keys of the token's issuer.
    case keys
    /// The issuer's word on the token.
    case introspection
    /// Whether there is a session.
    case session
    /// Whether the session's tokens can be refreshed.
    case sessionTokens
    /// Whether the proof's nonce is one of the gateway's.
    case nonce
    /// A token for the upstream.
    case exchange
    /// Whether another replica has let the proof through.
    case proof
}

/// A field of the upstream's head that no client can send.
package struct InjectedField: Sendable, Equatable {
    package var name: String
    /// As it travels; left out where it is a secret.
    package var value: String
}
