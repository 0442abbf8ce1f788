import HTTPMessage
import JOSE
import TestSupport

/// What a `ScriptedServer` does otherwise than a good server: nothing, at first.
///
/// Changes of JSON are raw values by member: they add a member, replace one, or with nil remove it.
struct ServerHabits: Sendable {
    typealias Answer = Result<FetchResponse, FetchRefusal>

    /// How often a request is sent away for want of a nonce.
    enum NonceDemand: Sendable { case never, once, endlessly }

    /// Members of the metadata.
    var metadata: [String: String?] = [:]

    /// What is answered to pushed requests instead.
    var pushAnswer: Answer?
    /// Members of the answer to a pushed request.
    var pushMembers: [String: String?] = [:]

    /// The user, or the server, says no by this code.
    var authorizationError: String?
    /// The client is registered without any way to prove who it is.
    var clientIsPublic = false
    /// Parameters of the authorization response: added, replaced, or with nil removed.
    var response: [String: String?] = [:]
    /// Claims of a signed response.
    var responseClaims: [String: String?] = [:]
    /// Signs responses instead of the published key.
    var responseKey: SigningKey?
    /// Signed responses are encrypted to this key.
    var responseRecipient: DecryptionJWK?

    /// What is answered to token requests instead.
    var tokenAnswer: Answer?
    /// Members of the token response.
    var tokenMembers: [String: String?] = [:]
    /// What is answered to refreshes instead.
    var refreshAnswer: Answer?
    /// Members of the response to a refresh.
    var refreshMembers: [String: String?] = [:]
    /// A refresh gives a new refresh token, and the old one is good no more.
    var rotates = true
    /// Seconds for which an access token is good.
    var tokenSeconds: Int64 = 300

    var subject = "user-1"
    var serverSession: String? = "sid-1"
    /// `acr` of ID tokens; nil for none.
    var acr: String?
    /// Seconds since the user was authenticated; nil for no `auth_time`.
    var authenticatedAgo: Int64? = 0
    var idTokenHeader: [String: String?] = [:]
    var idTokenClaims: [String: String?] = [:]
    /// Signs ID tokens instead of the published key.
    var idTokenKey: SigningKey?
    /// ID tokens are encrypted to this key.
    var idTokenRecipient: DecryptionJWK?
    /// Members of the token response are made by this instead: the whole ID token.
    var idToken: String?

    var userInfoAnswer: Answer?
    var userInfoMembers: [String: String?] = [:]

    var revocationAnswer: Answer?

    var nonceDemand = NonceDemand.never
    /// The path of an endpoint whose answers are held back until `release()`.
    var held: String?

    /// An answer with a JSON body.
    static func json(_ text: String, status: Int = 200) -> Answer {
        .success(FetchResponse(status: status, contentType: "application/json", body: Array(text.utf8)))
    }

    /// An answer that is a page, as a proxy before a server writes them.
    static func page(status: Int) -> Answer {
        .success(
            FetchResponse(status: status, contentType: "text/html", body: Array("<html>Bad Gateway</html>".utf8)))
    }
}
