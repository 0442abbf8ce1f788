import HTTPMessage
import JOSE

/// How a server ends sessions here.
public enum LogoutChannel: Sendable, Hashable {
    /// OpenID Connect Back-Channel Logout.
    case back
    /// OpenID Connect Front-Channel Logout.
    case front
}

/// What of a client's configuration is held against a server's metadata, each in one step.
public enum SuitabilityArea: Sendable, Hashable, CaseIterable {
    case endpoints, codeFlow, authentication, form, requestObject, response, idToken, proofs
    /// Claims that a login goes on without.
    case optionalUserInfo
    case logout, profile

    /// Whether a login cannot go on without what is missing here.
    public var isNeededForLogins: Bool {
        switch self {
        case .optionalUserInfo, .logout: false
        case .endpoints, .codeFlow, .authentication, .form, .requestObject, .response, .idToken, .proofs, .profile: true
        }
    }
}

/// Whether a server offers what a client is configured to ask of it: capabilities are enforced, not guessed (MD-07).
///
/// Where a server does not say, the operator's word stands — but for PKCE, without which a stolen code can be used
/// (CF-05). What a server says is never answered with something weaker than what is configured.
public enum ServerSuitability {
    /// Everything that stands against a login of this client at this server; empty when nothing does.
    public static func problems(of metadata: ServerMetadata, for demands: LoginDemands) -> [SuitabilityProblem] {
        review(of: metadata, for: demands).flatMap { $0.area.isNeededForLogins ? $0.problems : [] }
    }

    /// The same with the areas in which nothing was found, and with what logins go on without; areas that the settings
    /// leave unused are left out.
    public static func review(
        of metadata: ServerMetadata, for demands: LoginDemands
    ) -> [(area: SuitabilityArea, problems: [SuitabilityProblem])] {
        let (settings, credentials) = (demands.settings, demands.credentials)
        var review: [(area: SuitabilityArea, problems: [SuitabilityProblem])] = [
            (.endpoints, endpoints(metadata, demands)),
            (.codeFlow, codeFlow(metadata, assumesPKCE: demands.assumesPKCE)),
            (.authentication, authentication(metadata, credentials)), (.form, form(metadata, settings.form)),
        ]
        if settings.form.isSigned {
            review.append((.requestObject, requestObject(metadata, settings, demands.requestObjectAlgorithm)))
        }
        review.append((.response, response(metadata, demands)))
        if let idToken = demands.idToken { review.append((.idToken, self.idToken(metadata, idToken, demands))) }
        review.append((.proofs, proofs(metadata, demands.wantsDPoP)))
        if demands.userInfo == .optional {
            let lacking = refusedUserInfo(metadata, demands)
            if !lacking.isEmpty { review.append((.optionalUserInfo, lacking)) }
        }
        let logout = logout(metadata, demands)
        if !demands.logoutChannels.isEmpty || !logout.isEmpty { review.append((.logout, logout)) }
        if demands.isFAPI { review.append((.profile, profile(metadata, settings, credentials, demands.wantsDPoP))) }
        return review
    }

    private static func endpoints(_ metadata: ServerMetadata, _ demands: LoginDemands) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        if metadata.authorizationEndpoint == nil {
            problems.append(.init(.authorizationEndpoint, "authorization_endpoint is absent"))
        }
        if metadata.token.url == nil { problems.append(.init(.tokenEndpoint, "token_endpoint is absent")) }
        if demands.userInfo == .required, metadata.userInfo == nil {
            problems.append(.init(.userInfoEndpoint, "userinfo_endpoint is absent"))
        }
        let method = demands.credentials.method
        problems += refused(metadata.token.place("token_endpoint", for: method), demands)
        if demands.settings.form.isPushed {
            let name = "pushed_authorization_request_endpoint"
            problems += refused(metadata.pushedAuthorization.place(name, for: method), demands)
        }
        if demands.userInfo == .required { problems += refusedUserInfo(metadata, demands) }
        return problems
    }

    private static func refusedUserInfo(_ metadata: ServerMetadata, _ demands: LoginDemands) -> [SuitabilityProblem] {
        refused(metadata.userInfo.map { ("userinfo_endpoint", $0) }, demands)
    }

    /// A URL that no request would be sent to, found out before anybody signs in (MD-08).
    private static func refused(
        _ place: (member: String, url: String)?, _ demands: LoginDemands
    ) -> [SuitabilityProblem] {
        guard let place, let ports = demands.ports, let uri = URI(place.url), !ports.permit(uri) else { return [] }
        return [.init(.port(ports), "\(place.member) is \(printable(place.url, 200))")]
    }

    private static func codeFlow(_ metadata: ServerMetadata, assumesPKCE: Bool) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        if let types = metadata.responseTypes, !contains(types, "code") {
            problems.append(.init(.codeFlow, said("response_types_supported", types)))
        }
        switch metadata.codeChallengeMethods {
        case nil where assumesPKCE: break
        case nil:
            problems.append(.init(.statementOfPKCE, "code_challenge_methods_supported is absent"))
        case let methods?:
            guard !contains(methods, "S256") else { break }
            problems.append(.init(.codeChallengeS256, said("code_challenge_methods_supported", methods)))
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
                        .authenticationMethod(name),
                        said("token_endpoint_auth_methods_supported", methods ?? []))
                ]
            case .algorithmNotOffered(let name):
                return [
                    .init(
                        .assertionAlgorithm(name),
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
        if metadata.requiresPushedRequests, !form.isPushed {
            problems.append(.init(.pushedRequest(form), "require_pushed_authorization_requests is true"))
        }
        if metadata.requiresSignedRequestObject, !form.isSigned {
            problems.append(.init(.requestObject(form), "require_signed_request_object is true"))
        }
        if form.isPushed, metadata.pushedAuthorization.url == nil {
            problems.append(.init(.pushedRequest(form), "pushed_authorization_request_endpoint is absent"))
        }
        if form == .signedByReference, metadata.requestURIParameterSupported == false {
            problems.append(.init(.requestObject(form), "request_uri_parameter_supported is false"))
        }
        if form == .signed || form == .pushedSigned, metadata.requestParameterSupported == false {
            problems.append(.init(.requestObject(form), "request_parameter_supported is false"))
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
                        .requestObjectAlgorithm(algorithm),
                        said("request_object_signing_alg_values_supported", algorithms)))
            }
        } else {
            problems.append(.init(.requestObjectKey))
        }
        guard let encryption = settings.encryption else { return problems }
        let (keyManagement, content) = (
            metadata.requestObjectEncryptionAlgorithms, metadata.requestObjectEncryptionEncodings
        )
        if let keyManagement, !contains(keyManagement, encryption.algorithm) {
            problems.append(
                .init(
                    .requestObjectKeyManagement(encryption.algorithm),
                    said("request_object_encryption_alg_values_supported", keyManagement)))
        }
        if let content, !contains(content, encryption.encoding) {
            problems.append(
                .init(
                    .requestObjectEncoding(encryption.encoding),
                    said("request_object_encryption_enc_values_supported", content)))
        }
        return problems
    }

    private static func response(_ metadata: ServerMetadata, _ demands: LoginDemands) -> [SuitabilityProblem] {
        let mode = demands.settings.responseMode
        if let modes = metadata.responseModes, !contains(modes, mode.rawValue) {
            return [.init(.responseMode(mode), said("response_modes_supported", modes))]
        }
        guard mode.isSigned, let response = demands.response else { return [] }
        return signature(
            .response, response.signature, "authorization_signing_alg_values_supported",
            metadata.responseSigningAlgorithms)
            + encryption(
                .response, response, "authorization_encryption_alg_values_supported",
                metadata.responseEncryptionAlgorithms, demands)
    }

    private static func idToken(
        _ metadata: ServerMetadata, _ idToken: LoginDemands.Made, _ demands: LoginDemands
    ) -> [SuitabilityProblem] {
        signature(
            .idToken, idToken.signature, "id_token_signing_alg_values_supported",
            metadata.idTokenSigningAlgorithms)
            + encryption(
                .idToken, idToken, "id_token_encryption_alg_values_supported",
                metadata.idTokenEncryptionAlgorithms, demands)
    }

    /// A server that signs by none of the configured algorithms would send what nobody here takes.
    private static func signature(
        _ token: SuitabilityProblem.Token, _ signature: IDTokenRules.Signature, _ member: String,
        _ offered: [String]?
    ) -> [SuitabilityProblem] {
        guard let offered else { return [] }
        let isOffered =
            switch signature {
            case .algorithms(let algorithms): algorithms.contains { contains(offered, $0) }
            case .secret(let algorithm, _): contains(offered, algorithm.name)
            }
        return isOffered ? [] : [.init(.signature(of: token, by: signature.names), said(member, offered))]
    }

    private static func encryption(
        _ token: SuitabilityProblem.Token, _ made: LoginDemands.Made, _ member: String, _ offered: [String]?,
        _ demands: LoginDemands
    ) -> [SuitabilityProblem] {
        guard made.mustBeEncrypted, let offered,
            !demands.decryptionAlgorithms.contains(where: { contains(offered, $0) })
        else { return [] }
        return [.init(.encryption(of: token, by: demands.decryptionAlgorithms), said(member, offered))]
    }

    private static func proofs(_ metadata: ServerMetadata, _ demand: DPoPDemand) -> [SuitabilityProblem] {
        guard demand == .required, let algorithms = metadata.dpopSigningAlgorithms,
            !contains(algorithms, DPoPDemand.algorithm)
        else { return [] }
        return [.init(.proofs(by: DPoPDemand.algorithm), said("dpop_signing_alg_values_supported", algorithms))]
    }

    /// Only a server that says no: several support what they do not say.
    ///
    /// Tokens that cannot be revoked belong here too.
    private static func logout(_ metadata: ServerMetadata, _ demands: LoginDemands) -> [SuitabilityProblem] {
        let channels = demands.logoutChannels
        var problems: [SuitabilityProblem] = []
        if channels.contains(.back), metadata.backchannelLogoutSupported == false {
            problems.append(.init(.logout(.back), "backchannel_logout_supported is false"))
        }
        if channels.contains(.front), metadata.frontchannelLogoutSupported == false {
            problems.append(.init(.logout(.front), "frontchannel_logout_supported is false"))
        }
        return problems
            + refused(metadata.revocation.place("revocation_endpoint", for: demands.credentials.method), demands)
    }

    /// What FAPI 2.0 wants of a server beyond what its profile wants of the settings.
    private static func profile(
        _ metadata: ServerMetadata, _ settings: AuthorizationRequestSettings, _ credentials: ClientCredentials,
        _ demand: DPoPDemand
    ) -> [SuitabilityProblem] {
        var problems: [SuitabilityProblem] = []
        // §5.3.2.2: only pushed requests, whatever the server would take beside them.
        if !settings.form.isPushed {
            problems.append(.init(.pushedRequestOfProfile(settings.form)))
        }
        // §5.3.2.2: `iss` in the response; a signed response has it inside.
        if !settings.responseMode.isSigned, !metadata.sendsResponseIssuer {
            problems.append(
                .init(
                    .responseIssuer(settings.responseMode), "authorization_response_iss_parameter_supported is not true"
                ))
        }
        // §5.3.2.1: tokens are bound, by proofs or by the client's certificate.
        let isBoundByCertificate = credentials.method.usesCertificate && metadata.bindsTokensToCertificates
        if !demand.isMet(by: metadata), !isBoundByCertificate {
            let offered =
                demand == .optional
                ? "dpop_signing_alg_values_supported has no ES256"
                : "tls_client_certificate_bound_access_tokens is not true"
            problems.append(.init(.boundTokens(demand), offered))
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
        let words = list.prefix(20).map { printable($0, 40) }
        let rest = list.count > 20 ? " and \(list.count - 20) more" : ""
        return member + " is " + (words.isEmpty ? "empty" : words.joined(separator: " ")) + rest
    }

    private static func printable(_ text: String, _ limit: Int) -> String {
        String(
            decoding: text.unicodeScalars.prefix(limit).map { scalar in
                scalar.value > 0x20 && scalar.value < 0x7F ? UInt8(scalar.value) : UInt8(ascii: "?")
            }, as: UTF8.self)
    }
}
