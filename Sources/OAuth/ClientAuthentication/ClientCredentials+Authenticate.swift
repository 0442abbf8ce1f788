import Bytes
public import Crypto
import JOSE

/// Why a request to an authorization server was not made.
public enum ClientAuthenticationRefusal: Error, Sendable, Hashable {
    /// A parameter that only the authentication itself may set, such as a second `client_assertion` (CA-09).
    case parameterReserved(String)
    /// `aud` is to be the token endpoint, and the server has none.
    case tokenEndpointUnknown
    /// Fewer than 16 bytes of randomness: the assertion's `jti` could be guessed or come again (CA-07).
    case randomnessTooShort
    /// The key gave no signature.
    case notSigned(SigningRefusal)
}

extension ClientCredentials {
    /// The form that asks `endpoint` for `parameters` as this client, by its one method (RFC 6749 §2.3).
    ///
    /// An assertion is good for this one request: each request, a repeated one included, is authenticated anew with
    /// other `randomness` (CA-07). `now` is in seconds since 1970.
    ///
    /// `client_id` of this very client may be among the parameters, where they are those of an authorization request
    /// (RFC 9126 §2.1); it is sent once.
    public func authenticate(
        _ parameters: [(String, String)], issuer: String, endpoint: String, tokenEndpoint: String? = nil, now: Int64,
        randomness: [UInt8]
    ) throws(ClientAuthenticationRefusal) -> AuthenticatedForm {
        for (name, value) in parameters where Self.reserved.contains(name) {
            guard isOwnIdentifier(name, value) else { throw .parameterReserved(name) }
        }
        let namesClient = method.sendsIdentifier || parameters.contains { isOwnIdentifier($0.0, $0.1) }
        var form = AuthenticatedForm(
            headers: [("Content-Type", "application/x-www-form-urlencoded")], body: [], certificateFile: nil,
            keyFile: nil)
        for (name, value) in parameters where name != "client_id" { append(name, Array(value.utf8), to: &form) }
        if namesClient { append("client_id", Array(clientID.utf8), to: &form) }
        switch method {
        case .secretBasic(let secret):
            form.headers.append(("Authorization", basic(secret)))
        case .secretPost(let secret):
            append("client_secret", secret.reveal(), to: &form)
        case .secretJWT, .privateKeyJWT:
            let audience = try audience(issuer: issuer, endpoint: endpoint, tokenEndpoint: tokenEndpoint)
            let assertion = try assertion(audience: audience, now: now, randomness: randomness)
            append("client_assertion_type", Array(Self.assertionTypeURI.utf8), to: &form)
            append("client_assertion", assertion, to: &form)
        case .tls(let certificateFile, let keyFile), .selfSignedTLS(let certificateFile, let keyFile):
            form.certificateFile = certificateFile
            form.keyFile = keyFile
        case .publicClient: break
        }
        return form
    }

    private func isOwnIdentifier(_ name: String, _ value: String) -> Bool {
        name == "client_id" && value.utf8.elementsEqual(clientID.utf8)
    }

    /// What a second method of authentication, or somebody else's identifier, would arrive in.
    private static let reserved: Set<String> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ]

    /// RFC 7523 §2.2.
    private static let assertionTypeURI = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private func append(_ name: String, _ value: [UInt8], to form: inout AuthenticatedForm) {
        FormEncoding.appendParameter(name, value.span, to: &form.body)
    }
}

extension ClientCredentials.Method {
    /// Whether `client_id` is part of the authentication itself.
    fileprivate var sendsIdentifier: Bool {
        switch self {
        case .secretBasic: false
        case .secretPost: true
        // RFC 7521 §4.2 lets it be sent, and there are servers that look the client up by it.
        case .secretJWT, .privateKeyJWT: true
        // RFC 8705 §2: the certificate does not say which client it is of.
        case .tls, .selfSignedTLS: true
        // RFC 6749 §3.2.1: nothing else says whose code it is.
        case .publicClient: true
        }
    }
}
