public import Crypto
public import JOSE

/// How this gateway proves to one authorization server which client it is: one method, fixed (RFC 6749 §2.3; CA-01).
///
/// No other method is fallen back to: a server, or somebody in its place, could ask for the weaker one.
public struct ClientCredentials: Sendable {
    /// A client authentication method of the registry of RFC 7591 §4.2.
    public enum Method: Sendable {
        /// `client_secret_basic` (RFC 6749 §2.3.1).
        case secretBasic(Secret)
        /// `client_secret_post` (RFC 6749 §2.3.1).
        case secretPost(Secret)
        /// `client_secret_jwt` (OpenID Connect Core §9); the secret is at least as long as the hash.
        case secretJWT(MACAlgorithm, Secret)
        /// `private_key_jwt` (RFC 7523 §2.2).
        case privateKeyJWT(SigningJWK)
        /// `tls_client_auth` (RFC 8705 §2.1): PEM files.
        case tls(certificateFile: String, keyFile: String)
        /// `self_signed_tls_client_auth` (RFC 8705 §2.2): PEM files.
        case selfSignedTLS(certificateFile: String, keyFile: String)
        /// `none`: a public client, which proves nothing, and whose codes PKCE alone guards (RFC 6749 §2.1).
        case publicClient
    }

    /// What `aud` of an assertion names, always as one string (CA-06).
    public enum AssertionAudience: Sendable, Hashable {
        /// The issuer's identifier as configured: what a stranger's metadata says has no part in it.
        case issuer
        /// The token endpoint, whichever endpoint the assertion goes to (OpenID Connect Core §9).
        case tokenEndpoint
        /// The endpoint that the assertion goes to.
        case endpoint
    }

    /// `typ` of an assertion (CA-08).
    public enum AssertionType: String, Sendable, Hashable {
        case jwt = "JWT"
        /// Of the revision of RFC 7523.
        case clientAuthentication = "client-authentication+jwt"
    }

    /// The client's identifier.
    public let clientID: String
    /// The method.
    public let method: Method
    /// What `aud` of an assertion names.
    public let assertionAudience: AssertionAudience
    /// `typ` of an assertion.
    public let assertionType: AssertionType
    /// From `iat` to `exp` of an assertion, in whole seconds and 60 of them at most (CA-07).
    public let assertionLifetime: Duration

    /// Refuses what no server could accept or what would be guessed: the configuration is wrong.
    public init(
        clientID: String, method: Method, assertionAudience: AssertionAudience = .issuer,
        assertionType: AssertionType = .jwt, assertionLifetime: Duration = .seconds(60)
    ) throws(ClientCredentialsRefusal) {
        guard !clientID.isEmpty, clientID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .clientIDInvalid }
        guard (.seconds(1) ... .seconds(60)).contains(assertionLifetime) else { throw .lifetimeNotAllowed }
        switch method {
        case .secretBasic(let secret), .secretPost(let secret):
            guard secret.count > 0 else { throw .secretEmpty }
        case .secretJWT(let algorithm, let secret):
            do {
                _ = try algorithm.key(secret)
            } catch {
                throw .secretTooShort(algorithm)
            }
        case .tls(let certificateFile, let keyFile), .selfSignedTLS(let certificateFile, let keyFile):
            guard !certificateFile.isEmpty, !keyFile.isEmpty else { throw .fileMissing }
        case .privateKeyJWT, .publicClient: break
        }
        self.clientID = clientID
        self.method = method
        self.assertionAudience = assertionAudience
        self.assertionType = assertionType
        self.assertionLifetime = assertionLifetime
    }
}

extension ClientCredentials.Method {
    /// The name in the registry, as metadata lists it.
    public var name: String {
        switch self {
        case .secretBasic: "client_secret_basic"
        case .secretPost: "client_secret_post"
        case .secretJWT: "client_secret_jwt"
        case .privateKeyJWT: "private_key_jwt"
        case .tls: "tls_client_auth"
        case .selfSignedTLS: "self_signed_tls_client_auth"
        case .publicClient: "none"
        }
    }

    /// Whether the client is known by a TLS certificate, for which a server may have other endpoints (RFC 8705 §5).
    public var usesCertificate: Bool {
        switch self {
        case .tls, .selfSignedTLS: true
        case .secretBasic, .secretPost, .secretJWT, .privateKeyJWT, .publicClient: false
        }
    }
}

/// Why credentials cannot be used with any server.
public enum ClientCredentialsRefusal: Error, Sendable, Hashable {
    /// An identifier that is empty or has control characters (RFC 6749 appendix A.1).
    case clientIDInvalid
    case secretEmpty
    /// A secret shorter than the hash's output (RFC 7518 §3.2; CA-04).
    case secretTooShort(MACAlgorithm)
    /// A certificate without its key, or the other way round.
    case fileMissing
    /// An assertion's lifetime outside 1…60 seconds (CA-07).
    case lifetimeNotAllowed
}
