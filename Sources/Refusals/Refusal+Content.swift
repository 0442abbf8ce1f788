package import Pages

/// What a head says about who reads the answer; kept with the exchange, for refusals come when the head is long gone.
package struct Reader: Sendable, Equatable {
    /// A person waits for a page (ECO-17).
    package var isNavigation = false
    /// A program asked for problems in JSON (RFC 9457).
    package var wantsProblem = false
    /// Which of the pages' languages the person wants most; 0 for none of them.
    package var language: UInt8 = 0

    package init() {}
}

/// What stands in the answer of a refusal beside its status and fields.
package enum RefusalContent: Sendable, Equatable {
    case nothing
    /// A page for people.
    case page(PageTopic)
    /// `application/problem+json` (RFC 9457).
    case problem
    /// A sentence for whoever cannot know better.
    case sentence
}

extension Refusal {
    /// What the answer contains, for whoever reads it: decided here, and nowhere else.
    ///
    /// Scripts, images and other programs get nothing, as fields say all that they can use, unless they ask for it.
    package func content(for reader: Reader, isSignedIn: Bool = false) -> RefusalContent {
        if reader.isNavigation { return .page(topic(isSignedIn: isSignedIn)) }
        if reader.wantsProblem { return .problem }
        return self == .plainHTTP ? .sentence : .nothing
    }

    /// What a page about it tells; never what the request or a server said (CF-24).
    package func topic(isSignedIn: Bool = false) -> PageTopic {
        switch self {
        case .crossSiteRequest, .originNotAllowed: .crossSite
        case .plainHTTP: .plainHTTP
        case .loginRequired: .missing
        case .sessionStoreUnavailable, .sessionRefreshUnavailable: .sessionDown
        case .exchangeTargetRefused, .introspectionAnswerTooLarge: .misconfigured
        case .loginStartMalformed: .startMalformed
        case .loginLoop: .loop
        case .loginResponseMalformed, .loginResponseIssuerWrong, .loginTokensInResponse, .loginResponseNotSigned:
            .notTrusted
        case .loginTransactionUnknown: .unknown
        case .loginTransactionExpired: .expired
        case .loginTransactionUsed: .used
        case .loginAccessDenied: .denied
        case .loginResponseError: .responseError
        case .loginCodeRefused: .codeRefused
        case .loginScopeNotGranted: .scopeMissing
        case .loginIDTokenInvalid: .notVerified
        case .loginAuthenticationInsufficient: .insufficient
        case .loginSessionTooLarge: .sessionTooLarge
        case .logoutTokenInvalid, .logoutTokenUsed: .logoutToken
        case _: topic(ofStatus: status, isSignedIn: isSignedIn)
        }
    }

    /// What a page tells somebody whose login it ended: there is no session yet that a store's outage keeps back.
    package var topicOfLogin: PageTopic { self == .sessionStoreUnavailable ? .checkDown : topic() }

    private func topic(ofStatus status: UInt16, isSignedIn: Bool) -> PageTopic {
        switch status {
        case 401: .programs
        case 403: isSignedIn ? .forbidden : .notAllowed
        case 404: .notFound
        case 405: .method
        case 408: .tooSlow
        case 413: .tooLarge
        case 414: .longAddress
        case 421: .otherHost
        case 429: .tooMany
        case 431: .cookies
        case 502: template == .page ? .misconfigured : .appDown
        case 503: outage
        case 504: .appSlow
        case 508: .circle
        default: .badRequest
        }
    }

    /// Of a 503: what cannot be reached, or is full.
    private var outage: PageTopic {
        switch template {
        case .authorizationDown: .checkDown
        case .page: blame == .capacity ? .busy : .serverDown
        case _: .busy
        }
    }
}
