/// What an authorization server is asked for in exchange for a token (RFC 8693 §2.1).
public struct ExchangeRequest: Sendable, Equatable {
    /// Logical names of the services the new token is for.
    public var audience: [String]
    /// URIs of the services the new token is for.
    public var resource: [String]
    /// Scopes asked for; the server decides when empty.
    public var scopes: [String]
    /// The kind of token asked for.
    public var requestedType: RequestedType

    /// `requested_token_type`.
    public enum RequestedType: Sendable, Equatable {
        /// Not said: the server decides.
        case unspecified
        case accessToken
        case jwt
    }

    /// A request for these services and scopes.
    public init(
        audience: [String] = [], resource: [String] = [], scopes: [String] = [],
        requestedType: RequestedType = .unspecified
    ) {
        self.audience = audience
        self.resource = resource
        self.scopes = scopes
        self.requestedType = requestedType
    }

    /// Largest answer read, in bytes.
    public static let maximumBytes = 64 * 1024

    static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    static let jwtType = "urn:ietf:params:oauth:token-type:jwt"

    /// The form's parameters; nil for bytes that no access token has.
    ///
    /// Form encoding follows: nothing in the token can add a parameter (TX-01).
    public func parameters(subjectToken: Span<UInt8>) -> [(String, String)]? {
        guard let token = TokenText(subjectToken) else { return nil }
        var parameters = [("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")]
        parameters += resource.map { ("resource", $0) }
        parameters += audience.map { ("audience", $0) }
        if !scopes.isEmpty { parameters.append(("scope", scopes.joined(separator: " "))) }
        switch requestedType {
        case .unspecified: break
        case .accessToken: parameters.append(("requested_token_type", Self.accessTokenType))
        case .jwt: parameters.append(("requested_token_type", Self.jwtType))
        }
        parameters.append(("subject_token", token.text))
        parameters.append(("subject_token_type", Self.accessTokenType))
        return parameters
    }
}
