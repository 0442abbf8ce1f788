public import JSON

/// What a client asks of an authorization server on behalf of a user's browser, and how (RFC 6749 §4.1.1).
public struct AuthorizationRequestSettings: Sendable {
    /// How the parameters get to the server.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// In the URL.
        case plain
        /// In a signed request object in the URL (RFC 9101 §5.1).
        case signed
        /// In a signed request object that the server fetches here (RFC 9101 §5.2).
        case signedByReference = "signed_by_reference"
        /// Pushed by the client before the browser is sent (RFC 9126).
        case pushed
        /// In a signed request object that is pushed (RFC 9126 §3).
        case pushedSigned = "pushed_signed"
    }

    /// How the response gets back.
    public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
        case query
        case formPost = "form_post"
        /// Signed (JARM), in the query.
        case queryJWT = "query.jwt"
        /// Signed (JARM), in a form.
        case formPostJWT = "form_post.jwt"
        /// Signed (JARM), as the server does by default: in the query for codes.
        case jwt
    }

    /// The header of request objects (JAR-02).
    public enum ObjectType: String, Sendable, Hashable {
        case authorizationRequest = "oauth-authz-req+jwt"
        case jwt = "JWT"
    }

    /// To whom a request object is encrypted, beside being signed (JAR-10).
    public struct Encryption: Sendable, Hashable {
        /// `alg`, such as `RSA-OAEP-256`.
        public var algorithm: String
        /// `enc`, such as `A256GCM`.
        public var encoding: String

        /// Both as RFC 7518 §4.1 and §5.1 name them.
        public init(algorithm: String, encoding: String) {
            self.algorithm = algorithm
            self.encoding = encoding
        }
    }

    /// How the parameters get to the server.
    public var form: Form
    /// How the response gets back.
    public var responseMode: ResponseMode
    /// With `openid` among them, where the server is an OpenID provider.
    public var scopes: [String]
    /// Resource indicators (RFC 8707); in the token request too.
    public var resources: [String]
    /// `audience`, of servers that had it before RFC 8707.
    public var audience: String?
    /// A JSON array (RFC 9396).
    public var authorizationDetails: JSONValue?
    /// `acr_values`, best first.
    public var acrValues: [String]
    /// `max_age`: seconds since the user was authenticated at most.
    public var maximumAge: Int?
    /// `prompt`.
    public var prompt: String?
    /// `ui_locales`.
    public var uiLocales: String?
    /// `login_hint`.
    public var loginHint: String?
    /// A JSON object (OpenID Connect Core §5.5).
    public var claims: JSONValue?
    /// `typ` of request objects.
    public var objectType = ObjectType.authorizationRequest
    /// From `iat` to `exp` of a request object, in whole seconds (JAR-05).
    public var objectLifetime: Duration
    /// nil for request objects that are signed alone.
    public var encryption: Encryption?
    /// The hosted URL carries the hash of the object (OpenID Connect Core §6.2; JAR-25).
    public var hashesRequestURI = false
    /// The server makes ID tokens: one that does not is sent no `nonce`, which would come back nowhere.
    public var isOpenID = true
    /// `response_type` and `scope` are repeated beside a request object, for servers that are OpenID Connect alone
    /// (JAR-07).
    public var repeatsParameters = false

    /// A plain request for `openid`, or what is said instead.
    public init(
        form: Form = .plain, responseMode: ResponseMode = .query, scopes: [String] = ["openid"],
        resources: [String] = [], acrValues: [String] = [], maximumAge: Int? = nil, prompt: String? = nil,
        objectLifetime: Duration = .seconds(300)
    ) {
        self.form = form
        self.responseMode = responseMode
        self.scopes = scopes
        self.resources = resources
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.prompt = prompt
        self.objectLifetime = objectLifetime
    }
}
