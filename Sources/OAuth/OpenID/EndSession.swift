// SPDX-License-Identifier: Apache-2.0
public import Crypto

/// How a browser is sent to end its session at the issuer too (OpenID Connect RP-Initiated Logout §2).
public enum EndSession: Sendable {
    /// 303 to this URL.
    case redirect(to: String)
    /// A form that posts itself: the hint is in no URL, and so in no log and no Referer (LO-03).
    case post(action: String, parameters: [(String, String)])

    /// Characters of a URL beyond which a form is posted.
    public static let maximumURLCount = 2000

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
        nil
    }
}
