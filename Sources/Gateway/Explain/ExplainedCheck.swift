package import Access

/// Every check on a request's way, in the order in which the stages make them: one line of an explanation each.
///
/// The order is a promise: what stands before the check that failed has passed. `ExplainedCheckTests` makes every pair
/// of mistakes at once and sees the earlier one reported.
package enum ExplainedCheck: Int, Sendable, CaseIterable, Comparable {
    // the message and its route
    case message, connectionOptions, connect, authority, path, loginPath, route, method, origin, webSocket
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
    // the upstream, and the proof that is used up last
    case exchange, body, identity, upstreamCredential, replay, upstream

    package static func < (one: ExplainedCheck, other: ExplainedCheck) -> Bool { one.rawValue < other.rawValue }

    /// What the line is called, in at most 22 letters.
    package var title: String { row.title }

    /// The text that demands the check.
    package var section: String { row.section }

    private var row: (title: String, section: String) {
        switch self {
        case .message: ("HTTP message", "RFC 9112 §2-§6")
        case .connectionOptions: ("Connection", "RFC 9110 §7.6.1")
        case .connect: ("no CONNECT", "RFC 9110 §9.3.6")
        case .authority: ("Host", "RFC 9110 §7.4")
        case .path: ("path", "RFC 3986 §6.2.2")
        case .loginPath: ("login, logout", "RFC 6749 §4.1")
        case .route: ("route", "RFC 9110 §15.5.5")
        case .method: ("method", "RFC 9110 §15.5.6")
        case .origin: ("Origin", "RFC 6454 §7")
        case .webSocket: ("WebSocket", "RFC 6455 §4.2.1")
        case .credentials: ("credentials", "RFC 6750 §2.1")
        case .scheme: ("scheme", "RFC 9110 §11.4")
        case .queryToken: ("no token in the query", "RFC 6750 §2.3")
        case .session: ("session", "configuration")
        case .sessionTokens: ("session's tokens", "RFC 6749 §6")
        case .samePage: ("page of ours", "RFC 6454 §7")
        case .tokenForm: ("token syntax", "RFC 7519 §7.2")
        case .tokenIssuer: ("iss is configured", "RFC 9068 §4")
        case .keys: ("issuer's keys", "RFC 8414 §3")
        case .tokenType: ("typ", "RFC 9068 §4")
        case .tokenAlgorithm: ("alg", "RFC 8725 §3.1")
        case .tokenKey: ("kid", "RFC 7515 §4.1.4")
        case .tokenSignature: ("signature", "RFC 7515 §5.2")
        case .dates: ("exp, nbf, iat readable", "RFC 7519 §4.1")
        case .expiry: ("exp", "RFC 7519 §4.1.4")
        case .notBefore: ("nbf", "RFC 7519 §4.1.5")
        case .issuedAt: ("iat", "RFC 7519 §4.1.6")
        case .claims: ("required claims", "RFC 9068 §2.2")
        case .purpose: ("is an access token", "RFC 8725 §3.12")
        case .introspection: ("introspection", "RFC 7662 §2.2")
        case .confirmation: ("cnf", "RFC 7800 §3.1")
        case .issuerOfRoute: ("iss fits the route", "RFC 9068 §4")
        case .audience: ("aud", "RFC 9068 §4")
        case .clientCertField: ("Client-Cert", "RFC 9440 §2.2")
        case .proofCount: ("proof: exactly one", "RFC 9449 §4.3 (1)")
        case .proofForm: ("proof: syntax", "RFC 9449 §4.3 (2)")
        case .proofType: ("proof: typ", "RFC 9449 §4.3 (4)")
        case .proofAlgorithm: ("proof: alg", "RFC 9449 §4.3 (5)")
        case .proofKey: ("proof: jwk", "RFC 9449 §4.3 (7)")
        case .proofClaims: ("proof: claims", "RFC 9449 §4.3 (3)")
        case .proofMethod: ("proof: htm", "RFC 9449 §4.3 (8)")
        case .proofTarget: ("proof: htu", "RFC 9449 §4.3 (9)")
        case .proofTime: ("proof: iat", "RFC 9449 §4.3 (11)")
        case .proofNonce: ("proof: nonce", "RFC 9449 §4.3 (10)")
        case .proofTokenHash: ("proof: ath", "RFC 9449 §4.3 (12)")
        case .proofSignature: ("proof: signature", "RFC 9449 §4.3 (6)")
        case .proofBinding: ("proof: key is cnf.jkt", "RFC 9449 §4.3 (12)")
        case .certificate: ("certificate is x5t", "RFC 8705 §3")
        case .binding: ("scheme fits cnf", "RFC 9449 §7.2")
        case .replay: ("proof: first use", "RFC 9449 §11.1")
        case .scope: ("scope", "RFC 6750 §3.1")
        case .authorizationDetails: ("authorization_details", "RFC 9396 §9.1")
        case .acr: ("acr", "RFC 9470 §3")
        case .maxAge: ("auth_time", "RFC 9470 §3")
        case .user: ("user's token", "RFC 9068 §5")
        case .claimRules: ("claim rules", "configuration")
        case .body: ("body size", "RFC 9110 §15.5.14")
        case .identity: ("identity fields", "RFC 9110 §5.4")
        case .exchange: ("token exchange", "RFC 8693 §2")
        case .upstreamCredential: ("upstream's credential", "RFC 9449 §7.2")
        case .upstream: ("upstream", "RFC 9110 §15.6")
        }
    }
}

extension ExplainedCheck {
    /// The check that a refusal comes from; every refusal has exactly one.
    ///
    /// `row` is the requirement row in the operator's log, which tells apart what one cause stands for several times.
    package init(_ refusal: Refusal, row: String) {
        self =
            Self.ofMessage(refusal) ?? Self.ofSession(refusal, row) ?? Self.ofToken(refusal, row)
            ?? Self.ofSender(refusal, row) ?? Self.ofRights(refusal) ?? Self.ofLogin(refusal) ?? .upstream
    }

    /// Whether the check is there for routes and paths of browser logins alone.
    var isOfLogins: Bool {
        switch self {
        case .loginPath, .session, .sessionTokens, .samePage: true
        default: false
        }
    }

    private static func ofSession(_ refusal: Refusal, _ row: String) -> ExplainedCheck? {
        switch refusal {
        // A session that lives, and whose access token does not.
        case .loginRequired: row == "RF-06" ? .sessionTokens : .session
        case .sessionRefreshUnavailable, .sessionStoreUnavailable: .sessionTokens
        case .crossSiteRequest: .samePage
        case .sessionScopeInsufficient: .scope
        default: nil
        }
    }

    /// What is refused at the paths that logins are made of.
    private static func ofLogin(_ refusal: Refusal) -> ExplainedCheck? {
        switch refusal {
        case .loginStartMalformed, .loginLoop, .loginServerUnavailable, .loginServerUnsuitable, .loginPushRefused,
            .loginPushUnavailable, .loginPushAnswerInvalid, .loginRequestNotMade, .loginsTooMany, .loginTimedOut,
            .loginResponseMalformed, .loginTransactionUnknown, .loginTransactionExpired, .loginTransactionUsed,
            .loginResponseIssuerWrong, .loginTokensInResponse, .loginResponseNotSigned, .loginAccessDenied,
            .loginServerBusy, .loginResponseError, .loginCodeRefused, .loginClientRefused, .loginTokenUnavailable,
            .loginTokenAnswerInvalid, .loginTokenTypeWrong, .loginNonceDemanded, .loginScopeNotGranted,
            .loginIDTokenMissing, .loginIDTokenInvalid, .loginIDTokenUnsuitable, .loginKeysUnavailable,
            .loginAuthenticationInsufficient,
            .loginUserInfoInvalid, .loginSessionTooLarge, .logoutTokenInvalid, .logoutTokenUsed,
            .loginRequestsTooMany, .requestObjectUnknown, .clientLoginsTooMany:
            .loginPath
        default: nil
        }
    }

    private static func ofMessage(_ refusal: Refusal) -> ExplainedCheck? {
        switch refusal {
        case .malformedMessage, .unknownTransferCoding, .versionNotSupported, .expectationUnknown,
            .requestLineTooLong, .headerSectionTooLarge, .requestHeadTooSlow, .tooManyConnections,
            .clientConnectionsTooMany, .plainHTTP:
            .message
        case .reservedConnectionOption, .loopDetected: .connectionOptions
        case .connectRefused: .connect
        case .authorityUnknown, .serverNameDisagrees: .authority
        case .pathAmbiguous, .pathMatchesTwoRoutes, .pathBehindExactRoute: .path
        case .routeUnknown: .route
        case .methodNotAllowed: .method
        case .webSocketOfferMalformed, .webSocketVersionUnknown: .webSocket
        case .originNotAllowed: .origin
        case .credentialsMissing, .credentialsRepeated, .credentialsMalformed: .credentials
        case .schemeNotEnabled: .scheme
        case .credentialsInQueryToo: .queryToken
        default: nil
        }
    }

    private static func ofToken(_ refusal: Refusal, _ row: String) -> ExplainedCheck? {
        switch refusal {
        case .tokenTooLarge, .tokenMalformed, .tokenEncrypted: .tokenForm
        case .tokenIssuerUnknown: .tokenIssuer
        case .issuerKeysUnavailable, .keyWaitersTooMany, .clientWaitersTooMany: .keys
        case .tokenTypeNotAccepted: .tokenType
        case .tokenAlgorithmNotAllowed: .tokenAlgorithm
        case .tokenKeyUnknown, .tokenKeyAmbiguous: .tokenKey
        case .tokenSignatureInvalid: .tokenSignature
        case .tokenExpired: .expiry
        case .tokenNotYetValid: .notBefore
        case .tokenIssuedInFuture: .issuedAt
        // Read before any of the three is compared: RS-15 is a missing exp, JOSE-27 a date that is none.
        case .tokenClaimMissing, .tokenClaimMalformed: row == "RS-15" || row == "JOSE-27" ? .dates : .claims
        case .tokenLooksLikeIDToken, .tokenOfOtherPurpose: .purpose
        case .tokenInactive, .introspectionUnavailable, .introspectionAnswerTooLarge, .unknownTokensTooMany:
            .introspection
        // Bound in a way that nobody can check; Bearer for a bound token; a bound token to be passed to the upstream.
        case .tokenBoundToKey: row == "DPOP-20" ? .binding : row == "RS-25" ? .upstreamCredential : .confirmation
        case .tokenIssuerNotAccepted: .issuerOfRoute
        case .tokenAudienceMissing: .audience
        default: nil
        }
    }

    private static func ofSender(_ refusal: Refusal, _ row: String) -> ExplainedCheck? {
        switch refusal {
        case .clientCertFieldInvalid: .clientCertField
        case .proofMissing, .proofRepeated: .proofCount
        // A jti that is too long is found where the claims are read.
        case .proofTooLarge: row == "DPOP-16" ? .proofClaims : .proofForm
        case .proofMalformed: .proofForm
        case .proofTypeNotAccepted: .proofType
        case .proofAlgorithmNotAllowed: .proofAlgorithm
        case .proofKeyInvalid: .proofKey
        case .proofClaimMissing, .proofClaimMalformed: .proofClaims
        case .proofMethodMismatch: .proofMethod
        case .proofTargetMismatch: .proofTarget
        case .proofOutOfTime: .proofTime
        case .proofNonceMissing, .proofNonceUnknown: .proofNonce
        case .proofTokenMismatch: .proofTokenHash
        case .proofSignatureInvalid: .proofSignature
        case .proofKeyMismatch: .proofBinding
        case .proofReplayed, .replaySetFull, .clientProofsTooMany: .replay
        case .tokenNotBound: .binding
        case .certificateMissing, .certificateMismatch: .certificate
        default: nil
        }
    }

    private static func ofRights(_ refusal: Refusal) -> ExplainedCheck? {
        switch refusal {
        case .scopeInsufficient: .scope
        case .authorizationDetailsInsufficient, .authorizationDetailsMalformed: .authorizationDetails
        case .authenticationInsufficient: .acr
        case .authenticationTooOld: .maxAge
        case .userRequired: .user
        case .claimRuleUnmet: .claimRules
        case .requestBodyTooLarge, .requestBodyTooSlow: .body
        case .identityTooLarge: .identity
        case .exchangeSubjectRefused, .exchangeTargetRefused, .exchangeUnavailable: .exchange
        default: nil
        }
    }
}
