/// What an authorization server is asked for in exchange for a token (RFC 8693 §2.1).
public struct ExchangeRequest: Sendable, Equatable {
    /// Logical names of the services the new token is for.
    public var audience: [String]
    /// URIs of the services the new token is for.
    public var resource: [String]
    /// Scopes asked for; the server decides when empty.
    public var scopes: [String]

    /// A request for these services and scopes; the kind of token is for the server to decide.
    public init(audience: [String] = [], resource: [String] = [], scopes: [String] = []) {
        self.audience = audience
        self.resource = resource
        self.scopes = scopes
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
        parameters.append(("subject_token", token.text))
        parameters.append(("subject_token_type", Self.accessTokenType))
        return parameters
    }
}
