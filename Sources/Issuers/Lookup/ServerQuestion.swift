import Crypto
package import HTTPMessage
package import OAuth

/// One authenticated POST to an endpoint of an authorization server, made anew for each question.
package struct ServerQuestion: Sendable {
    /// Which endpoint is asked.
    package enum Endpoint: Sendable {
        case introspection(configured: String?)
        case token
        /// One that the metadata describes.
        case described(@Sendable (ServerMetadata) -> ServerEndpoint)
    }

    let requests: IssuerRequests
    let client: ClientSettings
    let endpoint: Endpoint
    let purpose: FetchRequest.Purpose
    let accept: String
    let timeoutMilliseconds: Int

    init(
        requests: IssuerRequests, client: ClientSettings, endpoint: Endpoint, purpose: FetchRequest.Purpose,
        accept: String, timeoutMilliseconds: Int
    ) {
        self.requests = requests
        self.client = client
        self.endpoint = endpoint
        self.purpose = purpose
        self.accept = accept
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// A question of this client to its own issuer; nobody else is ever sent its credentials (CA-11).
    package init(
        issuer: IssuerSettings, client: ClientSettings, endpoint: Endpoint, purpose: FetchRequest.Purpose,
        accept: String = "application/json", timeoutMilliseconds: Int
    ) {
        self.init(
            requests: IssuerRequests(settings: issuer), client: client, endpoint: endpoint, purpose: purpose,
            accept: accept, timeoutMilliseconds: timeoutMilliseconds)
    }

    /// The request with these parameters, authenticated for this one use (CA-07).
    package func request(
        _ parameters: [(String, String)], metadata: ServerMetadata?, now: Int64
    ) throws(LookupRefusal) -> FetchRequest {
        let (url, origin) = try location(metadata)
        let issuer = requests.settings.url
        let form: AuthenticatedForm
        do throws(ClientAuthenticationRefusal) {
            form = try client.credentials.authenticate(
                parameters, issuer: issuer, endpoint: url, tokenEndpoint: metadata?.token.url, now: now,
                randomness: RandomBytes.fill(32))
        } catch {
            throw .notAuthenticated(error)
        }
        do throws(IssuerRefusal) {
            var request = try requests.endpointRequest(url, from: origin)
            request.purpose = purpose
            request.method = .post
            request.headers = form.headers + [("Accept", accept)]
            request.body = form.body
            request.clientCertificateFile = form.certificateFile
            request.clientKeyFile = form.keyFile
            request.timeoutMilliseconds = timeoutMilliseconds
            request.maximumBytes = IntrospectionRequest.maximumBytes
            return request
        } catch {
            throw .request(error)
        }
    }

    /// The same, signed beside the executor where that takes long.
    func request(
        _ parameters: [(String, String)], metadata: ServerMetadata?, now: Int64, _ slowWork: SlowWork
    ) async throws(LookupRefusal) -> FetchRequest {
        let made: Result<FetchRequest, LookupRefusal>
        do throws(SlowWork.Refusal) {
            made = try await slowWork.value(for: purpose, isSlow: client.credentials.isSlow) {
                Result { () throws(LookupRefusal) in try self.request(parameters, metadata: metadata, now: now) }
            }
        } catch {
            throw error == .tooManyOfClient ? .tooManyOfClient : .crowded
        }
        return try made.get()
    }

    /// The operator's word, or the metadata's alias for certificates, or the metadata's endpoint.
    private func location(
        _ metadata: ServerMetadata?
    ) throws(LookupRefusal) -> (url: String, from: IssuerRequests.Origin) {
        let method = client.credentials.method
        let described: ServerEndpoint?
        switch endpoint {
        case .introspection(let configured?): return (configured, .operator)
        case .introspection(nil): described = metadata?.introspection
        case .token: described = metadata?.token
        case .described(let endpoint): described = metadata.map(endpoint)
        }
        guard let described else { throw .metadataMissing }
        guard let url = described.location(for: method) else { throw .endpointMissing }
        do throws(ClientMethodRefusal) {
            try client.credentials.check(
                methods: described.authenticationMethods, algorithms: described.signingAlgorithms)
        } catch {
            throw .methodNotOffered(error)
        }
        return (url, .metadata)
    }
}
