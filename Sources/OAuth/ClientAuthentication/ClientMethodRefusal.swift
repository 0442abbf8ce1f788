import JOSE

/// Why a server cannot be asked in the configured way; nothing is sent to it (CA-01).
public enum ClientMethodRefusal: Error, Sendable, Hashable {
    /// The server's list of client authentication methods lacks the configured one.
    case methodNotOffered(String)
    /// The server's list of algorithms for assertions lacks the configured one.
    case algorithmNotOffered(String)
}

extension ClientCredentials {
    /// Refuses a method or an algorithm that the server's metadata, where it lists any, does not list.
    ///
    /// `methods` and `algorithms` are those of the endpoint to be asked, such as
    /// `token_endpoint_auth_methods_supported`. Where there is no list the operator's word stands: what a server leaves
    /// out is not offered in its place, so nothing weaker is ever sent.
    public func check(methods: [String]?, algorithms: [String]?) throws(ClientMethodRefusal) {
        // Servers list what proves something: many take public clients and do not say none.
        if case .publicClient = method { return }
        if let methods, !Self.contains(methods, method.name) { throw .methodNotOffered(method.name) }
        guard let name = assertionAlgorithmName, let algorithms else { return }
        guard Self.contains(algorithms, name) else { throw .algorithmNotOffered(name) }
    }

    /// `alg` of an assertion; nil when the method has none.
    private var assertionAlgorithmName: String? {
        switch method {
        case .secretJWT(let algorithm, _): algorithm.name
        case .privateKeyJWT(let key): key.algorithm.name
        case .secretBasic, .secretPost, .tls, .selfSignedTLS, .publicClient: nil
        }
    }

    private static func contains(_ list: [String], _ name: String) -> Bool {
        list.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
