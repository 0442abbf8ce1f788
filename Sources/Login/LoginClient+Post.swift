import Bytes
import Crypto
package import HTTPMessage
package import Issuers
import JOSE
package import OAuth

/// Why the authorization server gave no answer to a request of a login client.
package enum ServerRefusal: Error, Sendable, Equatable {
    /// The request could not be made: no metadata, no such endpoint, a method the server does not take, no signature.
    case notMade(LookupRefusal)
    /// The proof of possession could not be made.
    case notProven
    /// Nothing was sent: there was no connection.
    case unreachable(FetchRefusal)
    /// Something was sent, and nothing that could be read came back; whether the server acted on it is unknown.
    case unanswered(FetchRefusal)
    /// The server asks for a nonce, and again when it has been given one (DPOP-41).
    case nonceDemanded
}

extension ServerRefusal {
    /// Whether the same question may be answered in a while: nothing was sent, or what came was no answer.
    var isOutage: Bool {
        switch self {
        case .unreachable, .nonceDemanded: true
        case .unanswered(.tooLarge), .unanswered(.fieldsTooLarge), .unanswered(.redirected): false
        case .unanswered: true
        case .notMade, .notProven: false
        }
    }
}

extension LoginClient {
    /// Whether a request may be sent again when there was no connection (CA-16).
    package enum Repetition: Sendable, Equatable {
        case never
        /// Once, with another assertion and another proof (CA-07).
        case onceUnconnected
    }

    /// Time for one answer; a person waits for it.
    package static let timeoutMilliseconds = 10_000
    /// Largest answer, in bytes.
    package static let maximumBytes = TokenRequest.maximumBytes

    /// Posts an authenticated form to an endpoint of this client's server, and gives its answer, whatever its status.
    ///
    /// With `proof`, the request proves possession of that key; a server that wants its own nonce in there is asked once
    /// more, with it (RFC 9449 §8). Parameters may have `client_id`, which then is sent whatever the method. `sender`
    /// is whoever it is sent for, the network of a stranger or a user: it shares the server with all others.
    package func post(
        _ parameters: [(String, String)], to endpoint: @escaping @Sendable (ServerMetadata) -> ServerEndpoint,
        for purpose: FetchRequest.Purpose, sender: String? = nil, proof: ProofMaker? = nil,
        repetition: Repetition = .onceUnconnected
    ) async throws(ServerRefusal) -> FetchResponse {
        do throws(ServerRefusal) {
            return try await postProven(parameters, to: endpoint, for: purpose, sender: sender, proof: proof)
        } catch {
            // Behind a full row the second attempt would stand where the first one did.
            guard case .unreachable(let refusal) = error, refusal != .crowded, refusal != .tooManyOfClient,
                repetition == .onceUnconnected
            else { throw error }
            return try await postProven(parameters, to: endpoint, for: purpose, sender: sender, proof: proof)
        }
    }

    private func postProven(
        _ parameters: [(String, String)], to endpoint: @escaping @Sendable (ServerMetadata) -> ServerEndpoint,
        for purpose: FetchRequest.Purpose, sender: String?, proof: ProofMaker?
    ) async throws(ServerRefusal) -> FetchResponse {
        try await proven(by: proof, as: .authorizationServer, accessToken: nil) { () async throws(ServerRefusal) in
            var request = try await self.request(parameters, to: endpoint, for: purpose, sender: sender)
            request.client = sender
            return request
        }
    }

    /// The request, authenticated for this one use.
    private func request(
        _ parameters: [(String, String)], to endpoint: @escaping @Sendable (ServerMetadata) -> ServerEndpoint,
        for purpose: FetchRequest.Purpose, sender: String?
    ) async throws(ServerRefusal) -> FetchRequest {
        let question = ServerQuestion(
            issuer: issuer, client: client, endpoint: .described(endpoint), purpose: purpose,
            timeoutMilliseconds: Self.timeoutMilliseconds)
        var request: FetchRequest
        let (metadata, now) = (metadata, now)
        let made: Result<FetchRequest, LookupRefusal>
        do throws(SlowWork.Refusal) {
            made = try await signing(for: purpose, of: sender, isSlow: client.credentials.isSlow) {
                Result { () throws(LookupRefusal) in
                    try question.request(parameters.filter { $0.0 != "client_id" }, metadata: metadata, now: now)
                }
            }
        } catch {
            // Nothing was signed, and nothing is sent.
            throw .unreachable(error == .tooManyOfClient ? .tooManyOfClient : .crowded)
        }
        do throws(LookupRefusal) {
            request = try made.get()
        } catch {
            throw .notMade(error)
        }
        // Every method but this one has it in the form already, and no form has it twice (RFC 9126 §2.1).
        if case .secretBasic = client.credentials.method, parameters.contains(where: { $0.0 == "client_id" }) {
            var form = request.body ?? []
            let identifier = Array(clientID.utf8)
            FormEncoding.appendParameter("client_id", identifier.span, to: &form)
            request.body = form
        }
        request.maximumBytes = Self.maximumBytes
        // CA-16: neither a code nor a refresh token may be sent twice. Lost on a connection that the server closes just
        // then, the one is a lost login; the other is a 503, and its second use may look like theft.
        if purpose == .code || purpose == .session { request.connection = .fresh }
        return request
    }

    /// Sends a request with a proof, and once more with the nonce that the server asks for.
    func proven(
        by proof: ProofMaker?, as role: ServerNonces.Role, accessToken: Secret?,
        _ make: () async throws(ServerRefusal) -> FetchRequest
    ) async throws(ServerRefusal) -> FetchResponse {
        for _ in 0..<2 {
            var request = try await make()
            if let proof {
                let nonce = nonces.newest(for: request.url, of: role)
                let text = try self.proof(by: proof, for: request, nonce: nonce, accessToken: accessToken)
                request.headers.append(("DPoP", text))
            }
            let response = try await send(request)
            guard proof != nil else { return response }
            nonces.keep(response.dpopNonce, from: request.url, as: role)
            guard response.demandsNonce else { return response }
            // A demand without a nonce, or for the next one after the newest, would go on for ever.
            guard response.dpopNonce != nil else { throw .nonceDemanded }
        }
        throw .nonceDemanded
    }

    private func proof(
        by maker: ProofMaker, for request: FetchRequest, nonce: String?, accessToken: Secret?
    ) throws(ServerRefusal) -> String {
        let token = accessToken?.reveal()
        do throws(SigningRefusal) {
            let proof = try maker.proof(
                method: request.method == .post ? "POST" : "GET", url: request.url, nonce: nonce,
                accessToken: token?.span, now: now, identifier: RandomBytes.fill(16))
            return String(decoding: proof, as: UTF8.self)
        } catch {
            throw .notProven
        }
    }

    private func send(_ request: FetchRequest) async throws(ServerRefusal) -> FetchResponse {
        do throws(FetchRefusal) {
            return try await fetching.fetch(request)
        } catch {
            throw error.isBeforeSending ? .unreachable(error) : .unanswered(error)
        }
    }
}

extension FetchResponse {
    /// Whether the server did nothing but ask for a nonce; the status differs from server to server.
    var demandsNonce: Bool {
        guard (400...403).contains(status) else { return false }
        return ErrorResponse(self).code == "use_dpop_nonce"
    }
}

extension FetchRefusal {
    /// Whether nothing can have reached the server.
    var isBeforeSending: Bool {
        switch self {
        case .unresolved, .refusedAddress, .connectFailed, .tlsFailed, .protocolNotAllowed, .crowded,
            .tooManyOfClient:
            true
        case .timedOut, .tooLarge, .fieldsTooLarge, .unanswered, .redirected, .cancelled, .failed: false
        }
    }
}
