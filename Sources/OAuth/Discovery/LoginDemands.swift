public import JOSE

/// What one login client is configured to want of its server, as far as the server's metadata tells whether it gets it.
public struct LoginDemands: Sendable {
    /// Whether the userinfo endpoint is asked after a login.
    public enum UserInfo: Sendable, Hashable {
        case off
        /// A login goes on without it.
        case optional
        case required
    }

    /// How something that the server makes for the client is signed, and whether it has to be encrypted.
    public struct Made: Sendable {
        /// By which algorithms, or with which secret.
        public var signature: IDTokenRules.Signature
        /// Whether it is taken encrypted alone.
        public var mustBeEncrypted: Bool

        /// Signed so, and encrypted or not.
        public init(signature: IDTokenRules.Signature, mustBeEncrypted: Bool = false) {
            self.signature = signature
            self.mustBeEncrypted = mustBeEncrypted
        }
    }

    /// What is asked for, and in which form.
    public var settings: AuthorizationRequestSettings
    /// How the client authenticates.
    public var credentials: ClientCredentials
    /// The algorithm of the key for request objects; nil when there is none.
    public var requestObjectAlgorithm: SignatureAlgorithm?
    /// Whether tokens are to be bound to a key.
    public var wantsDPoP = DPoPDemand.off
    /// The operator's word for a server that does not say that it knows PKCE.
    public var assumesPKCE = false
    /// Whether the server has to be one of FAPI 2.0.
    public var isFAPI = false
    /// Those by which the server is to end sessions.
    public var logoutChannels: Set<LogoutChannel> = []
    /// ID tokens; nil where nobody says.
    public var idToken: Made?
    /// Signed responses; nil where nobody says.
    public var response: Made?
    /// What the client's keys decrypt.
    public var decryptionAlgorithms: [String] = []
    /// Whether more claims are asked for.
    public var userInfo = UserInfo.off
    /// Where requests may go; nil for anywhere.
    public var ports: EndpointPorts?

    /// What every login wants.
    public init(settings: AuthorizationRequestSettings, credentials: ClientCredentials) {
        self.settings = settings
        self.credentials = credentials
    }
}
