package import OAuth

/// Why an authorization server could not be asked, or gave no answer: the token may be good all the same (INT-05).
package enum LookupRefusal: Error, Sendable, Equatable {
    /// Too many questions are under way or wait already.
    case crowded
    /// As many questions of its client wait already as one client may have, or it waited behind these for longer than an
    /// answer may take, while the server answered them; nothing was asked, and others' may be.
    case tooManyOfClient
    /// It waited for its turn longer than an answer may take, behind others or behind a server that does not answer.
    case waitedTooLong
    /// Tokens of the same client proved bad, and it has no more of them left for now; nothing was asked.
    case tooManyBad
    /// The gateway is about to end.
    case stopped
    /// The bytes are no access token; whoever asked should have known.
    case tokenNotSendable
    /// The endpoint is in metadata that is not at hand.
    case metadataMissing
    /// The metadata names no such endpoint.
    case endpointMissing
    /// The metadata says that the endpoint does not take how this client authenticates (CA-01, CA-05).
    case methodNotOffered(ClientMethodRefusal)
    /// The form could not be signed or written.
    case notAuthenticated(ClientAuthenticationRefusal)
    /// The request could not be made or was not answered.
    case request(IssuerRefusal)
    /// What the server said about a token is longer than may be read, in bytes; so it will be the next time.
    case answerTooLarge(limit: Int)
    /// What the server said about a token has more members in an object or more levels than may be read, which no setting
    /// changes; so it will be the next time.
    case answerTooComplex(expected: String)
    /// What the server said about a token says nothing.
    case introspection(IntrospectionRefusal)
    /// What the server said to an exchange has no token in it.
    case exchange(ExchangeRefusal)

    /// The word for logs and metrics.
    package var word: String {
        switch self {
        case .crowded: "too_many_lookups"
        case .tooManyOfClient: "too_many_lookups_of_client"
        case .waitedTooLong: "waited_too_long"
        case .tooManyBad: "too_many_bad_tokens"
        case .stopped: "stopped"
        case .tokenNotSendable: "token_not_sendable"
        case .metadataMissing: "metadata_missing"
        case .endpointMissing: "endpoint_missing"
        case .methodNotOffered: "authentication_method_not_offered"
        case .notAuthenticated: "client_authentication_failed"
        case .request(let refusal): refusal.word
        case .answerTooLarge: "answer_too_large"
        case .answerTooComplex: "answer_too_complex"
        case .introspection(let refusal): refusal.word
        case .exchange(let refusal): refusal.word
        }
    }

    /// Whether the server has said something, if nothing of use, or a question behind others that it answered was late.
    var isOfServerThatAnswers: Bool {
        switch self {
        case .tooManyOfClient, .answerTooLarge, .answerTooComplex, .introspection, .exchange: true
        case .crowded, .waitedTooLong, .tooManyBad, .stopped, .tokenNotSendable, .metadataMissing, .endpointMissing,
            .methodNotOffered, .notAuthenticated, .request:
            false
        }
    }

    /// The status by which the server refused this gateway as its client; nil for every other cause.
    var refusedCredentials: Int? {
        switch self {
        case .introspection(.credentialsRefused(let status)), .exchange(.credentialsRefused(let status)): status
        default: nil
        }
    }
}
