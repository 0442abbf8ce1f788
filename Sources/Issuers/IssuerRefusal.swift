package import HTTPMessage
package import JOSE
package import OAuth

/// Why an issuer's keys could not be read.
package enum IssuerRefusal: Error, Sendable, Equatable {
    /// There was no answer.
    case fetch(FetchRefusal)
    /// The metadata, or the configured identifier, is not acceptable.
    case metadata(MetadataRefusal)
    /// The key set was answered with this status.
    case keySetStatus(Int)
    /// The answer is not a JWK Set (JOSE-18).
    case keySet(JOSERefusal)
    /// A JWK Set without one key that could verify a signature.
    case noUsableKeys(ignored: Int)
    /// The metadata points to a URL that is not one.
    case locationNotURL
    /// The metadata points to this URL, at a port of another host that is neither 443 nor among `allow_ports` (MD-08).
    case portNotAllowed(String)

    /// The word for logs and metrics.
    package var word: String {
        switch self {
        case .fetch(let refusal): refusal.word
        case .metadata(let refusal): refusal.word
        case .keySetStatus: "key_set_status"
        case .keySet: "key_set_invalid"
        case .noUsableKeys: "key_set_without_usable_keys"
        case .locationNotURL: "key_set_location_invalid"
        case .portNotAllowed: "port_not_allowed"
        }
    }
}

extension FetchRefusal {
    fileprivate var word: String {
        switch self {
        case .unresolved: "name_not_resolved"
        case .refusedAddress: "address_refused"
        case .connectFailed: "connect_failed"
        case .tlsFailed: "tls_failed"
        case .timedOut: "timed_out"
        case .tooLarge: "answer_too_large"
        case .fieldsTooLarge: "answer_fields_too_large"
        case .protocolNotAllowed: "protocol_not_allowed"
        case .unanswered: "unanswered"
        case .redirected: "redirected"
        case .cancelled: "cancelled"
        case .crowded: "too_many_requests"
        case .tooManyOfClient: "too_many_requests_of_client"
        case .failed: "fetch_failed"
        }
    }
}

extension MetadataRefusal {
    fileprivate var word: String {
        switch self {
        case .issuerNotURL, .issuerNotHTTPS, .issuerWithQueryOrFragment: "issuer_identifier_invalid"
        case .status: "metadata_status"
        case .contentType: "metadata_content_type"
        case .tooLarge: "metadata_too_large"
        case .notJSON, .notAnObject: "metadata_not_json"
        case .issuerMissing, .issuerMismatch: "metadata_issuer_mismatch"
        case .keySetLocationMissing: "metadata_without_jwks_uri"
        case .endpointNotURL, .endpointNotHTTPS: "metadata_endpoint_invalid"
        }
    }
}
