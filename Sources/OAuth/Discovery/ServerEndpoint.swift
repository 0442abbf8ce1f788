import JSON

/// One endpoint of an authorization server that clients authenticate at, as its metadata describes it (RFC 8414 §2).
public struct ServerEndpoint: Sendable, Equatable {
    /// Its URL; nil when the server does not offer it.
    public let url: String?
    /// Its URL for clients that show a certificate (RFC 8705 §5); nil when that is the same.
    public let mutualTLSAlias: String?
    /// The client authentication methods it takes; nil when the server does not say.
    public let authenticationMethods: [String]?
    /// The algorithms of client assertions it takes; nil when the server does not say.
    public let signingAlgorithms: [String]?

    /// Reads the members that begin with `name`; every URL among them was checked before.
    ///
    /// What the endpoint takes of clients is what `authenticationName` takes, where that is another one: pushed requests
    /// and revocations are authenticated as token requests are (RFC 9126 §2, RFC 7009 §2.1).
    init(_ name: String, in document: JSONValue, authenticatedAs authenticationName: String? = nil) {
        let member = name + "_endpoint"
        let prefix = (authenticationName ?? name) + "_endpoint_auth_"
        url = document[member]?.string
        mutualTLSAlias = document["mtls_endpoint_aliases"]?[member]?.string
        authenticationMethods = document[prefix + "methods_supported"]?.words
        signingAlgorithms = document[prefix + "signing_alg_values_supported"]?.words
    }

    /// Where a client that authenticates by `method` goes, unless its operator said where (CA-12).
    ///
    /// RFC 8705 §5: without an alias, a certificate is shown at the ordinary URL.
    public func location(for method: ClientCredentials.Method) -> String? {
        method.usesCertificate ? mutualTLSAlias ?? url : url
    }
    /// The same with the name of the member that says so; `name` is that of the ordinary URL.
    public func place(_ name: String, for method: ClientCredentials.Method) -> (member: String, url: String)? {
        if method.usesCertificate, let mutualTLSAlias { return ("mtls_endpoint_aliases." + name, mutualTLSAlias) }
        return url.map { (name, $0) }
    }
}

extension JSONValue {
    /// The members of a list of strings; nil for anything else.
    var words: [String]? {
        let words = elements.compactMap(\.string)
        return kind == .array && words.count == count ? words : nil
    }
}
