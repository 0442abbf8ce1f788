import TestTraits
import Testing

@Suite struct `the FAPI 2.0 profile of a login that does not load` {
    @Test(.refuses("PAR-06")) func `a request that is not pushed is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    authorization_request: signed
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:28: clients.shop.authorization_request: expected pushed_signed for profile: fapi2, found signed
                        requests are signed and pushed (FAPI 2.0 section 5.3.2.2, Message Signing section 5.3); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("PAR-06")) func `a request that is pushed unsigned is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    authorization_request: pushed
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:28: clients.shop.authorization_request: expected pushed_signed for profile: fapi2, found pushed
                        requests are signed and pushed (FAPI 2.0 section 5.3.2.2, Message Signing section 5.3); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("CA-01")) func `a shared secret is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    request_object: { key: { file: request.key } }
                    """))
                    == """
                    gateway.yaml:8:31: clients.shop.authentication.method: expected private_key_jwt, tls_client_auth or self_signed_tls_client_auth for profile: fapi2, found client_secret_basic
                        a secret that two sides know is not enough (FAPI 2.0 section 5.3.3.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("CA-05")) func `RS256 is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "profile: fapi2",
                    authentication: "method: private_key_jwt, key: { file: rsa.key }, algorithm: RS256"))
                    == """
                    gateway.yaml:8:83: clients.shop.authentication.algorithm: expected PS256, ES256 or EdDSA for profile: fapi2, found RS256
                        the others are not allowed (FAPI 2.0 section 5.4.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("CA-06")) func `an assertion for an endpoint is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    "profile: fapi2",
                    authentication: "method: private_key_jwt, key: { file: signing.key }, audience: endpoint"))
                    == """
                    gateway.yaml:8:86: clients.shop.authentication.audience: expected issuer for profile: fapi2, found endpoint
                        an assertion names the issuer alone (FAPI 2.0 section 5.3.3.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("JAR-01")) func `a request object by RS256 is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    request_object: { key: { file: rsa.key }, algorithm: RS256 }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:58: clients.shop.request_object.algorithm: expected request objects signed by PS256, ES256 or EdDSA for profile: fapi2, found RS256
                        the others are not allowed (FAPI 2.0 section 5.4.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("CF-28")) func `an unsigned response is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    response_mode: form_post
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:20: clients.shop.response_mode: expected jwt, query.jwt or form_post.jwt for profile: fapi2, found form_post
                        responses are signed (Message Signing section 5.4); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("DPOP-40")) func `tokens that are bound to nothing are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    dpop: off
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:11: clients.shop.dpop: expected required for profile: fapi2, found off
                        tokens are bound to a key (FAPI 2.0 section 5.3.2.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("DPOP-40")) func `tokens that may be bound are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    dpop: optional
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:11: clients.shop.dpop: expected required for profile: fapi2, found optional
                        tokens are bound to a key (FAPI 2.0 section 5.3.2.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("OIDC-05")) func `ID tokens by RS256 are refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    id_token: { algorithm: [ES256, RS256] }
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:36: clients.shop.id_token.algorithm[1]: expected PS256, ES256 or EdDSA for profile: fapi2, found RS256
                        the others are not allowed (FAPI 2.0 section 5.4.1); change it, or leave the profile out
                    """)
    }

    @Test(.refuses("CF-08")) func `a start from elsewhere is refused`() {
        #expect(
            refusal(
                of: Sample.login(
                    """
                    profile: fapi2
                    third_party_start: true
                    """, authentication: "method: private_key_jwt, key: { file: signing.key }"))
                    == """
                    gateway.yaml:10:24: clients.shop.third_party_start: expected no third_party_start for profile: fapi2, found true
                        a login begins with the user's will alone (FAPI 2.0 section 5.3.3.1); change it, or leave the profile out
                    """)
    }

    @Test func `a misspelt profile is refused`() {
        #expect(
            refusal(
                of: Sample.login("profile: fapi", authentication: "method: private_key_jwt, key: { file: signing.key }")
            )
                == """
                gateway.yaml:9:14: clients.shop.profile: expected the word fapi2, found "fapi"
                    did you mean fapi2?
                """)
    }
}
