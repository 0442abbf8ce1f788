// SPDX-License-Identifier: Apache-2.0
public import JOSE

/// Whether a server offers what a client is configured to ask of it: capabilities are enforced, not guessed (MD-07).
///
/// Where a server does not say, the operator's word stands — but for PKCE, without which a stolen code can be used
/// (CF-05). What a server says is never answered with something weaker than what is configured.
public enum ServerSuitability {
    /// Everything that stands against a login of this client at this server; empty when nothing does.
    ///
    /// `requestObjectAlgorithm` is that of the key for request objects, nil when there is none. `assumesPKCE` is the
    /// operator's word for a server that does not say.
    public static func problems(
        of metadata: ServerMetadata, for settings: AuthorizationRequestSettings, credentials: ClientCredentials,
        requestObjectAlgorithm: SignatureAlgorithm?, wantsDPoP: DPoPDemand, assumesPKCE: Bool = false,
        isFAPI: Bool = false
    ) -> [SuitabilityProblem] {
        []
    }

    static func contains(_ list: [String], _ name: String) -> Bool {
        list.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Ed25519 has two names (RFC 9864).
    static func contains(_ list: [String], _ algorithm: SignatureAlgorithm) -> Bool {
        list.contains { SignatureAlgorithm(name: $0) == algorithm }
    }
}
