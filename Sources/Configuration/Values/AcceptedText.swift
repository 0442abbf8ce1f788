/// Whether keys take a text, for whoever writes configurations instead of reading them.
package enum AcceptedText {
    /// What a key of that kind takes.
    package enum Kind: Sendable {
        /// A field of `identity` that a claim fills.
        case identityField
        /// A field of `request_fields`, of `response_fields`, and what either sets.
        case requestField, responseField, fieldValue
        /// A claim, and what stands between several of its values.
        case claim, separator
        /// A route's path without a slash at its end, or the prefix of one.
        case prefix
        /// A domain of addresses of mail.
        case mailDomain
        /// A domain of a session's cookie.
        case cookieDomain
        /// A name of `hosts`.
        case host
        /// A network whose clients need no login, and one of proxies.
        case visitors, proxies
        case authority, issuer, target, audience, clientID, scope, authenticationContext, prompt, file,
            environmentVariable
        /// The algorithm of an ID token.
        case algorithm
        /// A URL of an upstream.
        case upstream
    }

    /// Whether `check` has nothing to say against it.
    package static func isGood(_ text: String, for kind: Kind) -> Bool { shape(kind).fault(text) == nil }

    private static func shape(_ kind: Kind) -> TextShape {
        switch kind {
        case .identityField: FieldNameText.ofIdentity
        case .requestField: ChangedFieldText.ofRequests
        case .responseField: ChangedFieldText.ofResponses
        case .fieldValue: ChangedFieldText.value
        case .claim: ClaimPathText.shape
        case .separator: PlainText.separator
        case .prefix: PathRewriteSection.prefix
        case .mailDomain: ClaimSection.domain
        case .cookieDomain: LoginText.domain
        case .host: HostText.shape
        case .visitors: NetworkText.ofVisitors
        case .proxies: NetworkText.ofProxies
        case .authority: PlainText.authority
        case .issuer: URLText.issuer
        case .target: URLText.target
        case .audience: PlainText.audience
        case .clientID: PlainText.clientID
        case .scope: PlainText.scope
        case .authenticationContext: PlainText.authenticationContext
        case .prompt: LoginText.prompt
        case .file: PlainText.file
        case .environmentVariable: PlainText.environmentVariable
        case .algorithm: AlgorithmText.ofIDTokens
        case .upstream: UpstreamSection.url
        }
    }
}
