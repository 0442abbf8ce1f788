import Crypto
import Issuers
import JOSE
import OAuth
import Refusals

/// Decides who sent a response, and what it then says (CF-22, CF-23, CF-28).
struct ResponseJudgement: Sendable {
    let callback: Callback
    let server: ServerMetadata

    private var place: LoginClient { callback.place }

    private var rules: AuthorizationResponseRules {
        place.responseRules(requiresIssuer: server.login.sendsResponseIssuer || place.settings.isFAPI)
    }

    /// What the response says, once it is certain that it is the server's.
    func outcome() async throws(LoginFailure) -> AuthorizationResponse {
        let known = place.keys
        let first: AuthorizationResponseRefusal
        do throws(AuthorizationResponseRefusal) {
            return try check(with: known)
        } catch {
            // A server that replaces its key under one name is met by a signature that fails.
            guard error.kind == .keysUnavailable || error == .envelope(.signatureInvalid) else {
                throw Self.failure(error, by: rules)
            }
            first = error
        }
        switch await place.readKeysAgain(after: known, as: .response) {
        case .same: throw Self.failure(first, by: rules)
        case .failed: throw Self.failure(.envelope(.keysMissing), by: rules)
        case .others:
            do throws(AuthorizationResponseRefusal) {
                return try check(with: place.keys)
            } catch {
                throw Self.failure(error, by: rules)
            }
        }
    }

    private func check(with keys: IssuerKeys?) throws(AuthorizationResponseRefusal) -> AuthorizationResponse {
        let keys = place.responseMode.isSigned ? keys.map { VerificationKeys($0.keySet) } : nil
        return try callback.response.check(rules, keys: keys, now: place.now)
    }

    /// What a response that is none comes to.
    static func failure(
        _ refusal: AuthorizationResponseRefusal, by rules: AuthorizationResponseRules
    ) -> LoginFailure {
        let cause: Refusal =
            switch refusal.kind {
            case .malformed: .loginResponseMalformed
            case .issuerWrong: .loginResponseIssuerWrong
            case .tokensInResponse: .loginTokensInResponse
            case .notSigned: .loginResponseNotSigned
            case .keysUnavailable: .loginKeysUnavailable
            }
        return LoginFailure(
            cause, check: refusal.check, expected: refusal.expected(by: rules), found: refusal.found,
            retryAfterSeconds: cause == .loginKeysUnavailable ? 5 : nil)
    }

    /// What the server's "no" comes to; of what it says only the code goes to the log, and nothing to the page (CF-24).
    static func failure(_ error: AuthorizationError) -> LoginFailure {
        let found = "error \(error.code)"
        switch error.meaning {
        case .accessDenied:
            return LoginFailure(.loginAccessDenied, check: "CF-24", expected: "a code", found: found)
        case .authenticationUnmet:
            return LoginFailure(.loginAuthenticationInsufficient, check: "STEP-04", expected: "a code", found: found)
        case .serverBusy:
            return LoginFailure(
                .loginServerBusy, check: "CF-24", expected: "a code", found: found, retryAfterSeconds: 5)
        case .interactionRequired:
            return LoginFailure(.loginResponseError, check: "CF-24", expected: "a code", found: found)
        case .other:
            // A request object that the server does not take is not left away the next time (JAR-09).
            let isOfRequest = requestErrors.contains { $0.utf8.elementsEqual(error.code.utf8) }
            return LoginFailure(
                .loginResponseError, check: isOfRequest ? "JAR-09" : "CF-24", expected: "a code", found: found,
                isAlarm: isOfRequest)
        }
    }

    /// Errors by which the server says that it will never take such a request (RFC 9101 §7, RFC 6749 §4.1.2.1).
    private static let requestErrors = [
        "invalid_request_object", "request_not_supported", "invalid_request_uri", "request_uri_not_supported",
        "unauthorized_client", "unsupported_response_type", "invalid_scope",
    ]
}

extension LoginClient {
    /// What responses to this client's requests must be.
    func responseRules(requiresIssuer: Bool) -> AuthorizationResponseRules {
        AuthorizationResponseRules(
            issuer: issuer.url, clientID: clientID, requiresIssuer: requiresIssuer,
            signature: settings.response.signature, mustBeEncrypted: settings.response.mustBeEncrypted,
            leewaySeconds: settings.idToken.leewaySeconds)
    }
}
