import Crypto
import HTTPMessage
import OAuth
import TestTraits
import Testing

private let issuer = "https://id.example.com"
private let secret = ClientCredentials.Method.secretBasic(Secret(Array("hush".utf8)))
private let certificate = ClientCredentials.Method.tls(certificateFile: "/c.pem", keyFile: "/k.pem")

private func metadata(
    _ members: String = "", keySetLocation: ServerMetadata.KeySetLocation = .required, jwksURI: Bool = true
) throws -> ServerMetadata {
    let keys = jwksURI ? ",\"jwks_uri\":\"https://id.example.com/keys\"" : ""
    let body = "{\"issuer\":\"\(issuer)\"\(keys)\(members.isEmpty ? "" : "," + members)}"
    return try ServerMetadata.accept(
        FetchResponse(status: 200, contentType: "application/json", body: Array(body.utf8)),
        issuer: IssuerIdentifier(issuer), keySetLocation: keySetLocation)
}

@Suite struct `an endpoint of a server` {
    private static let full = """
        "token_endpoint":"https://id.example.com/token",
        "token_endpoint_auth_methods_supported":["private_key_jwt","tls_client_auth"],
        "token_endpoint_auth_signing_alg_values_supported":["PS256","ES256"],
        "introspection_endpoint":"https://id.example.com/introspect",
        "introspection_endpoint_auth_methods_supported":["client_secret_basic"],
        "introspection_endpoint_auth_signing_alg_values_supported":["EdDSA"],
        "mtls_endpoint_aliases":{"token_endpoint":"https://mtls.example.com/token",
        "introspection_endpoint":"https://mtls.example.com/introspect"}
        """

    @Test(.holds("MD-07")) func `is what the metadata says of it, each member with its own endpoint`() throws {
        let found = try metadata(Self.full)
        #expect(found.token.url == "https://id.example.com/token")
        #expect(found.token.mutualTLSAlias == "https://mtls.example.com/token")
        #expect(found.token.authenticationMethods == ["private_key_jwt", "tls_client_auth"])
        #expect(found.token.signingAlgorithms == ["PS256", "ES256"])
        #expect(found.introspection.url == "https://id.example.com/introspect")
        #expect(found.introspection.mutualTLSAlias == "https://mtls.example.com/introspect")
        #expect(found.introspection.authenticationMethods == ["client_secret_basic"])
        #expect(found.introspection.signingAlgorithms == ["EdDSA"])
    }

    @Test(.refuses("MD-07")) func `is nothing where the metadata says nothing`() throws {
        let found = try metadata()
        #expect(found.introspection.url == nil)
        #expect(found.introspection.mutualTLSAlias == nil)
        #expect(found.introspection.authenticationMethods == nil)
        #expect(found.introspection.signingAlgorithms == nil)
        #expect(found.introspection.location(for: secret) == nil)
        #expect(found.introspection.location(for: certificate) == nil)
    }

    @Test(arguments: ["null", "\"private_key_jwt\"", "[\"private_key_jwt\",1]", "{}"])
    func `has no known methods where their list is none`(list: String) throws {
        let found = try metadata("\"introspection_endpoint_auth_methods_supported\":\(list)")
        #expect(found.introspection.authenticationMethods == nil)
    }

    @Test(.holds("CA-12")) func `with an alias is sought there with a certificate alone`() throws {
        let endpoint = try metadata(Self.full).introspection
        #expect(endpoint.location(for: certificate) == "https://mtls.example.com/introspect")
        #expect(endpoint.location(for: secret) == "https://id.example.com/introspect")
    }

    @Test(.holds("CA-12")) func `without an alias is sought at its ordinary place with a certificate too`() throws {
        let endpoint = try metadata("\"introspection_endpoint\":\"https://id.example.com/i\"").introspection
        #expect(endpoint.location(for: certificate) == "https://id.example.com/i")
    }

    @Test(.refuses("MD-04")) func `behind an alias that is no https URL discards the document`() throws {
        #expect(throws: MetadataRefusal.endpointNotHTTPS(member: "introspection_endpoint")) {
            try metadata("\"mtls_endpoint_aliases\":{\"introspection_endpoint\":\"http://a.example/i\"}")
        }
    }

    @Test func `without a key set location is read where the keys come from elsewhere, and only there`() throws {
        let found = try metadata(
            "\"token_endpoint\":\"https://a.example/t\"", keySetLocation: .optional, jwksURI: false)
        #expect(found.jwksURI == nil)
        #expect(found.token.url == "https://a.example/t")
        #expect(throws: MetadataRefusal.keySetLocationMissing) { try metadata(jwksURI: false) }
    }
}
