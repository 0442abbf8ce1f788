public import HTTPMessage
import JSON

/// What an authorization server says about itself, once everything that can be checked has been (RFC 8414 §3.2).
///
/// One wrong member discards the whole document: a server that is half misconfigured, or half somebody else's, is not
/// taken at its word for the other half.
@dynamicMemberLookup
public struct ServerMetadata: Sendable, Equatable {
    /// The issuer, identical to the configured one.
    public let issuer: String
    /// Where the server publishes its keys; nil only where the reader does not need them.
    public let jwksURI: String?
    /// Where the server is asked about tokens (RFC 7662 §2).
    public let introspection: ServerEndpoint
    /// Where the server hands out tokens (RFC 6749 §3.2).
    public let token: ServerEndpoint
    /// Where authorization requests are pushed to (RFC 9126 §5).
    public let pushedAuthorization: ServerEndpoint
    /// Where tokens are revoked (RFC 7009).
    public let revocation: ServerEndpoint
    /// What it offers to clients that send it browsers.
    public let login: LoginMetadata

    /// What it offers to clients that send it browsers, asked of the server itself: `server.authorizationEndpoint`.
    public subscript<Value>(dynamicMember member: KeyPath<LoginMetadata, Value>) -> Value { login[keyPath: member] }

    /// Largest document read (MD-04).
    public static let maximumBytes = 256 * 1024

    /// Whether a document without `jwks_uri` is of any use to its reader.
    public enum KeySetLocation: Sendable, Equatable {
        /// The keys are read from there.
        case required
        /// The keys come from elsewhere: only endpoints are read.
        case optional
    }

    /// The document in `response`, if it is `issuer`'s and points to safe places only.
    public static func accept(
        _ response: FetchResponse, issuer: IssuerIdentifier, schemes: EndpointSchemes = .httpsOnly,
        keySetLocation: KeySetLocation = .required
    ) throws(MetadataRefusal) -> ServerMetadata {
        guard response.status == 200 else { throw .status(response.status) }
        guard response.body.count <= maximumBytes else { throw .tooLarge(bytes: response.body.count) }
        guard MediaType.isJSON(response.contentType ?? "") else { throw .contentType(response.contentType ?? "") }
        let document = try parse(response.body)
        guard document.kind == .object else { throw .notAnObject }

        guard let found = document["issuer"]?.string else { throw .issuerMissing }
        // RFC 8414 §3.3: identical, or the document MUST NOT be used. Compared as octets, because String's `==` would
        // take two spellings of one character for the same issuer.
        guard found.utf8.elementsEqual(issuer.text.utf8) else { throw .issuerMismatch(found: found) }

        try checkEndpoints(of: document, schemes: schemes)
        let jwksURI = document["jwks_uri"]?.string
        guard jwksURI != nil || keySetLocation == .optional else { throw .keySetLocationMissing }
        return ServerMetadata(issuer: found, jwksURI: jwksURI, document)
    }

    /// What an operator says of a server that says nothing about itself: endpoints that were checked before.
    ///
    /// Nil for texts that no JSON has.
    public static func stated(
        issuer: String, authorization: String, token: String, revocation: String?
    ) -> ServerMetadata? {
        var writer = JSONWriter()
        writer.beginObject()
        let members = [("authorization_endpoint", authorization), ("token_endpoint", token)]
        for (name, url) in members + (revocation.map { [("revocation_endpoint", $0)] } ?? []) {
            writer.name(name)
            writer.string(url)
        }
        writer.endObject()
        guard let document = try? JSONValue.parse(owned: writer.finish()) else { return nil }
        return ServerMetadata(issuer: issuer, jwksURI: nil, document)
    }

    private init(issuer: String, jwksURI: String?, _ document: JSONValue) {
        self.issuer = issuer
        self.jwksURI = jwksURI
        introspection = ServerEndpoint("introspection", in: document)
        token = ServerEndpoint("token", in: document)
        pushedAuthorization = ServerEndpoint(
            "pushed_authorization_request", in: document, authenticatedAs: "token")
        // Its own list says less than the server does, where it is there: a client has one method, and would have to
        // leave tokens alive.
        revocation = ServerEndpoint("revocation", in: document, authenticatedAs: "token")
        login = LoginMetadata(document)
    }

    private static func parse(_ body: [UInt8]) throws(MetadataRefusal) -> JSONValue {
        do {
            return try JSONValue.parse(body.span, limits: JSONLimits(bytes: maximumBytes))
        } catch {
            throw .notJSON(error)
        }
    }

    /// Refuses any endpoint that is not a URL of an allowed scheme, used here or not.
    ///
    /// RFC 8414 §2 and RFC 8705 §5 name every endpoint `…_endpoint`, so members invented later are covered too.
    private static func checkEndpoints(of document: JSONValue, schemes: EndpointSchemes) throws(MetadataRefusal) {
        for member in document.members {
            if member.name == "mtls_endpoint_aliases", member.value.kind == .object {
                try checkEndpoints(of: member.value, schemes: schemes)
            }
            guard member.name == "jwks_uri" || member.name.hasSuffix("_endpoint") else { continue }
            // Some servers write null for what they do not offer: that is an absent member.
            if member.value.kind == .null { continue }
            guard let text = member.value.string, let uri = URI(text), !uri.host.isEmpty else {
                throw .endpointNotURL(member: member.name)
            }
            guard schemes.allow(uri.scheme) else { throw .endpointNotHTTPS(member: member.name) }
        }
    }
}
