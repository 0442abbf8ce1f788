import Crypto
import HTTPMessage
import Issuers
import OAuth
import Refusals
import Sessions

/// Asks a server that makes no ID tokens whose access token it is (OIDC-18).
struct UserEndpointQuestion: Sendable {
    let place: LoginClient
    let endpoint: UserEndpointSettings
    let accessToken: Secret
    /// Makes proofs with the key that the token is bound to; nil for a token that is bound to none.
    let proof: ProofMaker?
    /// The network of a stranger, or a user: on whose behalf it is asked.
    let sender: String?
    let purpose: FetchRequest.Purpose

    /// How many endpoints are asked.
    static func count(_ endpoint: UserEndpointSettings?) -> Int {
        endpoint.map { $0.emailsURL == nil ? 1 : 2 } ?? 0
    }

    /// Who it is, and what a session keeps of them; all of it or nothing.
    ///
    /// Where there is a session, it is to be its user (OIDC-20). Somebody else is not asked about any further.
    func user(
        of session: Session? = nil
    ) async throws(LoginFailure) -> (identity: LoginIdentity, claims: [UInt8]) {
        let answer = try await ask(endpoint.url)
        let user: UserEndpoint.User
        do throws(UserEndpointRefusal) {
            user = try UserEndpoint.user(answer, subject: endpoint.subject)
        } catch {
            throw Self.failure(error, answer, at: "the endpoint identity_from.url")
        }
        let identity = LoginIdentity(issuer: place.issuer.url, subject: user.subject, at: place.now)
        if let session {
            guard identity.issuer.utf8.elementsEqual(session.issuer.utf8),
                identity.subject.utf8.elementsEqual(session.subject.utf8)
            else {
                throw LoginFailure(
                    .loginUserInfoInvalid, check: "OIDC-20", expected: "the subject of the session",
                    found: "another in \(Unverified.quote(endpoint.subject))", isAlarm: true)
            }
        }
        let email = try await email()
        let claims = UserEndpoint.claims(
            of: user, issuer: identity.issuer, email: email, names: place.settings.uses.claimNames)
        return (identity, claims)
    }

    private func email() async throws(LoginFailure) -> UserEndpoint.Email {
        guard let url = endpoint.emailsURL else {
            return place.settings.requiresVerifiedEmail ? .verified(nil) : .said
        }
        let answer = try await ask(url)
        do throws(UserEndpointRefusal) {
            return .verified(try UserEndpoint.verifiedEmail(answer))
        } catch {
            throw Self.failure(error, answer, at: "the endpoint identity_from.emails_url")
        }
    }

    private func ask(_ url: String) async throws(LoginFailure) -> FetchResponse {
        do throws(ServerRefusal) {
            return try await place.proven(by: proof, as: .resourceServer, accessToken: accessToken) {
                () throws(ServerRefusal) in try self.request(url)
            }
        } catch .unreachable(.tooManyOfClient) {
            throw .tooManyOfClient
        } catch {
            throw LoginFailure(
                .loginUserInfoInvalid, check: "OIDC-18", expected: "an answer of the endpoint that says who it is",
                found: error.words, isAlarm: true, isOutage: error.isOutage)
        }
    }

    private func request(_ url: String) throws(ServerRefusal) -> FetchRequest {
        do throws(IssuerRefusal) {
            // The operator wrote the address, as those of the issuer's endpoints.
            var request = try IssuerRequests(settings: place.issuer).endpointRequest(url, from: .operator)
            request.purpose = purpose
            request.client = sender
            let scheme = proof == nil ? "Bearer " : "DPoP "
            request.headers = [
                ("Authorization", scheme + String(decoding: accessToken.reveal(), as: UTF8.self)),
                ("Accept", "application/json"),
            ]
            request.maximumBytes = UserEndpoint.maximumBytes
            request.timeoutMilliseconds = LoginClient.timeoutMilliseconds
            return request
        } catch {
            throw .notMade(.request(error))
        }
    }

    private static func failure(
        _ refusal: UserEndpointRefusal, _ answer: FetchResponse, at place: String
    ) -> LoginFailure {
        // GitHub says 403 to who asks too often, and when to ask again.
        let isLimited = answer.status == 403 && answer.retryAfterSeconds != nil
        let isOutage = [408, 429].contains(answer.status) || answer.status >= 500 || isLimited
        return LoginFailure(
            .loginUserInfoInvalid, check: refusal.check, expected: refusal.expected(of: place), found: refusal.found,
            isAlarm: true, retryAfterSeconds: isOutage ? answer.retryAfterSeconds : nil, isOutage: isOutage)
    }
}
