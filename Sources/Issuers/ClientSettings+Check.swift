// SPDX-License-Identifier: Apache-2.0
package import JOSE
import OAuth

extension ClientSettings {
    /// Two settings that would make one key or secret good at two places.
    package enum Conflict: Error, Sendable, Equatable {
        /// One key signs for two purposes: one party could pass its signature on to the other (RFC 8725 §3.12; CA-10).
        case keyForTwoPurposes(keyID: String, purposes: [String])
        /// A key that is known to several servers signs what names an endpoint: a server whose metadata names another
        /// one's endpoint is handed an assertion for that one (CA-11).
        case keyForSeveralServers(keyID: String, clients: [String])
    }

    /// The conflicts between `clients` themselves, and between them and the keys of `assertionKeys`.
    package static func conflicts(among clients: [ClientSettings], assertionKeys: [SigningJWK] = []) -> [Conflict] {
        var conflicts: [Conflict] = []
        var seen: [ClientSettings] = []
        for client in clients {
            guard let key = client.signingKey else { continue }
            if assertionKeys.contains(where: { $0.published.thumbprint == key.published.thumbprint }) {
                conflicts.append(
                    .keyForTwoPurposes(keyID: key.keyID, purposes: ["client \(client.name)", "identity assertions"]))
            }
            let others = seen.filter { other in
                other.issuer != client.issuer && other.signingKey?.published.thumbprint == key.published.thumbprint
            }
            let isBoundToIssuer = (others + [client]).allSatisfy { $0.credentials.assertionAudience == .issuer }
            if !others.isEmpty, !isBoundToIssuer {
                conflicts.append(
                    .keyForSeveralServers(keyID: key.keyID, clients: others.map(\.name) + [client.name]))
            }
            seen.append(client)
        }
        return conflicts
    }

    private var signingKey: SigningJWK? {
        guard case .privateKeyJWT(let key) = credentials.method else { return nil }
        return key
    }
}
