import JSON

/// What an authorization server says of logins (RFC 8414 §2, OpenID Connect Discovery §3 and the specifications named).
///
/// A list is nil where the server does not say, and a member of a wrong type says nothing. Endpoints were checked before.
public struct LoginMetadata: Sendable, Equatable {
    /// `authorization_endpoint`.
    public let authorizationEndpoint: String?
    /// `userinfo_endpoint`.
    public let userInfo: String?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout §2.1).
    public let endSession: String?
    /// `response_types_supported`.
    public let responseTypes: [String]?
    /// `response_modes_supported`.
    public let responseModes: [String]?
    /// `code_challenge_methods_supported`.
    public let codeChallengeMethods: [String]?
    /// `request_object_signing_alg_values_supported`.
    public let requestObjectSigningAlgorithms: [String]?
    /// `request_object_encryption_alg_values_supported`.
    public let requestObjectEncryptionAlgorithms: [String]?
    /// `request_object_encryption_enc_values_supported`.
    public let requestObjectEncryptionEncodings: [String]?
    /// `request_parameter_supported`.
    public let requestParameterSupported: Bool?
    /// `request_uri_parameter_supported`.
    public let requestURIParameterSupported: Bool?
    /// `require_pushed_authorization_requests` (RFC 9126 §5).
    public let requiresPushedRequests: Bool
    /// `require_signed_request_object` (RFC 9101 §10.5).
    public let requiresSignedRequestObject: Bool
    /// `dpop_signing_alg_values_supported` (RFC 9449 §5.1).
    public let dpopSigningAlgorithms: [String]?
    /// `tls_client_certificate_bound_access_tokens` (RFC 8705 §3.3).
    public let bindsTokensToCertificates: Bool
    /// `authorization_response_iss_parameter_supported` (RFC 9207 §3): a response without `iss` is not the server's.
    public let sendsResponseIssuer: Bool
    /// `authorization_signing_alg_values_supported` (JARM §4).
    public let responseSigningAlgorithms: [String]?
    /// `id_token_signing_alg_values_supported`.
    public let idTokenSigningAlgorithms: [String]?
    /// `authorization_encryption_alg_values_supported` (JARM §4).
    public let responseEncryptionAlgorithms: [String]?
    /// `id_token_encryption_alg_values_supported`.
    public let idTokenEncryptionAlgorithms: [String]?
    /// `backchannel_logout_supported`; nil where the server does not say, which some do that support it.
    public let backchannelLogoutSupported: Bool?
    /// `frontchannel_logout_supported`; nil where the server does not say.
    public let frontchannelLogoutSupported: Bool?

    /// Reads the members of a document.
    init(_ document: JSONValue) {
        authorizationEndpoint = document["authorization_endpoint"]?.string
        userInfo = document["userinfo_endpoint"]?.string
        endSession = document["end_session_endpoint"]?.string
        responseTypes = document["response_types_supported"]?.words
        responseModes = document["response_modes_supported"]?.words
        codeChallengeMethods = document["code_challenge_methods_supported"]?.words
        requestObjectSigningAlgorithms = document["request_object_signing_alg_values_supported"]?.words
        requestObjectEncryptionAlgorithms = document["request_object_encryption_alg_values_supported"]?.words
        requestObjectEncryptionEncodings = document["request_object_encryption_enc_values_supported"]?.words
        requestParameterSupported = document["request_parameter_supported"]?.bool
        requestURIParameterSupported = document["request_uri_parameter_supported"]?.bool
        requiresPushedRequests = document["require_pushed_authorization_requests"]?.bool == true
        requiresSignedRequestObject = document["require_signed_request_object"]?.bool == true
        dpopSigningAlgorithms = document["dpop_signing_alg_values_supported"]?.words
        bindsTokensToCertificates = document["tls_client_certificate_bound_access_tokens"]?.bool == true
        sendsResponseIssuer = document["authorization_response_iss_parameter_supported"]?.bool == true
        responseSigningAlgorithms = document["authorization_signing_alg_values_supported"]?.words
        idTokenSigningAlgorithms = document["id_token_signing_alg_values_supported"]?.words
        responseEncryptionAlgorithms = document["authorization_encryption_alg_values_supported"]?.words
        idTokenEncryptionAlgorithms = document["id_token_encryption_alg_values_supported"]?.words
        backchannelLogoutSupported = document["backchannel_logout_supported"]?.bool
        frontchannelLogoutSupported = document["frontchannel_logout_supported"]?.bool
    }
}
