// SPDX-License-Identifier: Apache-2.0
package import HTTPMessage
package import Issuers
package import OAuth

/// Why the authorization server gave no answer to a request of a login client.
package enum ServerRefusal: Error, Sendable, Equatable {
    /// The request could not be made: no metadata, no such endpoint, a method the server does not take, no signature.
    case notMade(LookupRefusal)
    /// The proof of possession could not be made.
    case notProven
    /// Nothing was sent: there was no connection.
    case unreachable(FetchRefusal)
    /// Something was sent, and nothing that could be read came back; whether the server acted on it is unknown.
    case unanswered(FetchRefusal)
    /// The server asks for a nonce, and again when it has been given one (DPOP-41).
    case nonceDemanded
}

extension ClientPlace {
    /// Whether a request may be sent again when there was no connection (CA-16).
    package enum Repetition: Sendable, Equatable {
        case never
        /// Once, with another assertion and another proof (CA-07).
        case onceUnconnected
    }

    /// Posts an authenticated form to an endpoint of this client's server, and gives its answer, whatever its status.
    package func post(
        _ parameters: [(String, String)], to endpoint: @escaping @Sendable (ServerMetadata) -> ServerEndpoint,
        repetition: Repetition = .onceUnconnected
    ) async throws(ServerRefusal) -> FetchResponse {
        let question = ServerQuestion(
            issuer: issuer, client: client, endpoint: .described(endpoint),
            timeoutMilliseconds: Self.timeoutMilliseconds)
        let request: FetchRequest
        do throws(LookupRefusal) {
            request = try question.request(parameters, metadata: metadata, now: now)
        } catch {
            throw .notMade(error)
        }
        do throws(FetchRefusal) {
            return try await fetching.fetch(request)
        } catch {
            throw error.isBeforeSending ? .unreachable(error) : .unanswered(error)
        }
    }

    /// Time for one answer; a person waits for it.
    package static let timeoutMilliseconds = 10_000
}

extension FetchRefusal {
    /// Whether nothing can have reached the server.
    var isBeforeSending: Bool {
        switch self {
        case .unresolved, .refusedAddress, .connectFailed, .tlsFailed, .protocolNotAllowed: true
        case .timedOut, .tooLarge, .unanswered, .redirected, .cancelled, .failed: false
        }
    }
}
