import Access
import Gateway
import JSON

/// One check on a request's way, as an explanation tells it: a row of the table that all explanations are read from.
package struct Check: Sendable {
    /// Names a row, for whoever ends a request.
    package enum ID: Sendable, CaseIterable {
        // the message and its route
        case message, connectionOptions, connect, authority, path, loginPath, route, addressRate, method, origin,
            webSocket
        // the credentials
        case credentials, scheme, queryToken
        // a browser's session in place of a token
        case session, sessionTokens, samePage
        // the token
        case tokenForm, introspection, tokenIssuer, keys, tokenType, tokenAlgorithm, tokenKey, tokenSignature
        case dates, expiry, notBefore, issuedAt, claims, purpose, confirmation
        // the token and the route
        case issuerOfRoute, audience
        // the sender
        case binding, proofCount, proofForm, proofType, proofAlgorithm, proofKey, proofClaims, proofMethod
        case proofTarget, proofNonce, proofTime, proofTokenHash, proofSignature, proofBinding
        case clientCertField, certificate
        // rights
        case scope, authorizationDetails, acr, maxAge, user, claimRules
        // how often
        case requestRate
        // the upstream, and the proof that is used up last
        case exchange, body, identity, upstreamCredential, replay, sharedReplay, upstream
    }

    /// What a check looks at; without it there is nothing to be seen and nothing to be wanted.
    enum Subject {
        case message
        /// The route that was found.
        case route
        /// The token, or the session in place of it.
        case token
        /// The token's claims, which the issuer may have kept to itself.
        case claims
        /// The DPoP proof that came with the token.
        case proof
    }

    /// Why there is nothing to check; nil when there is.
    typealias Reason = @Sendable (CheckFacts) -> String?

    let id: ID
    /// What the line is called, in at most 23 letters.
    let title: String
    /// The text that demands the check, of this request.
    let section: CheckWords
    let subject: Subject
    /// What the request carries.
    let seen: CheckWords
    /// What it should carry.
    let wanted: CheckWords
    /// Why a route gives it nothing to do: the first reason that holds is told.
    fileprivate(set) var skipped: [Reason]
    /// Why the gateway had answered before it came to the check; told before all others.
    fileprivate(set) var answered: [Reason] = []
    /// Whether an explanation has the line at all.
    fileprivate(set) var isShown: @Sendable (CheckFacts) -> Bool = { _ in true }

    init(
        _ id: ID, _ title: String, _ section: CheckWords, of subject: Subject, seen: CheckWords, wanted: CheckWords,
        skipped: [Reason]
    ) {
        self.id = id
        self.title = title
        self.section = section
        self.subject = subject
        self.seen = seen
        self.wanted = wanted
        self.skipped = skipped
    }

    /// Every check in the order in which the stages make them.
    ///
    /// The order is a promise: what stands before the check that failed has passed. `CheckTests` makes every pair of
    /// mistakes at once and sees the earlier one reported.
    package static let table =
        ofMessage + ofCredentials + ofSession + ofToken + ofSender + ofRights + ofRates + ofUpstream

    /// The rows of one stage, with what holds for all of them.
    static func rows(
        answered: [Reason], skipped: [Reason] = [], shown: @escaping @Sendable (CheckFacts) -> Bool = { _ in true },
        _ rows: [Check]
    ) -> [Check] {
        rows.map { row in
            var row = row
            row.answered = answered
            row.skipped = skipped + row.skipped
            row.isShown = shown
            return row
        }
    }
}

/// What a column of the table says of one request.
struct CheckWords: Sendable, ExpressibleByStringLiteral {
    private let text: @Sendable (CheckFacts) -> String

    init(_ text: @escaping @Sendable (CheckFacts) -> String) { self.text = text }

    init(stringLiteral value: String) { text = { _ in value } }

    func callAsFunction(_ facts: CheckFacts) -> String { text(facts) }

    /// Where the title says it all.
    static let nothing: CheckWords = ""

    /// A member of the token's header.
    static func header(_ name: String) -> CheckWords { CheckWords { ShownText.json($0.token?.header?[name]) } }

    /// A claim of the token.
    static func claim(_ name: String) -> CheckWords { CheckWords { ShownText.json($0.token?.claims?[name]) } }

    /// A date of the token, and how far away it is.
    static func date(_ claim: String) -> CheckWords { CheckWords { $0.seenTime(claim, in: $0.token?.claims) } }

    /// A claim of what rights are looked for in: the token's, or the session's.
    static func right(_ claim: String) -> CheckWords { CheckWords { ShownText.json($0.claims?[claim]) } }

    /// A member of the proof's header.
    static func proofHeader(_ name: String) -> CheckWords { CheckWords { ShownText.json($0.proof?.header?[name]) } }

    /// A claim of the proof.
    static func proofClaim(_ name: String) -> CheckWords { CheckWords { ShownText.json($0.proof?.claims?[name]) } }
}

extension CheckFacts {
    /// Whether the request has what the check looks at.
    func has(_ subject: Check.Subject) -> Bool {
        let hasToken = route != nil && (usesSession ? claims != nil : token != nil)
        switch subject {
        case .message: return true
        case .route: return route != nil
        case .token: return hasToken
        case .claims: return hasToken && !(evidence.isIntrospected && token?.claims == nil)
        case .proof: return hasToken && proof != nil
        }
    }

    /// Why the check has nothing to do; nil when it has.
    func reasonSkipped(_ check: Check) -> String? {
        for reason in check.answered {
            if let words = reason(self) { return words }
        }
        guard check.subject == .message || route != nil else { return nil }
        for reason in check.skipped {
            if let words = reason(self) { return words }
        }
        return nil
    }

    var redirected: String? {
        evidence.ownAnswer == .redirect ? "plain HTTP is sent to https, and nothing else" : nil
    }

    var forServer: String? {
        evidence.method == "OPTIONS" && evidence.target == "*" ? "OPTIONS * is for the gateway itself" : nil
    }

    private var ownPath: String? {
        evidence.ownAnswer == .login || evidence.ownAnswer == .document ? "the path is the gateway's own" : nil
    }

    private var preflight: String? {
        evidence.ownAnswer == .preflight ? "a preflight brings no credentials, and is answered here" : nil
    }

    /// What the gateway answers as soon as it knows the path.
    static let answeredByPath: [Check.Reason] = [\.redirected, \.forServer, \.ownPath]
    /// What it answers before it looks at credentials.
    static let answeredByRoute: [Check.Reason] = answeredByPath + [\.preflight]
}
