import Crypto
package import Issuers
package import HTTPMessage

/// One request to the paths under `/.portcullis/` that logins are made of, as far as logins have a use for it.
///
/// Holds cookies, codes and tokens: it prints as its endpoint.
package struct LoginRequest: Sendable {
    /// What is asked for; the client by its place among the login clients.
    package enum Endpoint: Sendable, Equatable {
        /// `login/<client>`: begins a login.
        case start(client: Int)
        /// `callback/<client>`: the authorization response.
        case callback(client: Int)
        /// `logout/<client>`: asks, or logs out.
        case logout(client: Int)
        /// `logged-out/<client>`: where the authorization server sends the browser after its own logout.
        case loggedOut(client: Int)
        /// `session/<client>`: what a page's script may know of the session.
        case session(client: Int)
        /// `backchannel-logout/<client>`
        case backchannelLogout(client: Int)
        /// `frontchannel-logout/<client>`
        case frontchannelLogout(client: Int)
        /// `request/<id>`: a hosted request object.
        case requestObject(id: String)

        /// The login that it belongs to, by its place; nil for a hosted request object, which says by its id.
        package var client: Int? {
            switch self {
            case .start(let client), .callback(let client), .logout(let client), .loggedOut(let client),
                .session(let client), .backchannelLogout(let client), .frontchannelLogout(let client):
                client
            case .requestObject: nil
            }
        }
    }

    package enum Method: Sendable, Equatable {
        case get, head, post
        case other
    }

    package var endpoint: Endpoint
    package var method: Method
    /// As received, without `?`; empty when there is none.
    package var query: [UInt8]
    /// The body of a POST, at most `bodyLimit`.
    package var body: [UInt8]
    package var contentType: String?
    /// All lines of `Cookie`, joined by `; `.
    package var cookies: [UInt8]
    package var origin: String?
    /// `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`.
    package var fetchSite: String?
    package var fetchMode: String?
    package var fetchDestination: String?
    /// Whether `X-Requested-By` is there.
    package var hasRequestedBy = false
    /// The listener's public URL, such as `https://shop.example.com`: what cookies and URLs are made for.
    package var publicURL: String
    /// The address of whoever connected, for limits.
    package var peer: String
    /// Whether that address is many clients', and nobody says whose: of a Unix socket, or of a proxy that names nobody.
    package var isPeerMany = false
    /// The same, for what servers are asked on its behalf.
    package var client = AskingClient.many
    /// What logs call it.
    package var names = RequestNames()
    /// The span that waits for the answer, where servers that are asked for it are to be told.
    package var trace: TraceParent?
    /// Whether a person waits for a page: a GET (or a form) of a browser that is no script, image or frame.
    package var isNavigation = true

    /// Largest body of a POST to these paths, in bytes.
    package static let bodyLimit = 64 * 1024

    /// A navigation by a browser that says nothing of where it comes from.
    package init(
        endpoint: Endpoint, method: Method = .get, query: [UInt8] = [], body: [UInt8] = [], contentType: String? = nil,
        cookies: [UInt8] = [], publicURL: String, peer: String = ""
    ) {
        self.endpoint = endpoint
        self.method = method
        self.query = query
        self.body = body
        self.contentType = contentType
        self.cookies = cookies
        self.publicURL = publicURL
        self.peer = peer
    }
}

// MARK: shares

extension LoginRequest {
    /// Whose share the request takes of what all clients have: an IPv4 address, or an IPv6 /64; nil where nobody can tell
    /// (OPS-05).
    var network: String? { isPeerMany ? nil : AddressBudget.network(of: peer) }

    /// Who holds the memory of something that the request brings: its client, or nobody but the thing itself.
    func holder(of thing: SHA256Digest) -> SHA256Digest {
        guard let network else { return thing }
        return SHA256.hash(network.utf8Span.span)
    }
}

extension LoginRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[login request]`.
    package var description: String { "[login request]" }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
