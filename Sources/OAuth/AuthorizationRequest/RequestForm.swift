extension AuthorizationRequestSettings.Form {
    /// Whether the parameters are in a signed request object.
    public var isSigned: Bool {
        switch self {
        case .signed, .signedByReference, .pushedSigned: true
        case .plain, .pushed: false
        }
    }

    /// Whether the request is pushed before the browser is sent.
    public var isPushed: Bool {
        switch self {
        case .pushed, .pushedSigned: true
        case .plain, .signed, .signedByReference: false
        }
    }

    /// The form for a request whose URL would be too long in this one: pushed where the server takes that, else fetched
    /// by the server; nil when there is none, and never one that signs less (JAR-08).
    public func shorter(at server: ServerMetadata) -> Self? {
        switch self {
        case .plain: server.pushedAuthorization.url == nil ? nil : .pushed
        case .signed where server.pushedAuthorization.url != nil: .pushedSigned
        // OpenID Connect Discovery §3: a server that does not say fetches.
        case .signed: server.requestURIParameterSupported == false ? nil : .signedByReference
        case .signedByReference, .pushed, .pushedSigned: nil
        }
    }
}

extension AuthorizationRequestSettings.ResponseMode {
    /// Whether the response is a signed JWT (JARM).
    public var isSigned: Bool {
        switch self {
        case .queryJWT, .formPostJWT, .jwt: true
        case .query, .formPost: false
        }
    }
}
