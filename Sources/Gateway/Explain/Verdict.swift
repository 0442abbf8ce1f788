package import Access

/// What became of a request at the end of its stages.
package enum Verdict: Sendable {
    /// It goes to the upstream, with these fields added (the names and values that the gateway vouches for).
    case forwarded(injected: [InjectedField])
    /// `OPTIONS` answered by the gateway itself (HTTP-16, HTTP-20).
    case answered
    /// It is refused; the texts are those of the operator's log.
    case refused(Refusal, expected: String, found: String, row: String)
    /// Nobody could say, for this reason; the check is the one that could not be made.
    case undecided(Check.ID, reason: String)
}

/// A field of the upstream's head that no client can send.
package struct InjectedField: Sendable, Equatable {
    package var name: String
    /// As it travels; left out where it is a secret.
    package var value: String
}
