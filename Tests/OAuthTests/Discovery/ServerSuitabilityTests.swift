import Crypto
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private typealias Given = Requesting
private typealias Settings = AuthorizationRequestSettings

/// One server's document as members, and one client.
private struct Case {
    /// A server that offers everything, by lists that say so.
    var members: [String: String?] = [
        "authorization_endpoint": "\"https://tenant.example/authorize\"",
        "token_endpoint": "\"https://tenant.example/token\"",
        "pushed_authorization_request_endpoint": "\"https://tenant.example/par\"",
        "response_types_supported": "[\"code\",\"id_token\"]",
        "response_modes_supported": "[\"query\",\"form_post\",\"query.jwt\",\"form_post.jwt\",\"jwt\"]",
        "code_challenge_methods_supported": "[\"S256\",\"plain\"]",
        "token_endpoint_auth_methods_supported": "[\"private_key_jwt\",\"client_secret_basic\",\"tls_client_auth\"]",
        "token_endpoint_auth_signing_alg_values_supported": "[\"ES256\",\"PS256\"]",
        "request_object_signing_alg_values_supported": "[\"ES256\",\"PS256\",\"RS256\"]",
        "request_object_encryption_alg_values_supported": "[\"RSA-OAEP-256\"]",
        "request_object_encryption_enc_values_supported": "[\"A256GCM\"]",
        "request_parameter_supported": "true", "request_uri_parameter_supported": "true",
        "dpop_signing_alg_values_supported": "[\"ES256\"]",
        "authorization_response_iss_parameter_supported": "true",
        "tls_client_certificate_bound_access_tokens": "true",
    ]
    var settings = Settings()
    var method: ClientCredentials.Method?
    var algorithm: SignatureAlgorithm? = .es256
    var dpop = DPoPDemand.off
    var assumesPKCE = false
    var isFAPI = false
    var logoutChannels: Set<LogoutChannel> = []
    var more: (inout LoginDemands) -> Void = { _ in }

    func problems() throws -> [SuitabilityProblem] {
        let text = members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return ServerSuitability.review(of: try Given.metadata(text.joined(separator: ",")), for: try demands())
            .flatMap(\.problems)
    }

    func demands() throws -> LoginDemands {
        var demands = LoginDemands(
            settings: settings,
            credentials: try ClientCredentials(
                clientID: Given.clientID, method: method ?? .privateKeyJWT(Given.signer())))
        demands.requestObjectAlgorithm = algorithm
        demands.wantsDPoP = dpop
        demands.assumesPKCE = assumesPKCE
        demands.isFAPI = isFAPI
        demands.logoutChannels = logoutChannels
        more(&demands)
        return demands
    }

    /// What stands against it with some members changed, or taken away where the text is nil.
    func rows(_ changes: [String: String?] = [:]) throws -> [String] {
        var changed = self
        for (name, value) in changes { changed.members[name] = .some(value) }
        return try changed.problems().map(\.check)
    }
}

private func form(_ form: AuthorizationRequestSettings.Form) -> Case { Case(settings: Settings(form: form)) }

@Suite struct `a server that offers all that is asked of it` {
    @Test(.holds("MD-07"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `suits every form`(given: AuthorizationRequestSettings.Form) throws {
        #expect(try form(given).problems().isEmpty)
    }

    @Test(.holds("MD-07")) func `suits a client that wants everything`() throws {
        for mode in AuthorizationRequestSettings.ResponseMode.allCases {
            var settings = Settings(form: .pushedSigned, responseMode: mode)
            settings.encryption = .init(algorithm: "RSA-OAEP-256", encoding: "A256GCM")
            #expect(try Case(settings: settings, dpop: .required, isFAPI: true).problems().isEmpty)
        }
    }

    @Test(.holds("MD-07")) func `suits where it says little: the operator's word stands`() throws {
        let silent = [
            "response_types_supported", "response_modes_supported", "token_endpoint_auth_methods_supported",
            "token_endpoint_auth_signing_alg_values_supported", "request_object_signing_alg_values_supported",
            "request_object_encryption_alg_values_supported", "request_object_encryption_enc_values_supported",
            "request_parameter_supported", "request_uri_parameter_supported", "dpop_signing_alg_values_supported",
            "authorization_response_iss_parameter_supported",
        ]
        let changes = Dictionary(uniqueKeysWithValues: silent.map { ($0, String?.none) })
        for form in AuthorizationRequestSettings.Form.allCases {
            var settings = Settings(form: form, responseMode: .formPostJWT)
            settings.encryption = .init(algorithm: "ECDH-ES", encoding: "A128GCM")
            #expect(try Case(settings: settings, dpop: .required).rows(changes).isEmpty)
        }
    }
}

@Suite struct `a server in use` {
    /// What glewlwyd 2.7.5 says, whose code flow knows all of this.
    private static let members = """
        "authorization_endpoint":"https://as.example/api/oidc/auth","token_endpoint":"https://as.example/api/oidc/token",
        "pushed_authorization_request_endpoint":"https://as.example/api/oidc/par",
        "response_types_supported":["code","id_token","code id_token","client_credentials","refresh_token"],
        "response_modes_supported":["query","fragment","form_post","query.jwt","fragment.jwt","form_post.jwt","jwt"],
        "code_challenge_methods_supported":["S256"],"request_parameter_supported":true,
        "request_uri_parameter_supported":true,"require_pushed_authorization_requests":false,
        "token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","client_secret_jwt",
        "private_key_jwt"],"token_endpoint_auth_signing_alg_values_supported":["HS256","RS256","ES256","PS256","EdDSA"],
        "revocation_endpoint_auth_methods_supported":["client_secret_basic","bearer"],
        "request_object_signing_alg_values_supported":["HS256","RS256","RS384","ES256","EdDSA","PS256"],
        "dpop_signing_alg_values_supported":["RS256","ES256","EdDSA"]
        """

    @Test(.holds("MD-07"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `suits every form, response and client that it knows`(form: AuthorizationRequestSettings.Form) throws {
        let secret = Authenticating.secret(Authenticating.secret)
        for mode in AuthorizationRequestSettings.ResponseMode.allCases {
            for method in [
                ClientCredentials.Method.secretBasic(secret), .secretPost(secret), .secretJWT(.hs256, secret),
                .privateKeyJWT(try Given.signer()),
            ] {
                var demands = LoginDemands(
                    settings: Settings(form: form, responseMode: mode),
                    credentials: try ClientCredentials(clientID: "app", method: method))
                demands.requestObjectAlgorithm = .es256
                demands.wantsDPoP = .required
                demands.logoutChannels = [.back, .front]
                let found = ServerSuitability.review(of: try Given.metadata(Self.members), for: demands)
                #expect(found.flatMap(\.problems).isEmpty)
            }
        }
    }
}

@Suite struct `a server that does not suit` {
    @Test(.refuses("MD-07"), arguments: ["authorization_endpoint", "token_endpoint"])
    func `has no endpoint for logins`(member: String) throws {
        #expect(try Case().rows([member: nil]) == ["MD-07"])
    }

    @Test(.refuses("CF-01")) func `hands out no codes`() throws {
        #expect(try Case().rows(["response_types_supported": "[\"id_token\",\"code id_token\"]"]) == ["CF-01"])
    }

    @Test(.holds("CF-05"), .refuses("CF-05")) func `does not say that it knows S256, unless the operator says so`()
        throws
    {
        #expect(try Case().rows(["code_challenge_methods_supported": nil]) == ["CF-05"])
        #expect(try Case(assumesPKCE: true).rows(["code_challenge_methods_supported": nil]).isEmpty)
    }

    @Test(.refuses("CF-05"), arguments: ["[]", "[\"plain\"]", "[\"s256\"]", "[\"S256 \"]"])
    func `says that it does not know S256, whatever the operator says`(methods: String) throws {
        for assumes in [false, true] {
            #expect(try Case(assumesPKCE: assumes).rows(["code_challenge_methods_supported": methods]) == ["CF-05"])
        }
    }

    @Test(.refuses("CA-01"), arguments: ["[]", "[\"client_secret_post\"]", "[\"PRIVATE_KEY_JWT\"]"])
    func `does not take the configured method, and is asked by no other`(methods: String) throws {
        #expect(try Case().rows(["token_endpoint_auth_methods_supported": methods]) == ["CA-01"])
    }

    @Test(.refuses("CA-01")) func `does not take the algorithm of assertions`() throws {
        let member = "token_endpoint_auth_signing_alg_values_supported"
        #expect(try Case().rows([member: "[\"RS256\"]"]) == ["CA-01"])
        let secret = ClientCredentials.Method.secretBasic(Authenticating.secret("hush"))
        #expect(try Case(method: secret).rows([member: "[\"RS256\"]"]).isEmpty)
    }

    @Test(
        .holds("PAR-06"), .refuses("PAR-06"),
        arguments: [AuthorizationRequestSettings.Form.plain, .signed, .signedByReference])
    func `takes only pushed requests`(given: AuthorizationRequestSettings.Form) throws {
        let member = "require_pushed_authorization_requests"
        #expect(try form(given).rows([member: "true"]) == ["PAR-06"])
        #expect(try form(given).rows([member: "false"]).isEmpty)
        #expect(try form(.pushed).rows([member: "true"]).isEmpty)
    }

    @Test(.refuses("PAR-06"), arguments: [AuthorizationRequestSettings.Form.pushed, .pushedSigned])
    func `takes no pushed requests`(given: AuthorizationRequestSettings.Form) throws {
        #expect(try form(given).rows(["pushed_authorization_request_endpoint": nil]) == ["PAR-06"])
    }

    @Test(.holds("JAR-09"), .refuses("JAR-09"), arguments: [AuthorizationRequestSettings.Form.plain, .pushed])
    func `takes only signed requests`(given: AuthorizationRequestSettings.Form) throws {
        let member = "require_signed_request_object"
        #expect(try form(given).rows([member: "true"]) == ["JAR-09"])
        #expect(try form(.pushedSigned).rows([member: "true"]).isEmpty)
    }

    @Test(.holds("JAR-09"), .refuses("JAR-09")) func `takes no objects in this form`() throws {
        #expect(try form(.signed).rows(["request_parameter_supported": "false"]) == ["JAR-09"])
        #expect(try form(.pushedSigned).rows(["request_parameter_supported": "false"]) == ["JAR-09"])
        #expect(try form(.signedByReference).rows(["request_uri_parameter_supported": "false"]) == ["JAR-09"])
        // A reference that the server itself gives is another thing (RFC 9126 §2.2).
        #expect(try form(.pushedSigned).rows(["request_uri_parameter_supported": "false"]).isEmpty)
        #expect(try form(.plain).rows(["request_parameter_supported": "false"]).isEmpty)
    }

    @Test(.refuses("JAR-01"), arguments: ["[\"none\"]", "[]", "[\"none\",\"RS256\",\"HS256\"]", "[\"es256\"]"])
    func `takes no objects by the algorithm of our key, and gets no unsigned ones`(algorithms: String) throws {
        let member = "request_object_signing_alg_values_supported"
        for given in [AuthorizationRequestSettings.Form.signed, .signedByReference, .pushedSigned] {
            #expect(try form(given).rows([member: algorithms]) == ["JAR-01"])
        }
        #expect(try form(.pushed).rows([member: algorithms]).isEmpty)
    }

    @Test(.holds("JAR-01"), arguments: ["EdDSA", "Ed25519"])
    func `may call Ed25519 by either name`(name: String) throws {
        var given = form(.signed)
        given.algorithm = .edDSA
        #expect(try given.rows(["request_object_signing_alg_values_supported": "[\"\(name)\"]"]).isEmpty)
    }

    @Test(.refuses("JAR-01")) func `gets no objects where there is no key for them`() throws {
        var given = form(.pushedSigned)
        given.algorithm = nil
        #expect(try given.rows() == ["JAR-01"])
    }

    @Test(.refuses("JAR-10")) func `takes no objects encrypted so`() throws {
        for encryption in [
            Settings.Encryption(algorithm: "ECDH-ES", encoding: "A256GCM"),
            Settings.Encryption(algorithm: "RSA-OAEP-256", encoding: "A128GCM"),
        ] {
            var signed = Settings(form: .signed)
            signed.encryption = encryption
            var pushed = Settings(form: .pushed)
            pushed.encryption = encryption
            #expect(try Case(settings: signed).rows() == ["JAR-10"])
            #expect(try Case(settings: pushed).rows().isEmpty)
        }
    }

    @Test(.refuses("MD-07"), arguments: AuthorizationRequestSettings.ResponseMode.allCases)
    func `answers in no such way`(mode: AuthorizationRequestSettings.ResponseMode) throws {
        let given = Case(settings: Settings(responseMode: mode))
        #expect(try given.rows(["response_modes_supported": "[\"fragment\"]"]) == ["MD-07"])
    }

    @Test(.holds("MD-07"), .refuses("MD-07")) func `takes proofs by other algorithms than ours alone`() throws {
        let member = "dpop_signing_alg_values_supported"
        #expect(try Case(dpop: .required).rows([member: "[\"RS256\"]"]) == ["MD-07"])
        #expect(try Case(dpop: .optional).rows([member: "[\"RS256\"]"]).isEmpty)
        #expect(try Case(dpop: .off).rows([member: "[\"RS256\"]"]).isEmpty)
    }

    @Test(.holds("MD-07"), .refuses("MD-07")) func `does not end sessions here by a channel that it says it has not`()
        throws
    {
        let member = ["back": "backchannel_logout_supported", "front": "frontchannel_logout_supported"]
        for (channel, name) in [(LogoutChannel.back, "back"), (.front, "front")] {
            let given = Case(logoutChannels: [channel])
            #expect(try given.rows([member[name] ?? "": "false"]) == ["MD-07"])
            #expect(try given.rows([member[name] ?? "": "true"]).isEmpty)
            #expect(try given.rows().isEmpty)
            #expect(try Case().rows([member[name] ?? "": "false"]).isEmpty)
        }
    }

    @Test func `says everything at once, and what it says is printable`() throws {
        let given = Case(settings: Settings(form: .signed, responseMode: .jwt), dpop: .required)
        let list = "[\"" + String(repeating: "x", count: 100) + "\",\"\\r\\n\\u001b[31mü\"]"
        let many = "[" + (0..<50).map { "\"m\($0)\"" }.joined(separator: ",") + "]"
        let found = try given.with([
            "code_challenge_methods_supported": list, "request_object_signing_alg_values_supported": list,
            "response_modes_supported": many, "dpop_signing_alg_values_supported": "[]",
        ]).problems()
        #expect(found.map(\.check) == ["CF-05", "JAR-01", "MD-07", "MD-07"])
        for problem in found {
            for text in [problem.configured, problem.offered] {
                #expect(text.utf8.count < 500)
                #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
            }
        }
        #expect(found[1].configured == "request_object.algorithm is ES256")
        #expect(found[2].offered.hasSuffix("m19 and 30 more"))
        #expect(found[3].offered == "dpop_signing_alg_values_supported is empty")
    }
}

extension Case {
    fileprivate func with(_ changes: [String: String]) -> Case {
        var changed = self
        for (name, value) in changes { changed.members[name] = value }
        return changed
    }
}

@Suite struct `a server for the FAPI 2.0 profile` {
    private func given(_ settings: Settings = Settings(form: .pushedSigned, responseMode: .jwt)) -> Case {
        Case(settings: settings, dpop: .required, isFAPI: true)
    }

    @Test(.refuses("PAR-06"), arguments: [AuthorizationRequestSettings.Form.plain, .signed, .signedByReference])
    func `gets only pushed requests`(form: AuthorizationRequestSettings.Form) throws {
        #expect(try given(Settings(form: form, responseMode: .jwt)).rows() == ["PAR-06"])
    }

    @Test(.holds("MD-07"), .refuses("MD-07")) func `says who it is in its response, or signs it`() throws {
        let silent = ["authorization_response_iss_parameter_supported": String?.none]
        #expect(try given().rows(silent).isEmpty)
        #expect(try given(Settings(form: .pushed)).rows(silent) == ["MD-07"])
        #expect(try given(Settings(form: .pushed)).rows().isEmpty)
    }

    @Test(.holds("MD-07"), .refuses("MD-07")) func `binds its tokens, by proofs or by certificates`() throws {
        var unbound = given()
        unbound.dpop = .off
        #expect(try unbound.rows() == ["MD-07"])
        unbound.method = .tls(certificateFile: "/c.pem", keyFile: "/k.pem")
        #expect(try unbound.rows().isEmpty)
        #expect(try unbound.rows(["tls_client_certificate_bound_access_tokens": nil]) == ["MD-07"])
        unbound.dpop = .optional
        unbound.method = nil
        #expect(try unbound.rows().isEmpty)
        #expect(try unbound.rows(["dpop_signing_alg_values_supported": nil]) == ["MD-07"])
    }
}

@Suite struct `proofs of possession` {
    @Test(.holds("MD-07")) func `are sent where they are wanted and the server says that it takes ours`() throws {
        let offers = try Given.metadata("\"dpop_signing_alg_values_supported\":[\"RS256\",\"ES256\"]")
        #expect(DPoPDemand.optional.isMet(by: offers))
        #expect(DPoPDemand.required.isMet(by: offers))
        #expect(!DPoPDemand.off.isMet(by: offers))
    }

    @Test(.holds("MD-07"), .refuses("MD-07"))
    func `are not tried at a server that does not say so, unless they are required`() throws {
        for server in [
            try Given.metadata(), try Given.metadata("\"dpop_signing_alg_values_supported\":[\"RS256\"]"),
        ] {
            #expect(!DPoPDemand.optional.isMet(by: server))
            #expect(DPoPDemand.required.isMet(by: server))
        }
    }
}
