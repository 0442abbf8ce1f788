/// Servers that people keep themselves.
extension Vendor {
    /// Keycloak 25 and newer; its upgrading guide says what changed then.
    ///
    /// Metadata: `OIDCWellKnownProvider`. Header `typ`: `DefaultTokenManager`, which has `at+jwt` where the client's advanced
    /// setting says so. `session_state` is in answers and no more in tokens, `nonce` in ID tokens of logins alone.
    package static let keycloak = Vendor(
        name: "keycloak", origin: "https://id.example.com", path: "/realms/shop", clientID: "shop-web",
        subject: "5f8c1c7a-6a3b-4a53-9d5e-1f2a3b4c5d6e",
        metadata: """
            "authorization_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/auth",
            "token_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/token",
            "introspection_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/token/introspect",
            "userinfo_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/userinfo",
            "end_session_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/logout",
            "frontchannel_logout_session_supported":true,"frontchannel_logout_supported":true,
            "jwks_uri":"https://id.example.com/realms/shop/protocol/openid-connect/certs",
            "revocation_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/revoke",
            "backchannel_logout_supported":true,"backchannel_logout_session_supported":true,
            "pushed_authorization_request_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/ext/par/request",
            "require_pushed_authorization_requests":false,
            "mtls_endpoint_aliases":{
            "token_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/token",
            "revocation_endpoint":"https://id.example.com/realms/shop/protocol/openid-connect/revoke"},
            "response_types_supported":["code","none","id_token","token","id_token token","code id_token"],
            "response_modes_supported":["query","fragment","form_post","query.jwt","fragment.jwt","form_post.jwt","jwt"],
            "code_challenge_methods_supported":["plain","S256"],"tls_client_certificate_bound_access_tokens":true,
            "token_endpoint_auth_methods_supported":["private_key_jwt","client_secret_basic","client_secret_post",
            "tls_client_auth","client_secret_jwt"],
            "id_token_signing_alg_values_supported":["PS384","RS384","EdDSA","ES384","HS256","HS512","ES256","RS256"],
            "request_parameter_supported":true,"request_uri_parameter_supported":true,
            "authorization_response_iss_parameter_supported":true
            """,
        responseParameters: "&session_state=8a6f2f0e-3a3c-4d67-8d63-0d7b5b6c1a11&iss=$ISSUER",
        tokenMembers: """
            "refresh_expires_in":1800,"not-before-policy":0,"session_state":"8a6f2f0e-3a3c-4d67-8d63-0d7b5b6c1a11",
            "scope":"openid email profile"
            """,
        idTokenClaims: """
            "auth_time":$AUTH,"jti":"e1f4b9d2-0001","aud":"shop-web","typ":"ID","azp":"shop-web","acr":"1","at_hash":"$HASH",
            "sid":"8a6f2f0e-3a3c-4d67-8d63-0d7b5b6c1a11","email_verified":true,"name":"Ada Lovelace",
            "preferred_username":"ada","given_name":"Ada","family_name":"Lovelace","email":"ada@example.com"
            """,
        accessToken: AccessToken(
            audience: "[\"https://shop.example.com/api\",\"account\"]",
            claims: """
                "sub":"5f8c1c7a-6a3b-4a53-9d5e-1f2a3b4c5d6e","auth_time":$AUTH,"jti":"onrtac:$NUMBER","typ":"Bearer",
                "azp":"shop-web","sid":"8a6f2f0e-3a3c-4d67-8d63-0d7b5b6c1a11","acr":"1",
                "allowed-origins":["https://shop.example.com"],
                "realm_access":{"roles":["default-roles-shop","clerk"]},
                "resource_access":{"account":{"roles":["manage-account","view-profile"]}},"scope":"openid email profile",
                "email_verified":true,"name":"Ada Lovelace","preferred_username":"ada","email":"ada@example.com"
                """,
            withoutRights: ("clerk", "guest"), identity: ["x-user-id": "5f8c1c7a-6a3b-4a53-9d5e-1f2a3b4c5d6e"]),
        logoutClaims: """
            "jti":"b7a1c9f0-0001","aud":"shop-web","sub":"5f8c1c7a-6a3b-4a53-9d5e-1f2a3b4c5d6e","typ":"Logout",
            "sid":"8a6f2f0e-3a3c-4d67-8d63-0d7b5b6c1a11",
            "events":{"http://schemas.openid.net/event/backchannel-logout":{}}
            """,
        identity: ["x-user-id": "5f8c1c7a-6a3b-4a53-9d5e-1f2a3b4c5d6e", "x-user-email": "ada@example.com"])

    /// Zitadel, with access tokens of the type JWT.
    ///
    /// Header `typ`: its signer writes `JWT` on tokens of every kind. Claims: `createJWT` and `createIDToken`, which share
    /// one `aud` of all client ids of the project and the project's own; email is in the userinfo alone.
    package static let zitadel = Vendor(
        name: "zitadel", origin: "https://shop-a1b2c3.zitadel.cloud", clientID: "312345678901234567",
        subject: "301234567890123456",
        metadata: """
            "authorization_endpoint":"https://shop-a1b2c3.zitadel.cloud/oauth/v2/authorize",
            "token_endpoint":"https://shop-a1b2c3.zitadel.cloud/oauth/v2/token",
            "introspection_endpoint":"https://shop-a1b2c3.zitadel.cloud/oauth/v2/introspect",
            "userinfo_endpoint":"https://shop-a1b2c3.zitadel.cloud/oidc/v1/userinfo",
            "revocation_endpoint":"https://shop-a1b2c3.zitadel.cloud/oauth/v2/revoke",
            "end_session_endpoint":"https://shop-a1b2c3.zitadel.cloud/oidc/v1/end_session",
            "device_authorization_endpoint":"https://shop-a1b2c3.zitadel.cloud/oauth/v2/device_authorization",
            "jwks_uri":"https://shop-a1b2c3.zitadel.cloud/oauth/v2/keys",
            "response_types_supported":["code","id_token","id_token token"],
            "response_modes_supported":["query","fragment","form_post"],
            "subject_types_supported":["public"],"code_challenge_methods_supported":["S256"],
            "id_token_signing_alg_values_supported":["EdDSA","RS256","RS384","RS512","ES256","ES384","ES512"],
            "request_object_signing_alg_values_supported":["RS256"],
            "token_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post","private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported":["RS256"],
            "revocation_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post","private_key_jwt"],
            "introspection_endpoint_auth_methods_supported":["client_secret_basic","private_key_jwt"],
            "request_parameter_supported":true,"request_uri_parameter_supported":false
            """,
        idTokenClaims: """
            "aud":["312345678901234567","298765432109876543"],"auth_time":$AUTH,"amr":["pwd"],"azp":"312345678901234567",
            "client_id":"312345678901234567","at_hash":"$HASH","sid":"V1_312345678901239999"
            """,
        userInfo: """
            {"sub":"301234567890123456","name":"Ada Lovelace","given_name":"Ada","family_name":"Lovelace","locale":"en",
            "updated_at":1700000000,"preferred_username":"ada@example.com","email":"ada@example.com","email_verified":true}
            """,
        accessToken: AccessToken(
            audience: "[\"312345678901234567\",\"298765432109876543\"]",
            claims: """
                "sub":"301234567890123456","nbf":$NOW,"client_id":"312345678901234567","jti":"V2_312345678901230000-at_$NUMBER",
                "urn:zitadel:iam:org:project:roles":{"clerk":{"287654321098765432":"example.com"}},
                "urn:zitadel:iam:org:project:298765432109876543:roles":{"clerk":{"287654321098765432":"example.com"}}
                """,
            // A client of another project may ask for this one's audience, and has the roles of its own project then.
            withoutRights: (
                "urn:zitadel:iam:org:project:298765432109876543:roles",
                "urn:zitadel:iam:org:project:299999999999999999:roles"
            ), identity: ["x-user-id": "301234567890123456"]),
        identity: ["x-user-id": "301234567890123456", "x-user-email": "ada@example.com"])

    /// Authentik, with a signing key.
    ///
    /// Metadata: `ProviderInfoView`. Access tokens: `IDToken.to_access_token`, an ID token with `azp` and `uid` and, at a
    /// login, its `nonce`. Introspection: `TokenIntrospectionView`, the same without those two, and no `token_type`.
    package static let authentik = Vendor(
        name: "authentik", origin: "https://id.example.com", path: "/application/o/shop/",
        clientID: "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcD",
        subject: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        metadata: """
            "authorization_endpoint":"https://id.example.com/application/o/authorize/",
            "token_endpoint":"https://id.example.com/application/o/token/",
            "userinfo_endpoint":"https://id.example.com/application/o/userinfo/",
            "end_session_endpoint":"https://id.example.com/application/o/shop/end-session/",
            "introspection_endpoint":"https://id.example.com/application/o/introspect/",
            "revocation_endpoint":"https://id.example.com/application/o/revoke/",
            "device_authorization_endpoint":"https://id.example.com/application/o/device/",
            "response_types_supported":["code","id_token","id_token token","code token","code id_token",
            "code id_token token"],"response_modes_supported":["query","fragment","form_post"],
            "jwks_uri":"https://id.example.com/application/o/shop/jwks/",
            "id_token_signing_alg_values_supported":["RS256"],"subject_types_supported":["public"],
            "token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"],
            "acr_values_supported":["goauthentik.io/providers/oauth2/default"],
            "request_parameter_supported":false,"claims_parameter_supported":false,
            "code_challenge_methods_supported":["plain","S256"]
            """,
        tokenMembers: "\"scope\":\"openid profile email offline_access\"",
        idTokenClaims: """
            "aud":"aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcD","auth_time":$AUTH,
            "acr":"goauthentik.io/providers/oauth2/default","amr":["pwd"],
            "sid":"0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f","email":"ada@example.com",
            "email_verified":true,"name":"Ada Lovelace","given_name":"Ada Lovelace","preferred_username":"ada",
            "nickname":"ada","groups":["clerks"]
            """,
        accessToken: AccessToken(
            audience: "\"aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcD\"",
            claims: """
                "sub":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","auth_time":$AUTH,
                "acr":"goauthentik.io/providers/oauth2/default","amr":["pwd"],"nonce":"n-0S6_WzA2Mj",
                "sid":"0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f","email":"ada@example.com",
                "azp":"aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcD","uid":"Yx3$NUMBER"
                """,
            introspection: """
                "sub":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","auth_time":$AUTH,
                "acr":"goauthentik.io/providers/oauth2/default","amr":["pwd"],"nonce":"n-0S6_WzA2Mj",
                "sid":"0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f","email":"ada@example.com",
                "active":true,"scope":"openid profile email offline_access",
                "client_id":"aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcD"
                """,
            identity: ["x-user-id": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]),
        identity: [
            "x-user-id": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "x-user-email": "ada@example.com",
        ])
}
