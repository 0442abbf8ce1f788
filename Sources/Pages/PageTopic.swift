/// What an error page is about; the raw value begins the keys of its sentences.
package enum PageTopic: String, Sendable, CaseIterable {
    // A request that was refused
    case badRequest = "bad_request"
    case programs, forbidden
    case notAllowed = "not_allowed"
    case crossSite = "cross_site"
    case notFound = "not_found"
    case method
    case tooSlow = "too_slow"
    case tooLarge = "too_large"
    case longAddress = "long_address"
    case cookies
    case otherHost = "other_host"
    case tooMany = "too_many"
    case circle
    case appDown = "app_down"
    case appSlow = "app_slow"
    case busy
    case checkDown = "check_down"
    case plainHTTP = "plain_http"
    // Logins
    case startMalformed = "start_malformed"
    case loop
    case serverDown = "server_down"
    case misconfigured
    case sessionTooLarge = "session_too_large"
    case notTrusted = "not_trusted"
    case notVerified = "not_verified"
    case unknown, expired, used, denied
    case responseError = "response_error"
    case codeRefused = "code_refused"
    case scopeMissing = "scope_missing"
    case insufficient
    case sessionDown = "session_down"
    case stillSignedIn = "still_signed_in"
    case missing
    case logoutToken = "logout_token"

    /// How bad it looks.
    var mark: PageMark {
        switch self {
        case .notFound, .missing, .programs, .otherHost, .plainHTTP: .calm
        case .misconfigured, .sessionTooLarge, .notTrusted, .notVerified, .responseError, .crossSite, .logoutToken,
            .method, .forbidden, .notAllowed, .badRequest, .circle:
            .bad
        case .tooSlow, .tooLarge, .longAddress, .cookies, .tooMany, .appDown, .appSlow, .busy, .checkDown,
            .startMalformed, .loop, .serverDown, .unknown, .expired, .used, .denied, .codeRefused, .scopeMissing,
            .insufficient, .sessionDown, .stillSignedIn:
            .warn
        }
    }

    /// What a response of an upstream is about, where a route has its pages replaced.
    ///
    /// No more than the status says: whether it is at work, at rest or overrun is the upstream's to know.
    package init(upstreamStatus status: UInt16) {
        switch status {
        case 401, 403, 407, 451: self = .notAllowed
        case 404, 410: self = .notFound
        case 405: self = .method
        case 408: self = .tooSlow
        case 413: self = .tooLarge
        case 414: self = .longAddress
        case 429: self = .tooMany
        case 431: self = .cookies
        case 504: self = .appSlow
        case 500...: self = .appDown
        default: self = .badRequest
        }
    }
}
