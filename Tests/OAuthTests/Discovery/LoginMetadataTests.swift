import OAuth
import TestTraits
import Testing

private func metadata(_ members: String = "") throws -> ServerMetadata { try Requesting.metadata(members) }

private let full = """
    "authorization_endpoint":"https://id.example/a","userinfo_endpoint":"https://id.example/u",
    "end_session_endpoint":"https://id.example/e","token_endpoint":"https://id.example/t",
    "token_endpoint_auth_methods_supported":["private_key_jwt"],
    "token_endpoint_auth_signing_alg_values_supported":["ES256"],
    "pushed_authorization_request_endpoint":"https://id.example/p","revocation_endpoint":"https://id.example/r",
    "revocation_endpoint_auth_methods_supported":["client_secret_basic"],
    "mtls_endpoint_aliases":{"pushed_authorization_request_endpoint":"https://m.example/p",
    "revocation_endpoint":"https://m.example/r"},
    "response_types_supported":["code"],"response_modes_supported":["query","jwt"],
    "code_challenge_methods_supported":["S256","plain"],
    "request_object_signing_alg_values_supported":["PS256"],
    "request_object_encryption_alg_values_supported":["RSA-OAEP"],
    "request_object_encryption_enc_values_supported":["A256GCM"],
    "request_parameter_supported":true,"request_uri_parameter_supported":false,
    "require_pushed_authorization_requests":true,"require_signed_request_object":true,
    "dpop_signing_alg_values_supported":["ES256"],"tls_client_certificate_bound_access_tokens":true,
    "authorization_response_iss_parameter_supported":true,"authorization_signing_alg_values_supported":["EdDSA"],
    "id_token_signing_alg_values_supported":["RS256"],"backchannel_logout_supported":true,
    "frontchannel_logout_supported":false
    """

@Suite struct `what a server says of logins` {
    @Test(.holds("MD-07")) func `is read member by member`() throws {
        let found = try metadata(full)
        #expect(found.authorizationEndpoint == "https://id.example/a")
        #expect(found.userInfo == "https://id.example/u")
        #expect(found.endSession == "https://id.example/e")
        #expect(found.responseTypes == ["code"])
        #expect(found.responseModes == ["query", "jwt"])
        #expect(found.codeChallengeMethods == ["S256", "plain"])
        #expect(found.requestObjectSigningAlgorithms == ["PS256"])
        #expect(found.requestObjectEncryptionAlgorithms == ["RSA-OAEP"])
        #expect(found.requestObjectEncryptionEncodings == ["A256GCM"])
        #expect(found.requestParameterSupported == true)
        #expect(found.requestURIParameterSupported == false)
        #expect(found.requiresPushedRequests)
        #expect(found.requiresSignedRequestObject)
        #expect(found.dpopSigningAlgorithms == ["ES256"])
        #expect(found.bindsTokensToCertificates)
        #expect(found.sendsResponseIssuer)
        #expect(found.responseSigningAlgorithms == ["EdDSA"])
        #expect(found.idTokenSigningAlgorithms == ["RS256"])
        #expect(found.backchannelLogoutSupported == true)
        #expect(found.frontchannelLogoutSupported == false)
    }

    @Test(.holds("CA-01", "RV-01")) func `of pushed requests and revocations is what it says of token requests`() throws
    {
        let found = try metadata(full)
        #expect(found.pushedAuthorization.url == "https://id.example/p")
        #expect(found.pushedAuthorization.authenticationMethods == ["private_key_jwt"])
        #expect(found.pushedAuthorization.signingAlgorithms == ["ES256"])
        #expect(found.revocation.url == "https://id.example/r")
        #expect(found.revocation.authenticationMethods == ["private_key_jwt"])
    }

    @Test(.holds("CA-12")) func `of clients with a certificate is where they push and revoke`() throws {
        let certificate = ClientCredentials.Method.tls(certificateFile: "/c.pem", keyFile: "/k.pem")
        let found = try metadata(full)
        #expect(found.pushedAuthorization.location(for: certificate) == "https://m.example/p")
        #expect(found.revocation.location(for: certificate) == "https://m.example/r")
    }

    @Test(.refuses("MD-07")) func `is nothing where it says nothing`() throws {
        let found = try metadata()
        #expect(found.authorizationEndpoint == nil && found.userInfo == nil && found.endSession == nil)
        #expect(found.codeChallengeMethods == nil && found.responseModes == nil && found.responseTypes == nil)
        #expect(found.requestParameterSupported == nil && found.requestURIParameterSupported == nil)
        #expect(!found.requiresPushedRequests && !found.requiresSignedRequestObject)
        #expect(!found.sendsResponseIssuer && !found.bindsTokensToCertificates)
        #expect(found.backchannelLogoutSupported == nil && found.frontchannelLogoutSupported == nil)
        #expect(found.pushedAuthorization.url == nil && found.revocation.url == nil)
    }

    @Test(.refuses("MD-07"), arguments: ["null", "\"true\"", "1", "[true]", "{}"])
    func `is not said by a value of another type`(value: String) throws {
        let found = try metadata(
            "\"require_signed_request_object\":\(value),\"authorization_response_iss_parameter_supported\":\(value),"
                + "\"code_challenge_methods_supported\":\(value),\"request_uri_parameter_supported\":\(value)")
        #expect(!found.requiresSignedRequestObject && !found.sendsResponseIssuer)
        #expect(found.codeChallengeMethods == nil)
        #expect(found.requestURIParameterSupported == nil)
    }

    @Test(
        .refuses("MD-04"),
        arguments: ["authorization_endpoint", "pushed_authorization_request_endpoint", "end_session_endpoint"])
    func `discards the document when an endpoint is no https URL`(member: String) throws {
        #expect(throws: MetadataRefusal.endpointNotHTTPS(member: member)) {
            try metadata("\"\(member)\":\"http://id.example/x\"")
        }
    }
}
