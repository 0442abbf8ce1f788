/// Where an authorization server's metadata is asked for (MD-02).
public enum MetadataRequest {
    /// Which of the well-known locations an issuer uses.
    public enum Form: Sendable, Equatable {
        /// RFC 8414 inserted, then OpenID Connect inserted, then OpenID Connect appended, as MCP orders them.
        case automatic
        /// OpenID Connect Discovery §4: appended to the issuer.
        case openIDConnect
        /// RFC 8414 §3.1: inserted between host and path.
        case oauth
    }

    /// The URLs to try in order, without repetition.
    ///
    /// A fixed form has exactly one: the document at another location may belong to another tenant of the same host.
    public static func candidates(issuer: IssuerIdentifier, form: Form) -> [String] {
        let origin = issuer.origin
        let path = issuer.pathWithoutTrailingSlash
        let oauth = origin + "/.well-known/oauth-authorization-server" + path
        let openIDConnect = origin + path + "/.well-known/openid-configuration"
        switch form {
        case .openIDConnect: return [openIDConnect]
        case .oauth: return [oauth]
        case .automatic:
            let inserted = origin + "/.well-known/openid-configuration" + path
            // Without a path, inserting and appending are the same thing.
            return inserted == openIDConnect ? [oauth, inserted] : [oauth, inserted, openIDConnect]
        }
    }
}
