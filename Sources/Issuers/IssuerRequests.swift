package import HTTPMessage
import JOSE
package import OAuth

/// The requests one issuer's settings allow, and the reading of their answers.
package struct IssuerRequests: Sendable {
    let settings: IssuerSettings

    package init(settings: IssuerSettings) {
        self.settings = settings
    }

    private var schemes: EndpointSchemes { settings.insecureAllowHTTP ? .insecureHTTPAllowed : .httpsOnly }

    /// The metadata, from the first of the well-known locations that has it (MD-02 … MD-04).
    func metadata(by fetching: any Fetching) async throws(IssuerRefusal) -> (ServerMetadata, maxAgeSeconds: Int?) {
        let issuer = try identifier()
        var refusal = IssuerRefusal.metadata(.status(404))
        for url in MetadataRequest.candidates(issuer: issuer, form: form) {
            // A host that does not answer at one location will not at another: only answers lead on.
            let response = try await fetch(request(url, host: issuer.uri.host), by: fetching)
            do {
                let metadata = try ServerMetadata.accept(
                    response, issuer: issuer, schemes: schemes,
                    keySetLocation: settings.keys == .discovered ? .required : .optional)
                return (metadata, response.maxAgeSeconds)
            } catch {
                refusal = IssuerRequests.moreTelling(refusal, .metadata(error))
            }
        }
        throw refusal
    }

    /// Where its metadata is looked for, in that order; none for an issuer that is none.
    package var metadataLocations: [String] {
        (try? identifier()).map { MetadataRequest.candidates(issuer: $0, form: form) } ?? []
    }

    /// The JWK Set at `url`, where `source` says how the operator or the metadata came to name it (MD-06).
    func keySet(at url: String, by fetching: any Fetching) async throws(IssuerRefusal) -> (KeySet, maxAgeSeconds: Int?)
    {
        let response = try await fetch(keySetRequest(url), by: fetching)
        guard response.status == 200 else { throw .keySetStatus(response.status) }
        return (try IssuerRequests.keySet(from: response.body), response.maxAgeSeconds)
    }

    /// The JWK Set in `bytes`.
    static func keySet(from bytes: [UInt8]) throws(IssuerRefusal) -> KeySet {
        do {
            return try KeySet.parse(bytes.span)
        } catch {
            throw .keySet(error)
        }
    }

    private func identifier() throws(IssuerRefusal) -> IssuerIdentifier {
        do {
            return try IssuerIdentifier(settings.url, schemes: schemes)
        } catch {
            throw .metadata(error)
        }
    }

    /// The ports that this issuer's metadata may name; nil for an issuer that is none.
    package var ports: EndpointPorts? {
        (try? identifier()).map { EndpointPorts(issuer: $0, allowed: settings.allowPorts) }
    }

    private var form: MetadataRequest.Form {
        switch settings.discovery {
        case .automatic, .none: .automatic
        case .openIDConnect: .openIDConnect
        case .oauth: .oauth
        }
    }

    /// Whose word it is that an address belongs to this issuer.
    package enum Origin: Sendable {
        /// The operator wrote it: its host is as good as the issuer's own.
        case `operator`
        /// A document from outside names it.
        case metadata
    }

    /// The request for a key set, guarded unless the operator wrote its host.
    func keySetRequest(_ url: String) throws(IssuerRefusal) -> FetchRequest {
        if case .url = settings.keys { return try endpointRequest(url, from: .operator) }
        return try endpointRequest(url, from: .metadata)
    }

    /// A request to some address of this issuer.
    package func endpointRequest(_ url: String, from origin: Origin) throws(IssuerRefusal) -> FetchRequest {
        guard let location = URI(url) else { throw .locationNotURL }
        // Where the operator says what metadata would, its endpoints are the operator's word.
        guard case .metadata = origin, settings.endpoints == nil else { return request(url, host: location.host) }
        let issuer = try identifier()
        guard EndpointPorts(issuer: issuer, allowed: settings.allowPorts).permit(location) else {
            throw .portNotAllowed(String(url.prefix(200)))
        }
        return request(url, host: issuer.uri.host)
    }

    private func request(_ url: String, host: String) -> FetchRequest {
        var request = FetchRequest(
            url: url, maximumBytes: ServerMetadata.maximumBytes, timeoutMilliseconds: IssuerRequests.timeoutMilliseconds
        )
        request.certificateAuthorityFile = settings.certificateAuthorityFile
        request.allowPrivate = settings.allowPrivate
        request.allowLoopbackAndPrivateHost = host
        request.insecureAllowHTTP = settings.insecureAllowHTTP
        return request
    }

    private func fetch(
        _ request: FetchRequest, by fetching: any Fetching
    ) async throws(IssuerRefusal) -> FetchResponse {
        do {
            return try await fetching.fetch(request)
        } catch {
            throw .fetch(error)
        }
    }

    /// What to tell of several locations that all failed: that one had a wrong document rather than that one had none.
    private static func moreTelling(_ first: IssuerRefusal, _ second: IssuerRefusal) -> IssuerRefusal {
        if case .metadata(.status) = second, first != .metadata(.status(404)) { return first }
        return second
    }

    /// Time for one answer; the requests of the clients do not wait for it.
    private static let timeoutMilliseconds = 10_000
}
