import Bytes
import Crypto
import HTTPMessage
import Issuers
import JOSE
import OAuth
import Refusals
import SharedState

/// Gets an authorization request to the server in the configured form; what is left for the browser is one URL.
///
/// A form that is too long for a URL gives way to one that says at least as much, never to one that is signed less;
/// no refusal of the server's gives way to anything (JAR-08, JAR-09).
struct RequestDelivery: Sendable {
    let place: LoginClient
    let server: ServerMetadata
    let hosted: HostedRequests
    let publicURL: String
    /// The address of whoever begins the login.
    let peer: String
    /// Whose share of the server the login takes; nil where nobody can tell.
    let network: String?

    /// Where the browser is sent with the request.
    func location(
        of parameters: AuthorizationParameters, state: String, proof: ProofMaker?
    ) async throws(LoginFailure) -> String {
        guard let endpoint = server.login.authorizationEndpoint else {
            throw LoginFailure(
                .loginServerUnsuitable, check: "MD-07", expected: "authorization_endpoint", found: "none", isAlarm: true
            )
        }
        let form = place.settings.authorization.form
        if let url = try await inURL(parameters, form: form, endpoint: endpoint) {
            if url.utf8.count <= AuthorizationURL.maximumCharacters { return url }
            guard let other = form.shorter(at: server) else {
                throw LoginFailure(
                    .loginRequestNotMade, check: "JAR-08",
                    expected:
                        "a URL of at most \(AuthorizationURL.maximumCharacters) characters, or a server that takes"
                        + " pushed requests",
                    found: "\(url.utf8.count) characters", isAlarm: true)
            }
            return try await beside(parameters, form: other, endpoint: endpoint, state: state, proof: proof)
        }
        return try await beside(parameters, form: form, endpoint: endpoint, state: state, proof: proof)
    }

    /// The forms that are nothing but a URL; nil for the others.
    private func inURL(
        _ parameters: AuthorizationParameters, form: AuthorizationRequestSettings.Form, endpoint: String
    ) async throws(LoginFailure) -> String? {
        switch form {
        case .plain: return AuthorizationURL.plain(endpoint: endpoint, parameters)
        case .signed:
            return AuthorizationURL.byValue(
                endpoint: endpoint, parameters, object: try await object(of: parameters))
        case .signedByReference, .pushed, .pushedSigned: return nil
        }
    }

    /// The forms that get to the server beside the browser.
    private func beside(
        _ parameters: AuthorizationParameters, form: AuthorizationRequestSettings.Form, endpoint: String,
        state: String, proof: ProofMaker?
    ) async throws(LoginFailure) -> String {
        let pushed: [(String, String)]
        switch form {
        case .signedByReference:
            return try await byReference(parameters, endpoint: endpoint, state: state)
        case .pushedSigned, .signed:
            pushed = PushedAuthorization.parameters(parameters, object: try await object(of: parameters))
        case .pushed, .plain:
            pushed = PushedAuthorization.parameters(parameters)
        }
        let requestURI = try await push(pushed, proof: proof)
        return AuthorizationURL.pushed(endpoint: endpoint, clientID: place.clientID, requestURI: requestURI)
    }

    /// A request object made for this request alone (JAR-06).
    private func object(of parameters: AuthorizationParameters) async throws(LoginFailure) -> [UInt8] {
        guard let key = place.settings.keys.requestObject else {
            throw LoginFailure(
                .loginRequestNotMade, check: "JAR-01", expected: "a key for request objects", found: "none",
                isAlarm: true)
        }
        let random = RandomBytes.fill(16)
        let identifier = Base64URL.encode(random.span)
        let (issuer, now, encryptionKeys) = (server.issuer, place.now, place.encryptionKeys)
        let made: Result<[UInt8], RequestObjectRefusal>
        do throws(SlowWork.Refusal) {
            made = try await place.signing(for: .loginStart, of: network, isSlow: key.isSlow) {
                Result { () throws(RequestObjectRefusal) in
                    try parameters.requestObject(
                        issuer: issuer, signedBy: key, now: now, identifier: identifier,
                        encryptionKeys: encryptionKeys)
                }
            }
        } catch {
            throw error == .tooManyOfClient ? .tooManyOfClient : Self.tooMany
        }
        do throws(RequestObjectRefusal) {
            return try made.get()
        } catch {
            throw LoginFailure(
                .loginRequestNotMade, check: error == .noEncryptionKey ? "JAR-10" : "JAR-01",
                expected: "a request object as configured", found: Self.words(error), isAlarm: true)
        }
    }

    private func byReference(
        _ parameters: AuthorizationParameters, endpoint: String, state: String
    ) async throws(LoginFailure) -> String {
        let object = try await object(of: parameters)
        let published: String?
        do throws(StoreRefusal) {
            let now = place.clock.now().milliseconds
            if let shared = place.shared {
                published = try await hosted.publish(object, state: state, peer: peer, in: shared, at: now)
            } else {
                published = hosted.publish(object, state: state, peer: peer, at: now)
            }
        } catch {
            throw .storeUnavailable(check: "SH-64", expected: "a store that takes the request object")
        }
        guard let id = published else {
            throw LoginFailure(
                .sessionStoreUnavailable, check: "JAR-22", expected: "room for another request object", found: "none",
                retryAfterSeconds: 5)
        }
        return AuthorizationURL.byReference(
            endpoint: endpoint, parameters, requestURI: publicURL + HostedRequests.path(id), object: object)
    }

    /// Before anything was signed, pushed or kept.
    private static let tooMany = LoginFailure(
        .loginsTooMany, check: "OPS-05", expected: "fewer logins that begin at once", found: "more",
        retryAfterSeconds: 2)

    private static func words(_ refusal: RequestObjectRefusal) -> String {
        switch refusal {
        case .identifierInvalid: "an identifier that is none"
        case .lifetimeNotAllowed: "a lifetime that is not allowed"
        case .notSigned: "no signature"
        case .noEncryptionKey: "no key of the server's to encrypt to"
        case .notEncrypted: "no encryption"
        }
    }
}

// MARK: PAR

extension RequestDelivery {
    /// Pushes a request, and gives the reference to send the browser with, once (RFC 9126 §2).
    private func push(_ parameters: [(String, String)], proof: ProofMaker?) async throws(LoginFailure) -> String {
        let response: FetchResponse
        do throws(ServerRefusal) {
            response = try await place.post(
                parameters, to: { $0.pushedAuthorization }, for: .loginStart, sender: network, proof: proof)
        } catch {
            throw Self.failure(error)
        }
        do throws(PushRefusal) {
            return try PushedAuthorization.read(response).requestURI
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ refusal: ServerRefusal) -> LoginFailure {
        switch refusal {
        case .notMade, .notProven: refusal.failure(check: "PAR-01")
        case .nonceDemanded:
            LoginFailure(
                .loginPushUnavailable, check: "DPOP-41", expected: "a nonce once", found: "a demand for another one",
                retryAfterSeconds: 5)
        case .unreachable(.crowded): Self.tooMany
        case .unreachable(.tooManyOfClient): .tooManyOfClient
        case .unreachable, .unanswered:
            LoginFailure(
                .loginPushUnavailable, check: "PAR-05", expected: "an answer to a pushed request", found: refusal.words,
                retryAfterSeconds: 5)
        }
    }

    private static func failure(_ refusal: PushRefusal) -> LoginFailure {
        func failure(_ cause: Refusal, isAlarm: Bool, after seconds: Int? = nil) -> LoginFailure {
            LoginFailure(
                cause, check: cause == .loginClientRefused ? "CA-15" : refusal.check, expected: refusal.expected,
                found: refusal.found, isAlarm: isAlarm, retryAfterSeconds: seconds)
        }
        switch refusal {
        // A request object that is refused is not sent again without its signature (JAR-09).
        case .refused: return failure(.loginPushRefused, isAlarm: true)
        case .clientRefused: return failure(.loginClientRefused, isAlarm: true)
        case .nonceDemanded: return failure(.loginPushUnavailable, isAlarm: false, after: 5)
        case .unavailable(_, let seconds): return failure(.loginPushUnavailable, isAlarm: false, after: seconds ?? 5)
        case .status, .tooLarge, .contentType, .notJSON, .notAnObject, .missingMember, .memberMalformed:
            return failure(.loginPushAnswerInvalid, isAlarm: true)
        }
    }
}
