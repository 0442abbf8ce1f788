/// Every way a login, a refresh or a logout can fail; the gateway's table gives each a status, a word and a metric.
package enum LoginRefusal: Error, Sendable, CaseIterable, Equatable {
    // Start
    /// The request to begin a login is not one: parameters that nobody enabled, a method that is none (CF-08). 400
    case startMalformed
    /// A login has just ended several times, and there is no session again (CF-12). 429
    case loginLoop
    /// The server's metadata is not at hand. 503
    case serverUnavailable
    /// What is configured is not what the server offers (MD-07, CA-01, CF-05, JAR-09). 502
    case serverUnsuitable
    /// More logins begin at once than can be signed or pushed (OPS-05). 503
    case startsTooMany
    /// As many of one network, or of one user, wait to be signed or sent as one may have (OPS-05). 429
    case clientLoginsTooMany
    /// The server did not take the pushed request (PAR-05). 502
    case pushRefused
    /// The server cannot take a pushed request now (PAR-05). 503
    case pushUnavailable
    /// The answer to a pushed request is no such answer (PAR-03). 502
    case pushAnswerInvalid
    /// The request could not be made: a key that does not sign, no key to encrypt to, too long (JAR-08, JAR-10). 502
    case requestNotMade

    // Callback
    /// Not an authorization response: parameters missing, repeated, too long (CF-20, CF-27). 400
    case responseMalformed
    /// The browser brought no transaction for this state: no cookie, another browser's, an old one (CF-03). 400
    case transactionUnknown
    case transactionExpired
    /// The state was used before (CF-25). 400
    case transactionUsed
    /// `iss` is another's, or missing where the server promised it (CF-22). 400
    case responseIssuerWrong
    /// Tokens in the front channel (CF-01). 400
    case tokensInResponse
    /// The response had to be a signed one, or its JWT is not good (CF-28). 400
    case responseNotSigned
    /// The user or the server said no (CF-24). 403
    case accessDenied
    /// The server cannot answer now (CF-24). 503
    case serverBusy
    /// Any other error of the server (CF-24). 400
    case responseError

    // Exchange
    /// The server did not take the code. 400
    case codeRefused
    /// The server does not take us for the client: an alarm (CA-15). 502
    case clientRefused
    /// The token endpoint could not be asked, or did not answer (CA-16, D-17). 503
    case tokenUnavailable
    /// The answer is no token response (CF-31). 502
    case tokenAnswerInvalid
    /// Not the kind of token that was asked for (DPOP-42). 502
    case tokenTypeWrong
    /// The server asks for a nonce again and again (DPOP-41). 503
    case nonceDemanded
    /// Fewer rights than were asked for and are needed (CF-32). 403
    case scopeNotGranted
    /// No ID token in the answer (OIDC-01). 502
    case idTokenMissing
    /// The ID token is not good for this login (OIDC-02 … OIDC-11). 400
    case idTokenInvalid
    /// The ID token is not of the kind that is configured: another algorithm, another type, in plain where it should be
    /// encrypted. Only the operator can mend that (OIDC-05, OIDC-11). 502
    case idTokenUnsuitable
    /// The keys of the server are not at hand. 503
    case keysUnavailable
    /// The user was not authenticated as the route demands, even when asked again (OIDC-09, STEP-04). 403
    case authenticationInsufficient
    /// The userinfo endpoint gave no good answer, and the configuration needs one (OIDC-12). 502
    case userInfoInvalid

    // Session
    /// The session would not fit into cookies (SC-07). 502
    case sessionTooLarge
    /// The session store cannot be reached, or is full, for somebody who has a session (SC-13). 503
    case storeUnavailable
    /// What a login has to remember finds no store, or no room in it (SC-13, CF-25, JAR-22). 503
    case loginStoreUnavailable
    /// No session, for a script that asked for it (SC-12). 401
    case sessionMissing
    /// Another site's page asks for something with the user's cookies (SC-09, SC-10). 403
    case crossSite

    // Logout
    /// A logout token that is none, or not good (LO-05, LO-06, LO-07). 400
    case logoutTokenInvalid
    /// The logout token was used before (LO-08). 400
    case logoutTokenUsed
    /// Too many of these from one address (LO-12, JAR-23). 429
    case tooManyRequests
    /// No such hosted request object, or no more (JAR-21). 404
    case requestObjectUnknown
    /// 405
    case methodNotAllowed
}
