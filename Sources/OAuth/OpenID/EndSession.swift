import Bytes
public import Crypto
import HTTPMessage

/// How a browser is sent to end its session at the issuer too (OpenID Connect RP-Initiated Logout §2).
public enum EndSession: Sendable {
    /// 303 to this URL.
    case redirect(to: String)
    /// A form that posts itself: the hint is in no URL, and so in no log and no Referer (LO-03).
    case post(action: String, parameters: [(String, String)])

    /// Characters of a URL beyond which a form is posted.
    private static let maximumURLCount = 2000

    /// What is sent beside the endpoint's own query (LO-02).
    public struct Parameters: Sendable {
        /// The ID token of the login that ends, where it was kept.
        public var idTokenHint: Secret?
        /// Our `client_id`.
        public var clientID: String
        /// Where the browser is sent afterwards: a registered constant.
        public var postLogoutRedirectURI: String?
        /// Comes back with the browser; sent with a `postLogoutRedirectURI` alone.
        public var state: String?

        /// Parameters of one logout.
        public init(
            idTokenHint: Secret?, clientID: String, postLogoutRedirectURI: String? = nil, state: String? = nil
        ) {
            self.idTokenHint = idTokenHint
            self.clientID = clientID
            self.postLogoutRedirectURI = postLogoutRedirectURI
            self.state = state
        }
    }

    /// The way to `endpoint` of the issuer's metadata; nil when that is no URL a browser may be sent to.
    ///
    /// A redirect, unless `postsHint` and there is a hint, or the URL would be too long for everyone on its way.
    public static func request(
        endpoint: String, _ parameters: Parameters, postsHint: Bool = false, allowsHTTP: Bool = false
    ) -> EndSession? {
        guard let uri = URI(endpoint), uri.scheme == "https" || (allowsHTTP && uri.scheme == "http") else { return nil }
        // A fragment is for pages and never sent; behind it our parameters would not be either.
        let action = String(decoding: endpoint.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        let pairs = parameters.pairs
        guard !postsHint || parameters.idTokenHint == nil else { return .post(action: action, parameters: pairs) }
        var query: [UInt8] = []
        for (name, value) in pairs { FormEncoding.appendParameter(name, Array(value.utf8).span, to: &query) }
        let separator =
            switch uri.query {
            case nil: "?"
            case .some(let own): own.isEmpty || own.utf8.last == UInt8(ascii: "&") ? "" : "&"
            }
        let url = action + separator + String(decoding: query, as: UTF8.self)
        guard url.utf8.count <= maximumURLCount else { return .post(action: action, parameters: pairs) }
        return .redirect(to: url)
    }
}

extension EndSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[end session]`: the hint is somebody's ID token.
    public var description: String { "[end session]" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}

extension EndSession.Parameters {
    /// Names and values in the order they are sent.
    var pairs: [(String, String)] {
        var pairs: [(String, String)] = []
        if let hint = idTokenHint { pairs.append(("id_token_hint", String(decoding: hint.reveal(), as: UTF8.self))) }
        pairs.append(("client_id", clientID))
        guard let postLogoutRedirectURI else { return pairs }
        pairs.append(("post_logout_redirect_uri", postLogoutRedirectURI))
        if let state { pairs.append(("state", state)) }
        return pairs
    }
}
