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

        init(_ setting: String, _ found: String, _ expected: String) {
            self.setting = setting
            self.found = found
            self.expected = expected
        }
    }

    /// The algorithms of FAPI 2.0 §5.4.1, for every signature that is made or taken.
    public static let algorithms: [SignatureAlgorithm] = [.ps256, .es256, .edDSA]

    /// What of these settings the profile does not allow; empty when it allows all of them.
    public static func contradictions(
        of settings: AuthorizationRequestSettings, credentials: ClientCredentials,
        requestObjectAlgorithm: SignatureAlgorithm?, dpop: DPoPDemand, idToken: IDTokenRules.Signature
    ) -> [Contradiction] {
        var found: [Contradiction] = []
        if settings.form != .pushedSigned {
            found.append(.init("authorization_request", settings.form.rawValue, "pushed_signed"))
        }
        if !settings.responseMode.isSigned {
            found.append(.init("response_mode", settings.responseMode.rawValue, "query.jwt, form_post.jwt or jwt"))
        }
        if let requestObjectAlgorithm, !algorithms.contains(requestObjectAlgorithm) {
            found.append(.init("request_object.algorithm", requestObjectAlgorithm.name, names))
        }
        // Message Signing §5.3.2: `exp` within an hour of `nbf`.
        let longest = AuthorizationParameters.longestValiditySeconds - AuthorizationParameters.clockDifferenceSeconds
        if Int64(settings.objectLifetimeSeconds) > longest {
            found.append(.init("request_object.lifetime", "\(settings.objectLifetimeSeconds)s", "\(longest)s at most"))
        }
        found += contradictions(of: credentials)
        if dpop != .required, !credentials.method.usesCertificate {
            found.append(.init("dpop", "\(dpop)", "required, or a client that shows a certificate"))
        }
        found += contradictions(of: idToken)
        return found
    }

    /// §5.3.3.1 and §5.4.1: a key or a certificate, and nothing that the server could use in the client's name.
    private static func contradictions(of credentials: ClientCredentials) -> [Contradiction] {
        switch credentials.method {
        case .tls, .selfSignedTLS: return []
        case .privateKeyJWT(let key):
            var found: [Contradiction] = []
            if !algorithms.contains(key.algorithm) {
                found.append(.init("authentication.algorithm", key.algorithm.name, names))
            }
            if credentials.assertionAudience != .issuer {
                found.append(.init("authentication.audience", "\(credentials.assertionAudience)", "issuer"))
            }
            return found
        case .secretBasic, .secretPost, .secretJWT:
            return [
                .init(
                    "authentication.method", credentials.method.name,
                    "private_key_jwt, tls_client_auth or self_signed_tls_client_auth")
            ]
        }
    }

    private static func contradictions(of idToken: IDTokenRules.Signature) -> [Contradiction] {
        switch idToken {
        case .algorithms(let configured):
            let others = configured.filter { !algorithms.contains($0) }
            guard !others.isEmpty else { return [] }
            return [.init("id_token.algorithm", others.map(\.name).joined(separator: " "), names)]
        case .secret(let algorithm, _):
            return [.init("id_token.algorithm", algorithm.name, names)]
        }
    }

    private static let names = algorithms.map(\.name).joined(separator: ", ")
}
