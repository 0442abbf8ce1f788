/// What the judgement found out about one request, and what it goes on from after a wait.
///
/// The request's own, from its head to its answer: no other request ever finds anything of it.
package struct Findings {
    /// How far the judgement came the last time.
    package internal(set) var reached = Stage.target
    /// The route that the path leads to.
    package var route: FixedValue<Route>?
    /// The site that Host means, by its place: the listener, until it is found.
    package internal(set) var site: UInt16 = 0
    /// The sites among which that is its place: what waits over a reload may have been judged among others.
    var siteSet: UInt32 = 0
    /// Where the route's policy says what the method needs; known once the method is permitted.
    package var methodRow: UInt16 = 0
    /// Which of the route's lines its answer says to a page of another origin (HTTP-71, HTTP-72).
    package var corsLines = CrossOrigin.Lines.none
    /// A browser's own question, which goes to the upstream without anybody's identity and credentials.
    package var isPreflight = false
    /// A script of a page that the route names, which acts with its user's session (SC-09).
    package var isOfListedOrigin = false
    /// A WebSocket is offered where the route lets none through: it goes on as the plain GET that it also is.
    package internal(set) var isWebSocketOffPath = false
    /// Its client is in a network that needs no login there, and it brings no session.
    package internal(set) var isLetInByNetwork = false
    /// The scheme of its credentials, for the challenge that tells what was wrong with them.
    package var scheme = AttemptedScheme.none
    /// Its answer carries a nonce for the client's next proof (RFC 9449 §8.2).
    package var givesNonce = false
    /// Its token or its proof was verified in vain, since whoever counts that last looked.
    package var hasFailedVerification = false
    /// What its answer does to the session's cookie.
    package var sessionCookie = SessionCookieChange.none
    /// Its token or session, of which it holds one use.
    package var token: TokenRecord?
    /// The token for the upstream that this one was exchanged for, of which it holds one use.
    package var upstreamToken: AttachedBlock?

    /// It has waited for keys or a session once; an unknown key is then refused.
    package var hasWaited = false
    /// What the wait for an authorization server's word, or for a session, has brought.
    package var lookup = Lookup.none
    /// What became of asking for a token for the upstream: a refusal, or nothing worth a note.
    package var exchanged = Lookup.none
    /// The proof that is right in everything and not used up yet: the one that is kept over a wait, and spent last.
    package internal(set) var proved: UnspentProof?
    /// What became of that proof, once it was to be used up.
    ///
    /// The head is the same however often it is judged, and with it the proof. What this request did to the process's own
    /// set stays done under another configuration: it would otherwise take its own entry for a replay.
    package var spending = ProofSpending.none
    /// The limits that have counted it.
    package internal(set) var counted: CountedLimits = []
    /// When its client may ask again, where a limit refused it; 0 elsewhere.
    package internal(set) var retryAfterSeconds: UInt32 = 0

    /// Nothing is known yet.
    package init() {}

    /// Forgets all that another configuration has said; what was done with the proof is done, and what was counted is.
    package mutating func forget() {
        endUses()
        let (spending, counted) = (spending, counted)
        self = Findings()
        self.spending = spending
        self.counted = counted
    }

    /// Gives up the uses that it holds; everything else stays as it is.
    package mutating func endUses() {
        if let token { token.release() }
        token = nil
        if case .active(let record) = lookup { record.release() }
        lookup = .none
        if case .active(let record) = exchanged { record.release() }
        exchanged = .none
        if let upstreamToken { upstreamToken.release() }
        upstreamToken = nil
    }

    /// Gives up the use of its token's record: the request goes on as nobody's.
    mutating func forgetToken() {
        if let token { token.release() }
        token = nil
    }

    /// Takes a use of the record of the request's token, in the place of one from before a wait.
    mutating func take(_ record: TokenRecord, into identities: inout Identities) {
        record.retain()
        if let earlier = token {
            carryUpstreamToken(from: earlier, to: record, &identities)
            earlier.release()
        }
        token = record
    }
}

/// The stages of a judgement, in the order in which they come.
package enum Stage: UInt8, Sendable, CaseIterable {
    /// What the message asks for, before there is a path to look at.
    case target
    /// The gateway's own paths.
    case publication
    case route, crossOrigin, addressLimit, method, origin, webSocket
    case authenticate, authorize, identityLimit, exchange
    /// The upstream's head, and room there.
    case plan
    /// The proof is used up.
    case spend
    /// Nothing refused it.
    case end
}

/// The authentication scheme that a request's credentials are of.
package enum AttemptedScheme: UInt8, Sendable {
    case none, bearer, dpop
}

/// What an answer does to the cookie of a session.
package enum SessionCookieChange: Sendable, Equatable {
    case none
    /// It is set to this value, of this login.
    case set(login: Int, [UInt8])
    /// There is more than one of its name, and all that should not be there are deleted.
    case cleared(login: Int)
}
