// SPDX-License-Identifier: Apache-2.0
import Crypto
import Issuers
import JOSE
import OAuth

/// Decides who sent a response, and what it then says (CF-22, CF-23, CF-28).
struct ResponseJudgement: Sendable {
    let callback: Callback
    let server: ServerMetadata

    private var place: ClientPlace { callback.place }

    /// What the response says, once it is certain that it is the server's.
    func outcome() async throws(LoginFailure) -> AuthorizationResponse {
        do throws(AuthorizationResponseRefusal) {
            return try check()
        } catch {
            guard error.kind == .keysUnavailable else { throw Self.failure(error, at: place) }
        }
        await place.sources.refresh(place.client.issuer)
        do throws(AuthorizationResponseRefusal) {
            return try check()
        } catch {
            throw Self.failure(error, at: place)
        }
    }

    private func check() throws(AuthorizationResponseRefusal) -> AuthorizationResponse {
        let keys = place.responseMode.isSigned ? place.keys.map { VerificationKeys($0.keySet) } : nil
        return try callback.response.check(
            AuthorizationResponseRules(
                issuer: place.issuer.url, clientID: place.clientID,
                requiresIssuer: server.login.sendsResponseIssuer || place.settings.isFAPI,
                signature: place.responseSignature, leewaySeconds: place.settings.idToken.leewaySeconds),
            keys: keys, now: place.now)
    }

    /// What a response that is none comes to.
    static func failure(_ refusal: AuthorizationResponseRefusal, at place: ClientPlace) -> LoginFailure {
        switch refusal.kind {
        case .malformed:
            LoginFailure(
                .responseMalformed, check: "CF-20", expected: "a response with state and code or error",
                found: refusal.words)
        case .issuerWrong:
            LoginFailure(
                .responseIssuerWrong, check: "CF-22", expected: "iss \(place.issuer.url)", found: refusal.words)
        case .tokensInResponse:
            LoginFailure(.tokensInResponse, check: "CF-01", expected: "a code alone", found: "a token")
        case .notSigned:
            LoginFailure(
                .responseNotSigned, check: "CF-28", expected: "a response signed by the server", found: refusal.words)
        case .keysUnavailable:
            LoginFailure(
                .keysUnavailable, check: "OIDC-17", expected: "the key that signed the response", found: refusal.words,
                retryAfterSeconds: 5)
        }
    }

    /// What the server's "no" comes to; of what it says only the code goes to the log, and nothing to the page (CF-24).
    static func failure(_ error: AuthorizationError) -> LoginFailure {
        let found = "error \(error.code)"
        switch error.meaning {
        case .accessDenied:
            return LoginFailure(.accessDenied, check: "CF-24", expected: "a code", found: found)
        case .authenticationUnmet:
            return LoginFailure(.authenticationInsufficient, check: "STEP-04", expected: "a code", found: found)
        case .serverBusy:
            return LoginFailure(
                .serverBusy, check: "CF-24", expected: "a code", found: found, retryAfterSeconds: 5)
        case .interactionRequired:
            return LoginFailure(.responseError, check: "CF-24", expected: "a code", found: found)
        case .other:
            // A request object that the server does not take is not left away the next time (JAR-09).
            let isOfRequest = requestErrors.contains { $0.utf8.elementsEqual(error.code.utf8) }
            return LoginFailure(
                .responseError, check: isOfRequest ? "JAR-09" : "CF-24", expected: "a code", found: found,
                isAlarm: isOfRequest)
        }
    }

    /// Errors by which the server says that it will never take such a request (RFC 9101 §7, RFC 6749 §4.1.2.1).
    private static let requestErrors = [
        "invalid_request_object", "request_not_supported", "invalid_request_uri", "request_uri_not_supported",
        "unauthorized_client", "unsupported_response_type", "invalid_scope",
    ]
}

extension ClientPlace {
    /// How signed responses must be signed: by a key of the server's, as its ID tokens are where that is a key too.
    fileprivate var responseSignature: IDTokenRules.Signature {
        switch settings.idToken.signature {
        case .algorithms: settings.idToken.signature
        case .secret: .algorithms([.rs256, .ps256, .es256, .edDSA])
        }
    }
}

extension AuthorizationResponseRefusal {
    /// For the operator's log: nothing of the response is in it.
    fileprivate var words: String {
        switch self {
        case .tooLarge(let bytes): "\(bytes) bytes"
        case .repeated(let name): "\(name) more than once"
        case .missing(let name): "no \(name)"
        case .malformed(let name): "a \(name) that is none"
        case .codeAndError: "a code and an error"
        case .tokensInResponse: "a token"
        case .issuerMismatch: "another iss"
        case .notSigned: "none that is signed"
        case .encrypted: "an encrypted one, and no key to decrypt it"
        case .notDecrypted: "one that is not encrypted to us"
        case .notJWT: "no signed JWT"
        case .typeNotAccepted: "a JWT for another purpose"
        case .audienceMismatch: "another aud"
        case .expired(let seconds): "one that expired \(seconds) s ago"
        case .algorithmNotAllowed: "another alg"
        case .keysMissing: "no keys"
        case .unknownKey: "an unknown kid"
        case .tooManyKeys: "no kid, and too many keys"
        case .signatureInvalid: "a signature that does not hold"
        }
    }
}
