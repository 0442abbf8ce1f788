package import Access

extension Check.ID {
    /// The check that a refusal comes from; every refusal has exactly one.
    ///
    /// `row` is the requirement row in the operator's log, which tells apart what one cause stands for several times.
    package init(_ refusal: Refusal, row: String) {
        self =
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
            case .originNotAllowed: .origin
            case .webSocketOfferMalformed, .webSocketVersionUnknown: .webSocket
            case .credentialsMissing, .credentialsRepeated, .credentialsMalformed: .credentials
            case .schemeNotEnabled: .scheme
            case .credentialsInQueryToo: .queryToken
            // A session that lives, and whose access token does not.
            case .loginRequired: row == "RF-06" ? .sessionTokens : .session
            case .sessionRefreshUnavailable, .sessionStoreUnavailable: .sessionTokens
            case .crossSiteRequest: .samePage
            case .tokenTooLarge, .tokenMalformed, .tokenEncrypted: .tokenForm
            case .tokenInactive, .introspectionUnavailable, .introspectionAnswerTooLarge, .unknownTokensTooMany:
                .introspection
            case .tokenIssuerUnknown: .tokenIssuer
            case .issuerKeysUnavailable, .keyWaitersTooMany, .clientWaitersTooMany: .keys
            case .tokenTypeNotAccepted: .tokenType
            case .tokenAlgorithmNotAllowed: .tokenAlgorithm
            case .tokenKeyUnknown, .tokenKeyAmbiguous: .tokenKey
            case .tokenSignatureInvalid: .tokenSignature
            // Read before any of the three is compared: RS-15 is a missing exp, JOSE-27 a date that is none.
            case .tokenClaimMissing, .tokenClaimMalformed: row == "RS-15" || row == "JOSE-27" ? .dates : .claims
            case .tokenExpired: .expiry
            case .tokenNotYetValid: .notBefore
            case .tokenIssuedInFuture: .issuedAt
            case .tokenLooksLikeIDToken, .tokenOfOtherPurpose: .purpose
            // Bound in a way that nobody can check; Bearer for a bound token; a bound token to be passed to the upstream.
            case .tokenBoundToKey: row == "DPOP-20" ? .binding : row == "RS-25" ? .upstreamCredential : .confirmation
            case .tokenIssuerNotAccepted: .issuerOfRoute
            case .tokenAudienceMissing: .audience
            case .tokenNotBound: .binding
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
            case .proofNonceMissing, .proofNonceUnknown: .proofNonce
            case .proofOutOfTime: .proofTime
            case .proofTokenMismatch: .proofTokenHash
            case .proofSignatureInvalid: .proofSignature
            case .proofKeyMismatch: .proofBinding
            case .clientCertFieldInvalid: .clientCertField
            case .certificateMissing, .certificateMismatch: .certificate
            case .scopeInsufficient, .sessionScopeInsufficient: .scope
            case .authorizationDetailsInsufficient, .authorizationDetailsMalformed: .authorizationDetails
            case .authenticationInsufficient: .acr
            case .authenticationTooOld: .maxAge
            case .userRequired: .user
            case .claimRuleUnmet: .claimRules
            case .exchangeSubjectRefused, .exchangeTargetRefused, .exchangeUnavailable: .exchange
            case .requestBodyTooLarge, .requestBodyTooSlow: .body
            case .identityTooLarge: .identity
            case .proofReplayed, .replaySetFull, .clientProofsTooMany: .replay
            case .upstreamUnresolved, .upstreamUnreachable, .upstreamTLSFailed, .upstreamClosed, .upstreamMalformed,
                .upstreamSwitchedProtocols, .upstreamConnectTimedOut, .upstreamTimedOut,
                .upstreamConnectionsExhausted, .upstreamUnauthorized, .upstreamShareExhausted:
                .upstream
            // What is refused at the paths that logins are made of.
            case .loginStartMalformed, .loginLoop, .loginServerUnavailable, .loginServerUnsuitable, .loginPushRefused,
                .loginPushUnavailable, .loginPushAnswerInvalid, .loginRequestNotMade, .loginsTooMany, .loginTimedOut,
                .loginResponseMalformed, .loginTransactionUnknown, .loginTransactionExpired, .loginTransactionUsed,
                .loginResponseIssuerWrong, .loginTokensInResponse, .loginResponseNotSigned, .loginAccessDenied,
                .loginServerBusy, .loginResponseError, .loginCodeRefused, .loginClientRefused, .loginTokenUnavailable,
                .loginTokenAnswerInvalid, .loginTokenTypeWrong, .loginNonceDemanded, .loginScopeNotGranted,
                .loginIDTokenMissing, .loginIDTokenInvalid, .loginIDTokenUnsuitable, .loginKeysUnavailable,
                .loginAuthenticationInsufficient, .loginUserInfoInvalid, .loginSessionTooLarge, .logoutTokenInvalid,
                .logoutTokenUsed, .loginRequestsTooMany, .requestObjectUnknown, .clientLoginsTooMany:
                .loginPath
            }
    }
}
