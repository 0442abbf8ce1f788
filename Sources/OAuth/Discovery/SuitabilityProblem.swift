public import JOSE

/// One thing that a client is configured for and that its server does not offer; nothing in it is secret.
public struct SuitabilityProblem: Error, Sendable, Hashable {
    /// What the client wants of the server.
    public enum Demand: Sendable, Hashable {
        // Endpoints, and where they may be.
        case authorizationEndpoint, tokenEndpoint, userInfoEndpoint
        /// An endpoint at one of these ports.
        case port(EndpointPorts)

        // The code flow.
        case codeFlow, codeChallengeS256
        /// A word about PKCE at all.
        case statementOfPKCE

        // The client's authentication.
        case authenticationMethod(String)
        case assertionAlgorithm(String)

        // The request.
        /// That it takes pushed requests, and only those, exactly where the client's form is one.
        case pushedRequest(AuthorizationRequestSettings.Form)
        /// The same of request objects.
        case requestObject(AuthorizationRequestSettings.Form)
        case requestObjectAlgorithm(SignatureAlgorithm)
        /// A key to sign request objects with, which only the client can have.
        case requestObjectKey
        case requestObjectKeyManagement(String)
        case requestObjectEncoding(String)

        // What comes back.
        case responseMode(AuthorizationRequestSettings.ResponseMode)
        /// One of these algorithms, by name.
        case signature(of: Token, by: String)
        /// Encryption, to a key for one of these algorithms.
        case encryption(of: Token, by: [String])
        case proofs(by: SignatureAlgorithm)
        case logout(LogoutChannel)

        // FAPI 2.0 Security Profile.
        /// A client that pushes its requests.
        case pushedRequestOfProfile(AuthorizationRequestSettings.Form)
        /// `iss` in a response that is not signed.
        case responseIssuer(AuthorizationRequestSettings.ResponseMode)
        /// Tokens that are bound to a key.
        case boundTokens(DPoPDemand)
    }

    /// The tokens whose making a client registers.
    public enum Token: Sendable, Hashable {
        /// The signed authorization response (JARM).
        case response
        case idToken
    }

    /// What is configured.
    public let demand: Demand
    /// What the server says, with the name of the member it says it in; nil where the client contradicts itself.
    public let statement: String?

    init(_ demand: Demand, _ statement: String? = nil) {
        self.demand = demand
        self.statement = statement
    }
}
