import Crypto
import HTTPMessage
import Issuers
import JOSE
import JSON
import OAuth
import Refusals

/// Asks the server for more about the user than the ID token says (OIDC-12).
struct UserInfoQuestion: Sendable {
    let place: LoginClient
    let tokens: IssuedTokens
    /// Makes proofs with the key that the tokens are bound to.
    let proof: ProofMaker?

    /// The claims about the ID token's user; nil where nobody asks, or where a bad answer is to be left out.
    func claims(of identity: VerifiedIDToken) async throws(LoginFailure) -> JSONValue? {
        guard place.settings.userInfo != .off else { return nil }
        do throws(LoginFailure) {
            return try await ask(identity)
        } catch {
            // A user who asks too often must not get a session with fewer claims by it, nor call the operator.
            guard place.settings.userInfo == .optional, error.refusal != .clientLoginsTooMany else { throw error }
            // Whoever answers for another user is not to be silently left out: somebody has to look.
            place.alarm(error.refusal, error.detail)
            return nil
        }
    }

    private func ask(_ identity: VerifiedIDToken) async throws(LoginFailure) -> JSONValue {
        let response: FetchResponse
        do throws(ServerRefusal) {
            response = try await place.proven(
                by: tokens.proofKey == nil ? nil : proof, as: .resourceServer,
                accessToken: tokens.response.accessToken
            ) { () throws(ServerRefusal) in
                try self.request(for: ServerUser(issuer: identity.issuer, subject: identity.subject))
            }
        } catch .unreachable(.tooManyOfClient) {
            throw .tooManyOfClient
        } catch {
            throw Self.failure("an answer of the userinfo endpoint", error.words)
        }
        let known = place.keys
        let first: UserInfoRefusal
        do throws(UserInfoRefusal) {
            return try read(response, identity, with: known)
        } catch {
            guard error.wantsKeysReadAgain || error.lacksKeys else { throw failure(error) }
            first = error
        }
        switch await place.readKeysAgain(after: known, as: .answer) {
        case .same: throw failure(first)
        case .failed: throw failure(.envelope(.keysMissing))
        case .others:
            do throws(UserInfoRefusal) {
                return try read(response, identity, with: place.keys)
            } catch {
                throw failure(error)
            }
        }
    }

    private func read(
        _ response: FetchResponse, _ identity: VerifiedIDToken, with keys: IssuerKeys?
    ) throws(UserInfoRefusal) -> JSONValue {
        try UserInfo.read(
            response, subject: identity.subject, rules: place.settings.idToken,
            keys: keys.map { VerificationKeys($0.keySet) }, decryption: place.settings.keys.decryption,
            now: place.now)
    }

    private func request(for user: ServerUser) throws(ServerRefusal) -> FetchRequest {
        guard let url = place.metadata?.login.userInfo else { throw .notMade(.endpointMissing) }
        do throws(IssuerRefusal) {
            var request = try IssuerRequests(settings: place.issuer).endpointRequest(url, from: .metadata)
            request.purpose = .session
            request.client = user.name
            let scheme = tokens.proofKey == nil ? "Bearer " : "DPoP "
            request.headers = [
                ("Authorization", scheme + String(decoding: tokens.response.accessToken.reveal(), as: UTF8.self)),
                ("Accept", "application/json, application/jwt"),
            ]
            request.maximumBytes = UserInfo.maximumBytes
            request.timeoutMilliseconds = LoginClient.timeoutMilliseconds
            return request
        } catch {
            throw .notMade(.request(error))
        }
    }

    private func failure(_ refusal: UserInfoRefusal) -> LoginFailure {
        guard !refusal.lacksKeys else {
            return LoginFailure(
                .loginKeysUnavailable, check: refusal.check, expected: refusal.expected(by: place.settings.idToken),
                found: refusal.found, retryAfterSeconds: 5)
        }
        return Self.failure(refusal.expected(by: place.settings.idToken), refusal.found)
    }

    private static func failure(_ expected: String, _ found: String) -> LoginFailure {
        LoginFailure(.loginUserInfoInvalid, check: "OIDC-12", expected: expected, found: found, isAlarm: true)
    }
}
