import Access
import Login

extension Refusal {
    /// The refusal of a login, a refresh or a logout.
    init(_ cause: LoginRefusal) {
        switch cause {
        case .startMalformed: self = .loginStartMalformed
        case .loginLoop: self = .loginLoop
        case .serverUnavailable: self = .loginServerUnavailable
        case .serverUnsuitable: self = .loginServerUnsuitable
        case .pushRefused: self = .loginPushRefused
        case .pushUnavailable: self = .loginPushUnavailable
        case .pushAnswerInvalid: self = .loginPushAnswerInvalid
        case .requestNotMade: self = .loginRequestNotMade
        case .startsTooMany: self = .loginsTooMany
        case .clientLoginsTooMany: self = .clientLoginsTooMany
        case .responseMalformed: self = .loginResponseMalformed
        case .transactionUnknown: self = .loginTransactionUnknown
        case .transactionExpired: self = .loginTransactionExpired
        case .transactionUsed: self = .loginTransactionUsed
        case .responseIssuerWrong: self = .loginResponseIssuerWrong
        case .tokensInResponse: self = .loginTokensInResponse
        case .responseNotSigned: self = .loginResponseNotSigned
        case .accessDenied: self = .loginAccessDenied
        case .serverBusy: self = .loginServerBusy
        case .responseError: self = .loginResponseError
        case .codeRefused: self = .loginCodeRefused
        case .clientRefused: self = .loginClientRefused
        case .tokenUnavailable: self = .loginTokenUnavailable
        case .tokenAnswerInvalid: self = .loginTokenAnswerInvalid
        case .tokenTypeWrong: self = .loginTokenTypeWrong
        case .nonceDemanded: self = .loginNonceDemanded
        case .scopeNotGranted: self = .loginScopeNotGranted
        case .idTokenMissing: self = .loginIDTokenMissing
        case .idTokenInvalid: self = .loginIDTokenInvalid
        case .idTokenUnsuitable: self = .loginIDTokenUnsuitable
        case .keysUnavailable: self = .loginKeysUnavailable
        case .authenticationInsufficient: self = .loginAuthenticationInsufficient
        case .userInfoInvalid: self = .loginUserInfoInvalid
        case .sessionTooLarge: self = .loginSessionTooLarge
        case .storeUnavailable, .loginStoreUnavailable: self = .sessionStoreUnavailable
        case .sessionMissing: self = .loginRequired
        case .crossSite: self = .crossSiteRequest
        case .logoutTokenInvalid: self = .logoutTokenInvalid
        case .logoutTokenUsed: self = .logoutTokenUsed
        case .tooManyRequests: self = .loginRequestsTooMany
        case .requestObjectUnknown: self = .requestObjectUnknown
        case .methodNotAllowed: self = .methodNotAllowed
        }
    }
}
