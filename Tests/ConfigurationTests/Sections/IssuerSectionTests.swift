import Configuration
import Testing

@Suite struct `the keys of an issuer` {
    @Test func `a document without keys or with too many is no key set`() {
        let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let many = "{\"keys\":[\(Array(repeating: key, count: 101).joined(separator: ","))]}"
        let secret = #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#
        for (document, found) in [
            ("{}", "no object with a list keys"), (many, "a document that is not believed (keySetTooLarge)"),
            (secret, "private key material in the key at position 0"),
            (#"{"keys":[{"kty":"EC"}]}"#, "no usable key (the first: curveUnknown)"),
            ("{\"keys\":[\(key),\(key.dropLast()),\"d\":\"AAAA\"}]}", "private key material in the key at position 1"),
        ] {
            let sources = ConfigurationSources.scripted(environment: ["JWKS": document])
            #expect(
                refusal(of: Sample.issuer("jwks: { env: JWKS }"), from: sources)
                    == """
                    gateway.yaml:2:63: issuers.main.jwks.env: expected a JWK Set with at least one usable key, found \(found)
                        give the document that the issuer publishes as its jwks_uri (RFC 7517)
                    """)
        }
    }
}
