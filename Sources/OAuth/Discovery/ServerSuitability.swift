// SPDX-License-Identifier: Apache-2.0
public import JOSE

/// How a server ends sessions here.
public enum LogoutChannel: Sendable, Hashable {
    /// OpenID Connect Back-Channel Logout.
    case back
    /// OpenID Connect Front-Channel Logout.
    case front
}

/// What of a client's configuration is held against a server's metadata, each in one step.
public enum SuitabilityArea: Sendable, Hashable, CaseIterable {
    case endpoints, codeFlow, authentication, form, requestObject, response, proofs, logout, profile
}

/// Whether a server offers what a client is configured to ask of it: capabilities are enforced, not guessed (MD-07).
///
/// Where a server does not say, the operator's word stands — but for PKCE, without which a stolen code can be used
/// (CF-05). What a server says is never answered with something weaker than what is configured.
public enum ServerSuitability {
    /// Everything that stands against a login of this client at this server; empty when nothing does.
    ///
    /// `requestObjectAlgorithm` is that of the key for request objects, nil when there is none. `assumesPKCE` is the
    /// operator's word for a server that does not say. `logoutChannels` are those by which the server is to end sessions.
    public static func problems(
        of metadata: ServerMetadata, for settings: AuthorizationRequestSettings, credentials: ClientCredentials,
        requestObjectAlgorithm: SignatureAlgorithm?, wantsDPoP: DPoPDemand, assumesPKCE: Bool = false,
        isFAPI: Bool = false, logoutChannels: Set<LogoutChannel> = []
    ) -> [SuitabilityProblem] {
        review(
            of: metadata, for: settings, credentials: credentials, requestObjectAlgorithm: requestObjectAlgorithm,
            wantsDPoP: wantsDPoP, assumesPKCE: assumesPKCE, isFAPI: isFAPI, logoutChannels: logoutChannels
        ).flatMap(\.problems)
    }

    /// The same with the areas in which nothing was found; those that the settings leave unused are left out.
    public static func review(
        of metadata: ServerMetadata, for settings: AuthorizationRequestSettings, credentials: ClientCredentials,
        requestObjectAlgorithm: SignatureAlgorithm?, wantsDPoP: DPoPDemand, assumesPKCE: Bool = false,
        isFAPI: Bool = false, logoutChannels: Set<LogoutChannel> = []
    ) -> [(area: SuitabilityArea, problems: [SuitabilityProblem])] {
        var review: [(area: SuitabilityArea, problems: [SuitabilityProblem])] = [
            (.endpoints, endpoints(metadata)), (.codeFlow, codeFlow(metadata, assumesPKCE: assumesPKCE)),
            (.authentication, authentication(metadata, credentials)), (.form, form(metadata, settings.form)),
        ]
        if settings.form.isSigned {
            review.append((.requestObject, requestObject(metadata, settings, requestObjectAlgorithm)))
        }
        review.append((.response, response(metadata, settings.responseMode)))
        review.append((.proofs, proofs(metadata, wantsDPoP)))
        if !logoutChannels.isEmpty { review.append((.logout, logout(metadata, logoutChannels))) }
        if isFAPI { review.append((.profile, profile(metadata, settings, credentials, wantsDPoP))) }
        return review
    }

    private static func endpoints(_ metadata: ServerMetadata) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        if metadata.authorizationEndpoint == nil {
            problems.append(.init("MD-07", "logins", "authorization_endpoint is absent"))
        }
        if metadata.token.url == nil { problems.append(.init("MD-07", "logins", "token_endpoint is absent")) }
        return problems
    }

    private static func codeFlow(_ metadata: ServerMetadata, assumesPKCE: Bool) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        if let types = metadata.responseTypes, !contains(types, "code") {
            problems.append(.init("CF-01", "response_type is code", said("response_types_supported", types)))
        }
        switch metadata.codeChallengeMethods {
        case nil where assumesPKCE: break
        case nil:
            problems.append(
                .init("CF-05", "assume_pkce is false", "code_challenge_methods_supported is absent"))
        case let methods?:
            guard !contains(methods, "S256") else { break }
            problems.append(
                .init(
                    "CF-05", "code_challenge_method is S256", said("code_challenge_methods_supported", methods)))
        }
        return problems
    }

    /// The token endpoint's, which are those of pushed requests too (RFC 9126 §2).
    private static func authentication(
        _ metadata: ServerMetadata, _ credentials: ClientCredentials
    ) -> [SuitabilityProblem] {
        let methods = metadata.token.authenticationMethods
        let algorithms = metadata.token.signingAlgorithms
        do throws(ClientMethodRefusal) {
            try credentials.check(methods: methods, algorithms: algorithms)
            return []
        } catch {
            switch error {
            case .methodNotOffered(let name):
                return [
                    .init(
                        "CA-01", "authentication.method is \(name)",
                        said("token_endpoint_auth_methods_supported", methods ?? []))
                ]
            case .algorithmNotOffered(let name):
                return [
                    .init(
                        "CA-01", "the algorithm of client assertions is \(name)",
                        said("token_endpoint_auth_signing_alg_values_supported", algorithms ?? []))
                ]
            }
        }
    }

    /// What the server demands of every request, and whether it takes this form at all.
    private static func form(
        _ metadata: ServerMetadata, _ form: AuthorizationRequestSettings.Form
    ) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        let configured = "authorization_request is \(form.rawValue)"
        if metadata.requiresPushedRequests, !form.isPushed {
            problems.append(.init("PAR-06", configured, "require_pushed_authorization_requests is true"))
        }
        if metadata.requiresSignedRequestObject, !form.isSigned {
            problems.append(.init("JAR-09", configured, "require_signed_request_object is true"))
        }
        if form.isPushed, metadata.pushedAuthorization.url == nil {
            problems.append(.init("PAR-06", configured, "pushed_authorization_request_endpoint is absent"))
        }
        if form == .signedByReference, metadata.requestURIParameterSupported == false {
            problems.append(.init("JAR-09", configured, "request_uri_parameter_supported is false"))
        }
        if form == .signed || form == .pushedSigned, metadata.requestParameterSupported == false {
            problems.append(.init("JAR-09", configured, "request_parameter_supported is false"))
        }
        return problems
    }

    private static func requestObject(
        _ metadata: ServerMetadata, _ settings: AuthorizationRequestSettings, _ algorithm: SignatureAlgorithm?
    ) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        let algorithms = metadata.requestObjectSigningAlgorithms
        if let algorithm {
            if let algorithms, !contains(algorithms, algorithm) {
                problems.append(
                    .init(
                        "JAR-01", "request_object.algorithm is \(algorithm.name)",
                        said("request_object_signing_alg_values_supported", algorithms)))
            }
        } else {
            problems.append(
                .init("JAR-01", "request_object.key is absent", "authorization_request needs signed request objects"))
        }
        guard let encryption = settings.encryption else { return problems }
        for (setting, wanted, member, offered) in [
            (
                "algorithm", encryption.algorithm, "request_object_encryption_alg_values_supported",
                metadata.requestObjectEncryptionAlgorithms
            ),
            (
                "encoding", encryption.encoding, "request_object_encryption_enc_values_supported",
                metadata.requestObjectEncryptionEncodings
            ),
        ] {
            guard let offered, !contains(offered, wanted) else { continue }
            problems.append(
                .init("JAR-10", "request_object.encryption.\(setting) is \(wanted)", said(member, offered)))
        }
        return problems
    }

    private static func response(
        _ metadata: ServerMetadata, _ mode: AuthorizationRequestSettings.ResponseMode
    ) -> [SuitabilityProblem] {
        guard let modes = metadata.responseModes, !contains(modes, mode.rawValue) else { return [] }
        return [.init("MD-07", "response_mode is \(mode.rawValue)", said("response_modes_supported", modes))]
    }

    private static func proofs(_ metadata: ServerMetadata, _ demand: DPoPDemand) -> [SuitabilityProblem] {
        guard demand == .required, let algorithms = metadata.dpopSigningAlgorithms,
            !contains(algorithms, DPoPDemand.algorithm)
        else { return [] }
        return [
            .init(
                "MD-07", "dpop is required, by \(DPoPDemand.algorithm.name)",
                said("dpop_signing_alg_values_supported", algorithms))
        ]
    }

    /// Only a server that says no: several support what they do not say.
    private static func logout(_ metadata: ServerMetadata, _ channels: Set<LogoutChannel>) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        if channels.contains(.back), metadata.backchannelLogoutSupported == false {
            problems.append(.init("MD-07", "logout.backchannel is true", "backchannel_logout_supported is false"))
        }
        if channels.contains(.front), metadata.frontchannelLogoutSupported == false {
            problems.append(.init("MD-07", "logout.frontchannel is true", "frontchannel_logout_supported is false"))
        }
        return problems
    }

    /// What FAPI 2.0 wants of a server beyond what its profile wants of the settings.
    private static func profile(
        _ metadata: ServerMetadata, _ settings: AuthorizationRequestSettings, _ credentials: ClientCredentials,
        _ demand: DPoPDemand
    ) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        // §5.3.2.2: only pushed requests, whatever the server would take beside them.
        if !settings.form.isPushed {
            problems.append(
                .init("PAR-06", "authorization_request is \(settings.form.rawValue)", "profile fapi2 takes pushed ones")
            )
        }
        // §5.3.2.2: `iss` in the response; a signed response has it inside.
        if !settings.responseMode.isSigned, !metadata.sendsResponseIssuer {
            problems.append(
                .init(
                    "MD-07", "profile is fapi2, response_mode is \(settings.responseMode.rawValue)",
                    "authorization_response_iss_parameter_supported is not true"))
        }
        // §5.3.2.1: tokens are bound, by proofs or by the client's certificate.
        let isBoundByCertificate = credentials.method.usesCertificate && metadata.bindsTokensToCertificates
        if !demand.isMet(by: metadata), !isBoundByCertificate {
            let offered =
                demand == .optional
                ? "dpop_signing_alg_values_supported has no ES256"
                : "tls_client_certificate_bound_access_tokens is not true"
            problems.append(.init("MD-07", "profile is fapi2, dpop is \(demand)", offered))
        }
        return problems
    }

    static func contains(_ list: [String], _ name: String) -> Bool {
        list.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Ed25519 has two names (RFC 9864).
    static func contains(_ list: [String], _ algorithm: SignatureAlgorithm) -> Bool {
        list.contains { SignatureAlgorithm(name: $0) == algorithm }
    }

    /// A stranger's words for our log: printable ASCII, and not many of them.
    private static func said(_ member: String, _ list: [String]) -> String {
        let words = list.prefix(20).map { word in
            String(
                decoding: word.unicodeScalars.prefix(40).map { scalar in
                    scalar.value > 0x20 && scalar.value < 0x7F ? UInt8(scalar.value) : UInt8(ascii: "?")
                }, as: UTF8.self)
        }
        let rest = list.count > 20 ? " and \(list.count - 20) more" : ""
        return member + " is " + (words.isEmpty ? "empty" : words.joined(separator: " ")) + rest
    }
}
