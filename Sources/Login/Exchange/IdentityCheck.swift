import Crypto
import Issuers
import JOSE
import OAuth
import Refusals

/// Decides who logged in, by the ID token that came with the tokens (OIDC-01 … OIDC-11).
struct IdentityCheck: Sendable {
    let place: LoginClient
    let nonce: String
    let code: Secret
    let demand: AuthenticationDemand?
    let tokens: TokenResponse

    enum Result: Sendable {
        case verified(VerifiedIDToken)
        /// The token is good, and its user was not authenticated as demanded.
        case insufficient(LoginFailure)
    }

    /// Who logged in; the keys of the server are read once more where the token names one that is not at hand (OIDC-17).
    func identity() async throws(LoginFailure) -> Result {
        let known = place.keys
        let first: IDTokenRefusal
        do throws(IDTokenRefusal) {
            return .verified(try verify(with: known))
        } catch {
            guard error.wantsKeysReadAgain || error.lacksKeys else { return try judge(error) }
            first = error
        }
        switch await place.readKeysAgain(after: known, as: .answer) {
        case .same: return try judge(first)
        case .failed: return try judge(.envelope(.keysMissing))
        case .others:
            do throws(IDTokenRefusal) {
                return .verified(try verify(with: place.keys))
            } catch {
                return try judge(error)
            }
        }
    }

    private func verify(with keys: IssuerKeys?) throws(IDTokenRefusal) -> VerifiedIDToken {
        try IDToken.verify(
            tokens.idToken,
            of: IDToken.Login(nonce: nonce, accessToken: tokens.accessToken, code: code, demand: demand),
            rules: place.settings.idToken, keys: keys.map { VerificationKeys($0.keySet) },
            decryption: place.settings.keys.decryption, now: place.now)
    }

    private func judge(_ refusal: IDTokenRefusal) throws(LoginFailure) -> Result {
        let expected = refusal.expected(by: place.settings.idToken, demand: demand)
        let check = refusal.check
        if refusal.isAboutAuthentication {
            return .insufficient(
                LoginFailure(.loginAuthenticationInsufficient, check: check, expected: expected, found: refusal.found))
        }
        if refusal.lacksKeys {
            throw LoginFailure(
                .loginKeysUnavailable, check: check, expected: expected, found: refusal.found, retryAfterSeconds: 5)
        }
        if refusal == .missing {
            throw LoginFailure(
                .loginIDTokenMissing, check: check, expected: expected, found: refusal.found, isAlarm: true)
        }
        if refusal.isAboutConfiguration {
            throw LoginFailure(
                .loginIDTokenUnsuitable, check: check, expected: expected, found: refusal.found, isAlarm: true)
        }
        throw LoginFailure(.loginIDTokenInvalid, check: check, expected: expected, found: refusal.found)
    }
}
