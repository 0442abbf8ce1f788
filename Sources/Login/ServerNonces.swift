import HTTPMessage
import Synchronization

/// The newest nonce of each server that gave this client one, for its next proof there (RFC 9449 §8.2, §9; DPOP-41).
///
/// One for each client: there are servers whose nonces belong to one client. May be used from several threads at once.
package final class ServerNonces: Sendable {
    /// What a server is asked as; the nonces of the one role are worth nothing in the other.
    package enum Role: Sendable, Hashable {
        /// At its token, pushed authorization request and revocation endpoints.
        case authorizationServer
        /// At userinfo and upstreams.
        case resourceServer
    }

    private struct Place: Hashable {
        let role: Role
        /// Scheme, host and port.
        let origin: [UInt8]
    }

    private struct State {
        var nonces: [Place: String] = [:]
        /// The places in the order in which they came.
        var places: [Place] = []
        /// The next place to be given away.
        var oldest = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Room for the nonces of `limit` servers; with one more, the one that came first is forgotten.
    package init(limit: Int = 256) { self.limit = max(limit, 1) }

    /// The newest nonce of the server at `url`; nil when it gave none.
    package func newest(for url: String, of role: Role = .authorizationServer) -> String? {
        guard let place = Self.place(url, role) else { return nil }
        return state.withLock { $0.nonces[place] }
    }

    /// Keeps the nonce of an answer of the server at `url`, when it has one; whatever the answer's status.
    package func keep(_ nonce: String?, from url: String, as role: Role = .authorizationServer) {
        guard let nonce, let place = Self.place(url, role) else { return }
        state.withLock { state in
            if state.nonces.updateValue(nonce, forKey: place) != nil { return }
            guard state.places.count >= limit else {
                state.places.append(place)
                return
            }
            state.nonces[state.places[state.oldest]] = nil
            state.places[state.oldest] = place
            state.oldest = (state.oldest + 1) % limit
        }
    }

    private static func place(_ url: String, _ role: Role) -> Place? {
        guard let uri = URI(url) else { return nil }
        return Place(role: role, origin: Array("\(uri.scheme)://\(uri.host) \(uri.effectivePort ?? 0)".utf8))
    }
}
