import Access
import Gateway

/// What an explanation makes of a refusal: the check that it comes from, and what is wrong and can be changed.
///
/// The only place that tells refusals apart: a cause without a row does not compile.
struct RefusalRow {
    let check: Check.ID
    let remedy: KeyPath<CheckFacts, Remedy>

    fileprivate init(_ check: Check.ID, _ remedy: KeyPath<CheckFacts, Remedy>) {
        self.check = check
        self.remedy = remedy
    }
}

/// A refusal as the operator's log tells it.
struct LoggedRefusal {
    let cause: Refusal
    /// The requirement row, which tells apart what one cause stands for several times.
    let row: String

    init(_ cause: Refusal, row: String) {
        self.cause = cause
        self.row = row
    }

    /// A missing exp, or a date that is none: read before any of the three is compared.
    private var isOfDates: Bool { row == "RS-15" || row == "JOSE-27" }

    var explained: RefusalRow {
        switch cause {
        case .malformedMessage, .unknownTransferCoding, .versionNotSupported, .expectationUnknown:
            .init(.message, \.malformedMessage)
        case .requestLineTooLong, .headerSectionTooLarge: .init(.message, \.headerSectionTooLarge)
        case .requestHeadTooSlow: .init(.message, \.requestHeadTooSlow)
        case .tooManyConnections: .init(.message, \.tooManyConnections)
        case .clientConnectionsTooMany: .init(.message, \.clientConnectionsTooMany)
        case .proxyHeaderRefused: .init(.message, \.proxyHeaderRefused)
        case .plainHTTP: .init(.message, \.plainHTTP)
        case .reservedConnectionOption: .init(.connectionOptions, \.reservedConnectionOption)
        case .loopDetected: .init(.connectionOptions, \.loopDetected)
        case .connectRefused: .init(.connect, \.connectRefused)
        case .tunnelProtocolUnknown: .init(.connect, \.tunnelProtocolUnknown)
        case .authorityUnknown: .init(.authority, \.authorityUnknown)
        case .serverNameDisagrees: .init(.authority, \.serverNameDisagrees)
        case .pathAmbiguous: .init(.path, \.pathAmbiguous)
        case .pathMatchesTwoRoutes: .init(.path, \.pathMatchesTwoRoutes)
        case .pathBehindExactRoute: .init(.path, \.pathBehindExactRoute)
        case .routeUnknown: .init(.route, \.routeUnknown)
        case .addressRateExceeded: .init(.addressRate, \.rateExceeded)
        case .requestRateExceeded: .init(.requestRate, \.rateExceeded)
        case .methodNotAllowed: .init(.method, \.methodNotAllowed)
        case .grpcMethodNotAllowed: .init(.method, \.grpcMethodNotAllowed)
        case .originNotAllowed: .init(.origin, \.originNotAllowed)
        case .webSocketOfferMalformed: .init(.webSocket, \.webSocketOfferMalformed)
        case .webSocketVersionUnknown: .init(.webSocket, \.webSocketVersionUnknown)
        case .credentialsMissing: .init(.credentials, \.credentialsMissing)
        case .credentialsRepeated: .init(.credentials, \.credentialsRepeated)
        case .credentialsMalformed: .init(.credentials, \.credentialsMalformed)
        case .schemeNotEnabled: .init(.scheme, \.schemeNotEnabled)
        case .credentialsInQueryToo: .init(.queryToken, \.credentialsInQueryToo)
        // A session that lives, and whose access token does not.
        case .loginRequired:
            row == "RF-06" ? .init(.sessionTokens, \.sessionTokensExpired) : .init(.session, \.loginRequired)
        case .sessionRefreshUnavailable: .init(.sessionTokens, \.sessionRefreshUnavailable)
        case .sessionStoreUnavailable: .init(.sessionTokens, \.sessionStoreUnavailable)
        case .crossSiteRequest: .init(.samePage, \.crossSiteRequest)
        case .tokenTooLarge: .init(.tokenForm, \.tokenTooLarge)
        case .tokenMalformed: .init(.tokenForm, \.tokenMalformed)
        case .tokenEncrypted: .init(.tokenForm, \.tokenEncrypted)
        case .tokenInactive: .init(.introspection, \.tokenInactive)
        case .introspectionUnavailable: .init(.introspection, \.introspectionUnavailable)
        case .introspectionAnswerTooLarge: .init(.introspection, \.introspectionAnswerTooLarge)
        case .unknownTokensTooMany: .init(.introspection, \.unknownTokensTooMany)
        case .failedVerificationsTooMany: .init(.tokenSignature, \.failedVerificationsTooMany)
        case .tokenIssuerUnknown: .init(.tokenIssuer, \.tokenIssuerUnknown)
        case .issuerKeysUnavailable, .keyWaitersTooMany: .init(.keys, \.issuerKeysUnavailable)
        case .clientWaitersTooMany: .init(.keys, \.clientWaitersTooMany)
        case .tokenTypeNotAccepted: .init(.tokenType, \.tokenTypeNotAccepted)
        case .tokenAlgorithmNotAllowed: .init(.tokenAlgorithm, \.tokenAlgorithmNotAllowed)
        case .tokenKeyUnknown: .init(.tokenKey, \.tokenKeyUnknown)
        case .tokenKeyAmbiguous: .init(.tokenKey, \.tokenKeyAmbiguous)
        case .tokenSignatureInvalid: .init(.tokenSignature, \.tokenSignatureInvalid)
        case .tokenClaimMissing: .init(isOfDates ? .dates : .claims, \.tokenClaimMissing)
        case .tokenClaimMalformed: .init(isOfDates ? .dates : .claims, \.tokenClaimMalformed)
        case .tokenExpired: .init(.expiry, \.tokenExpired)
        case .tokenNotYetValid: .init(.notBefore, \.tokenNotYetValid)
        case .tokenIssuedInFuture: .init(.issuedAt, \.tokenIssuedInFuture)
        case .tokenLooksLikeIDToken, .tokenOfOtherPurpose: .init(.purpose, \.tokenOfOtherPurpose)
        // Bound in a way that nobody can check; Bearer for a bound token; a bound token to be passed to the upstream.
        case .tokenBoundToKey:
            row == "RS-25"
                ? .init(.upstreamCredential, \.boundTokenPassed)
                : .init(row == "DPOP-20" ? .binding : .confirmation, \.tokenBoundToKey)
        case .tokenIssuerNotAccepted: .init(.issuerOfRoute, \.tokenIssuerNotAccepted)
        case .tokenAudienceMissing: .init(.audience, \.tokenAudienceMissing)
        case .tokenNotBound: .init(.binding, \.tokenNotBound)
        case .proofMissing: .init(.proofCount, \.proofMissing)
        case .proofRepeated: .init(.proofCount, \.proofRepeated)
        // A jti that is too long is found where the claims are read.
        case .proofTooLarge: .init(row == "DPOP-16" ? .proofClaims : .proofForm, \.proofTooLarge)
        case .proofMalformed: .init(.proofForm, \.proofMalformed)
        case .proofTypeNotAccepted: .init(.proofType, \.proofTypeNotAccepted)
        case .proofAlgorithmNotAllowed: .init(.proofAlgorithm, \.proofAlgorithmNotAllowed)
        case .proofKeyInvalid: .init(.proofKey, \.proofKeyInvalid)
        case .proofClaimMissing, .proofClaimMalformed: .init(.proofClaims, \.proofClaimMissing)
        case .proofMethodMismatch: .init(.proofMethod, \.proofMethodMismatch)
        case .proofTargetMismatch: .init(.proofTarget, \.proofTargetMismatch)
        case .proofNonceMissing: .init(.proofNonce, \.proofNonceMissing)
        case .proofNonceUnknown: .init(.proofNonce, \.proofNonceUnknown)
        case .proofOutOfTime: .init(.proofTime, \.proofOutOfTime)
        case .proofTokenMismatch: .init(.proofTokenHash, \.proofTokenMismatch)
        case .proofSignatureInvalid: .init(.proofSignature, \.proofSignatureInvalid)
        case .proofKeyMismatch: .init(.proofBinding, \.proofKeyMismatch)
        case .clientCertFieldInvalid: .init(.clientCertField, \.clientCertFieldInvalid)
        case .certificateMissing: .init(.certificate, \.certificateMissing)
        case .certificateMismatch: .init(.certificate, \.certificateMismatch)
        case .scopeInsufficient: .init(.scope, \.scopeInsufficient)
        case .sessionScopeInsufficient: .init(.scope, \.sessionScopeInsufficient)
        case .authorizationDetailsInsufficient, .authorizationDetailsMalformed:
            .init(.authorizationDetails, \.authorizationDetailsInsufficient)
        case .authenticationInsufficient: .init(.acr, \.authenticationInsufficient)
        case .authenticationTooOld: .init(.maxAge, \.authenticationTooOld)
        case .userRequired: .init(.user, \.userRequired)
        case .claimRuleUnmet: .init(.claimRules, \.claimRuleUnmet)
        case .exchangeSubjectRefused: .init(.exchange, \.exchangeSubjectRefused)
        case .exchangeTargetRefused: .init(.exchange, \.exchangeTargetRefused)
        case .exchangeUnavailable: .init(.exchange, \.exchangeUnavailable)
        case .requestBodyTooLarge: .init(.body, \.requestBodyTooLarge)
        case .callTimeoutMalformed: .init(.body, \.callTimeoutMalformed)
        // Whichever check it waited for: none of them was made.
        case .callTimedOut: .init(.message, \.callTimedOut)
        case .requestBodyTooSlow: .init(.body, \.requestHeadTooSlow)
        case .identityTooLarge: .init(.identity, \.identityTooLarge)
        // Seen here, or by another replica.
        case .proofReplayed: .init(row == "SH-55" ? .sharedReplay : .replay, \.proofReplayed)
        case .replaySetFull: .init(.replay, \.replaySetFull)
        case .clientProofsTooMany: .init(.replay, \.clientProofsTooMany)
        case .storeUnavailable: .init(.sharedReplay, \.storeUnavailable)
        case .storeBusy: .init(.sharedReplay, \.storeBusy)
        case .storeForgot: .init(.sharedReplay, \.storeForgot)
        case .upstreamUnresolved, .upstreamUnreachable, .upstreamTLSFailed, .upstreamProtocol, .upstreamClosed,
            .upstreamSwitchedProtocols, .upstreamConnectTimedOut:
            .init(.upstream, \.upstreamUnreachable)
        case .upstreamMalformed: .init(.upstream, \.upstreamMalformed)
        case .upstreamTimedOut: .init(.upstream, \.upstreamTimedOut)
        case .upstreamConnectionsExhausted: .init(.upstream, \.tooManyConnections)
        case .upstreamUnauthorized: .init(.upstream, \.upstreamUnauthorized)
        case .upstreamShareExhausted: .init(.upstream, \.upstreamShareExhausted)
        // What is refused at the paths that logins are made of.
        case .loginStartMalformed: .init(.loginPath, \.loginStartMalformed)
        case .loginLoop: .init(.loginPath, \.loginLoop)
        case .loginServerUnavailable: .init(.loginPath, \.loginServerUnavailable)
        case .loginServerUnsuitable: .init(.loginPath, \.loginServerUnsuitable)
        case .loginPushRefused: .init(.loginPath, \.loginPushRefused)
        case .loginPushUnavailable: .init(.loginPath, \.loginPushUnavailable)
        case .loginPushAnswerInvalid: .init(.loginPath, \.loginPushAnswerInvalid)
        case .loginRequestNotMade: .init(.loginPath, \.loginRequestNotMade)
        case .loginsTooMany: .init(.loginPath, \.loginsTooMany)
        case .loginTimedOut: .init(.loginPath, \.loginTimedOut)
        case .loginResponseMalformed: .init(.loginPath, \.loginResponseMalformed)
        case .loginTransactionUnknown: .init(.loginPath, \.loginTransactionUnknown)
        case .loginTransactionExpired: .init(.loginPath, \.loginTransactionExpired)
        case .loginTransactionUsed: .init(.loginPath, \.loginTransactionUsed)
        case .loginResponseIssuerWrong: .init(.loginPath, \.loginResponseIssuerWrong)
        case .loginTokensInResponse: .init(.loginPath, \.loginTokensInResponse)
        case .loginResponseNotSigned: .init(.loginPath, \.loginResponseNotSigned)
        case .loginAccessDenied: .init(.loginPath, \.loginAccessDenied)
        case .loginServerBusy: .init(.loginPath, \.loginServerBusy)
        case .loginResponseError: .init(.loginPath, \.loginResponseError)
        case .loginCodeRefused: .init(.loginPath, \.loginCodeRefused)
        case .loginClientRefused: .init(.loginPath, \.loginClientRefused)
        case .loginTokenUnavailable: .init(.loginPath, \.loginTokenUnavailable)
        case .loginTokenAnswerInvalid: .init(.loginPath, \.loginTokenAnswerInvalid)
        case .loginTokenTypeWrong: .init(.loginPath, \.loginTokenTypeWrong)
        case .loginNonceDemanded: .init(.loginPath, \.loginNonceDemanded)
        case .loginScopeNotGranted: .init(.loginPath, \.loginScopeNotGranted)
        case .loginIDTokenMissing: .init(.loginPath, \.loginIDTokenMissing)
        case .loginIDTokenInvalid: .init(.loginPath, \.loginIDTokenInvalid)
        case .loginIDTokenUnsuitable: .init(.loginPath, \.loginIDTokenUnsuitable)
        case .loginKeysUnavailable: .init(.loginPath, \.loginKeysUnavailable)
        case .loginAuthenticationInsufficient: .init(.loginPath, \.loginAuthenticationInsufficient)
        case .loginUserInfoInvalid: .init(.loginPath, \.loginUserInfoInvalid)
        case .loginSessionTooLarge: .init(.loginPath, \.loginSessionTooLarge)
        case .logoutTokenInvalid: .init(.loginPath, \.logoutTokenInvalid)
        case .logoutTokenUsed: .init(.loginPath, \.logoutTokenUsed)
        case .loginRequestsTooMany: .init(.loginPath, \.loginRequestsTooMany)
        case .requestObjectUnknown: .init(.loginPath, \.requestObjectUnknown)
        case .clientLoginsTooMany: .init(.loginPath, \.clientLoginsTooMany)
        }
    }
}
