import Access
import HTTPMessage
import Issuers
import JOSE
import JSON

/// A resource identifier and where its metadata is found (RFC 9728 §3).
struct ProtectedResource {
    /// Exactly as configured: clients compare it byte for byte with what they asked for (RFC 9728 §3.3).
    let identifier: String
    private let uri: URI

    /// Nil when it is no absolute URI without fragment (RFC 9728 §1.2).
    init?(_ identifier: String) {
        guard let uri = URI(identifier), uri.fragment == nil else { return nil }
        self.identifier = identifier
        self.uri = uri
    }

    /// The metadata's path: the well-known one before the identifier's own, a lone slash of which is left out
    /// (RFC 9728 §3.1).
    ///
    /// Any other slash stays where it is: `/orders` and `/orders/` are two resources.
    var metadataPath: String { ReservedPath.protectedResourceMetadata + (uri.path == "/" ? "" : uri.path) }

    /// The identifier's query, which the metadata's URL has too.
    var query: String? { uri.query }

    /// What `resource_metadata` in challenges says: from the identifier, never from a request (MD-22).
    var metadataURL: String {
        "\(uri.scheme)://\(uri.authority)\(metadataPath)" + (uri.query.map { "?\($0)" } ?? "")
    }

    /// The authorities that mean the identifier's, with and without the scheme's own port.
    var authorities: [String] {
        let host = uri.host.utf8.contains(UInt8(ascii: ":")) ? "[\(uri.host)]" : uri.host
        guard let port = uri.effectivePort else { return [uri.authority] }
        let named = "\(host):\(port)"
        guard let standard = URI("\(uri.scheme)://\(host)")?.effectivePort, standard == port else { return [named] }
        return [host, named]
    }

    /// The metadata (RFC 9728 §2), made from the rules that requests are judged by, so that the two cannot differ.
    ///
    /// What would be empty or has its default value is left out (§3.2).
    func document(
        _ token: TokenSettings, issuers: [IssuerSettings], takesClientCertificates: Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("resource")
        writer.string(identifier)
        let servers = token.issuers.compactMap { name in issuers.first { $0.name == name }?.url }
        ProtectedResource.write("authorization_servers", servers, to: &writer)
        ProtectedResource.write("scopes_supported", ProtectedResource.scopes(token.rights), to: &writer)
        // The body and the query are never looked at for a token (RS-06, RS-07).
        ProtectedResource.write("bearer_methods_supported", ["header"], to: &writer)
        if token.schemes.contains(.dpop) {
            ProtectedResource.write(
                "dpop_signing_alg_values_supported", token.dpop.algorithms.map(\.name), to: &writer)
        }
        if token.schemes == [.dpop] { ProtectedResource.writeTrue("dpop_bound_access_tokens_required", to: &writer) }
        if takesClientCertificates {
            ProtectedResource.writeTrue("tls_client_certificate_bound_access_tokens", to: &writer)
        }
        ProtectedResource.write(
            "authorization_details_types_supported", ProtectedResource.detailTypes(token), to: &writer)
        if let name = token.resource?.name {
            writer.name("resource_name")
            writer.string(name)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Every scope that some method needs, but for refresh tokens, which are no resource's business (MCP-05).
    private static func scopes(_ rights: RightsSettings) -> [String] {
        let byMethod = rights.scopesByMethod.sorted { $0.key < $1.key }.flatMap(\.value)
        let byGRPCMethod = rights.scopesByGRPCMethod.sorted { $0.key < $1.key }.flatMap(\.value)
        return unique(rights.scopes + byMethod + byGRPCMethod).filter { $0 != "offline_access" }
    }

    private static func detailTypes(_ token: TokenSettings) -> [String] {
        let byMethod = token.authorizationDetailsByMethod.sorted { $0.key < $1.key }.flatMap(\.value)
        return unique((token.authorizationDetails + byMethod).map(\.type))
    }

    /// Each once, where it stood first.
    private static func unique(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0).inserted }
    }

    private static func write(_ name: String, _ values: [String], to writer: inout JSONWriter) {
        guard !values.isEmpty else { return }
        writer.name(name)
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
    }

    private static func writeTrue(_ name: String, to writer: inout JSONWriter) {
        writer.name(name)
        writer.bool(true)
    }
}
