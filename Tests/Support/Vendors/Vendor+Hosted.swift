/// Servers that their vendors keep.
extension Vendor {
    package static let all = [auth0, keycloak, entra, okta, google, zitadel, authentik]

    /// Auth0, a tenant that takes signed requests.
    ///
    /// Documents: Configure Applications with OIDC Discovery, Authorization Code Flow with JAR. What is said of request
    /// objects is what a tenant with Highly Regulated Identity takes; one without says that it takes none.
    package static let auth0 = Vendor(
        name: "auth0", origin: "https://tenant.eu.auth0.com", path: "/", clientID: "8Ff9uKzTn4mPq2Rs6VwXyZ01AbCdEfGh",
        subject: "auth0|507f1f77bcf86cd799439011",
        metadata: """
            "authorization_endpoint":"https://tenant.eu.auth0.com/authorize",
            "token_endpoint":"https://tenant.eu.auth0.com/oauth/token",
            "device_authorization_endpoint":"https://tenant.eu.auth0.com/oauth/device/code",
            "userinfo_endpoint":"https://tenant.eu.auth0.com/userinfo",
            "mfa_challenge_endpoint":"https://tenant.eu.auth0.com/mfa/challenge",
            "jwks_uri":"https://tenant.eu.auth0.com/.well-known/jwks.json",
            "registration_endpoint":"https://tenant.eu.auth0.com/oidc/register",
            "revocation_endpoint":"https://tenant.eu.auth0.com/oauth/revoke",
            "end_session_endpoint":"https://tenant.eu.auth0.com/oidc/logout",
            "pushed_authorization_request_endpoint":"https://tenant.eu.auth0.com/oauth/par",
            "scopes_supported":["openid","profile","offline_access","name","email","email_verified"],
            "response_types_supported":["code","token","id_token","code token","code id_token","token id_token"],
            "code_challenge_methods_supported":["S256","plain"],
            "response_modes_supported":["query","fragment","form_post"],"subject_types_supported":["public"],
            "token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt"],
            "id_token_signing_alg_values_supported":["HS256","RS256","PS256"],
            "request_parameter_supported":true,"request_uri_parameter_supported":false,
            "request_object_signing_alg_values_supported":["RS256","RS384","PS256"],
            "backchannel_logout_supported":true,"backchannel_logout_session_supported":true
            """,
        tokenMembers: "\"scope\":\"openid profile email offline_access\"",
        idTokenClaims: """
            "nickname":"ada","name":"Ada Lovelace","picture":"https://s.gravatar.com/avatar/ada.png",
            "updated_at":"2026-11-01T10:00:00.000Z","email":"ada@example.com","email_verified":true,
            "aud":"8Ff9uKzTn4mPq2Rs6VwXyZ01AbCdEfGh","auth_time":$AUTH,"sid":"k4Cg9qIn1w3o5s7u9xBzDfHjLnPrTvXz"
            """,
        identity: ["x-user-id": "auth0|507f1f77bcf86cd799439011", "x-user-email": "ada@example.com"])

    /// Microsoft Entra ID, tokens of version 2.0.
    ///
    /// Documents: OpenID Connect on the Microsoft identity platform, Access token claims reference. Neither metadata nor
    /// answers say anything of PKCE, `iss` or revocation, and a logout brings no `state` back.
    package static let entra = Vendor(
        name: "entra-id", origin: "https://login.microsoftonline.com",
        path: "/11111111-2222-3333-4444-555555555555/v2.0",
        clientID: "66666666-7777-8888-9999-aaaaaaaaaaaa", subject: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
        metadata: """
            "token_endpoint":"https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/oauth2/v2.0/token",
            "token_endpoint_auth_methods_supported":["client_secret_post","private_key_jwt","client_secret_basic"],
            "jwks_uri":"https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/discovery/v2.0/keys",
            "response_modes_supported":["query","fragment","form_post"],"subject_types_supported":["pairwise"],
            "id_token_signing_alg_values_supported":["RS256"],
            "response_types_supported":["code","id_token","code id_token","id_token token"],
            "scopes_supported":["openid","profile","email","offline_access"],"request_uri_parameter_supported":false,
            "userinfo_endpoint":"https://graph.microsoft.com/oidc/userinfo",
            "authorization_endpoint":
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/oauth2/v2.0/authorize",
            "device_authorization_endpoint":
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/oauth2/v2.0/devicecode",
            "http_logout_supported":true,"frontchannel_logout_supported":true,
            "end_session_endpoint":"https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/oauth2/v2.0/logout",
            "tenant_region_scope":"EU","cloud_instance_name":"microsoftonline.com",
            "cloud_graph_host_name":"graph.windows.net","msgraph_host":"graph.microsoft.com"
            """,
        relaxation: "    assume_pkce: true",
        responseParameters: "&session_state=0043b9e5-9d0e-4ad0-8a3c-9d1f0a1b2c3d",
        tokenMembers: "\"scope\":\"api://shop-api/orders.read\",\"ext_expires_in\":3599",
        idTokenClaims: """
            "ver":"2.0","aud":"66666666-7777-8888-9999-aaaaaaaaaaaa","nbf":$NOW,"name":"Ada Lovelace",
            "preferred_username":"ada@example.com","oid":"00000000-0000-0000-66f3-3332eca7ea81",
            "tid":"11111111-2222-3333-4444-555555555555","aio":"Df2UVXL1ix","rh":"0.AAAA","uti":"bxfVRhXx4UeBJ9SqSVzpAA"
            """,
        accessToken: AccessToken(
            audience: "\"bbbbbbbb-cccc-dddd-eeee-ffffffffffff\"",
            claims: """
                "nbf":$NOW,"aio":"AXQAi/8TAAAA","azp":"66666666-7777-8888-9999-aaaaaaaaaaaa","azpacr":"1",
                "name":"Ada Lovelace","oid":"00000000-0000-0000-66f3-3332eca7ea81","preferred_username":"ada@example.com",
                "rh":"0.AAAA","scp":"orders.read","sub":"HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ",
                "tid":"11111111-2222-3333-4444-555555555555","uti":"fqiBqXLPj0eQa$NUMBER","ver":"2.0"
                """,
            withoutRights: ("orders.read", "orders.list"),
            identity: ["x-user-id": "00000000-0000-0000-66f3-3332eca7ea81"]),
        returnsLogoutState: false,
        identity: ["x-user-id": "00000000-0000-0000-66f3-3332eca7ea81", "x-user-name": "Ada Lovelace"])

    /// Okta with a custom authorization server.
    ///
    /// Document: OpenID Connect & OAuth 2.0 API. Headers are `alg` and `kid` alone; `sub` of an access token is a name of the
    /// user and `uid` the identifier that ID tokens have as `sub`; of the user's claims an ID token that comes with an access
    /// token has `email`, `name` and `preferred_username`.
    package static let okta = Vendor(
        name: "okta", origin: "https://example.okta.com", path: "/oauth2/default", clientID: "0oa1b2c3d4e5f6g7h8i9",
        subject: "00ujmkLgagxeRrAg20g3",
        metadata: """
            "authorization_endpoint":"https://example.okta.com/oauth2/default/v1/authorize",
            "token_endpoint":"https://example.okta.com/oauth2/default/v1/token",
            "userinfo_endpoint":"https://example.okta.com/oauth2/default/v1/userinfo",
            "registration_endpoint":"https://example.okta.com/oauth2/v1/clients",
            "jwks_uri":"https://example.okta.com/oauth2/default/v1/keys",
            "introspection_endpoint":"https://example.okta.com/oauth2/default/v1/introspect",
            "revocation_endpoint":"https://example.okta.com/oauth2/default/v1/revoke",
            "end_session_endpoint":"https://example.okta.com/oauth2/default/v1/logout",
            "device_authorization_endpoint":"https://example.okta.com/oauth2/default/v1/device/authorize",
            "pushed_authorization_request_endpoint":"https://example.okta.com/oauth2/default/v1/par",
            "response_types_supported":["code","token","id_token","code id_token","code token","id_token token"],
            "response_modes_supported":["query","fragment","form_post","okta_post_message"],
            "subject_types_supported":["public"],"code_challenge_methods_supported":["S256"],
            "token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","client_secret_jwt",
            "private_key_jwt","none"],"id_token_signing_alg_values_supported":["RS256"],
            "request_parameter_supported":true,
            "request_object_signing_alg_values_supported":["HS256","HS384","HS512","RS256","RS384","RS512","ES256"]
            """,
        tokenMembers: "\"scope\":\"openid profile email offline_access\"", idTokenHeader: "",
        idTokenClaims: """
            "ver":1,"aud":"0oa1b2c3d4e5f6g7h8i9","amr":["pwd"],"idp":"00ok1u7AsAkrwdZL3z0g3",
            "jti":"ID.4eAWJOCMB3SX8XewDfVR","auth_time":$AUTH,"at_hash":"$HASH","name":"Ada Lovelace",
            "preferred_username":"ada@example.com","email":"ada@example.com"
            """,
        accessToken: AccessToken(
            header: "", audience: "\"api://default\"",
            claims: """
                "ver":1,"jti":"AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE.$NUMBER","sub":"ada@example.com",
                "cid":"0oa1b2c3d4e5f6g7h8i9","uid":"00ujmkLgagxeRrAg20g3","scp":["openid","email","orders.read"]
                """,
            withoutRights: ("orders.read", "orders.list"), identity: ["x-user-id": "00ujmkLgagxeRrAg20g3"]),
        identity: ["x-user-id": "00ujmkLgagxeRrAg20g3", "x-user-email": "ada@example.com"])

    /// Google, an account of an organization.
    ///
    /// Document: OpenID Connect, of Google Identity. `iss` is in authorization responses and in the metadata since 2026;
    /// scopes are told under other names than they are asked for by.
    package static let google = Vendor(
        name: "google", origin: "https://accounts.google.com",
        clientID: "123456789012-abcdefghijklmnopqrstuvwxyz012345.apps.googleusercontent.com",
        subject: "110169484474386276334",
        metadata: """
            "authorization_endpoint":"https://accounts.google.com/o/oauth2/v2/auth",
            "device_authorization_endpoint":"https://oauth2.googleapis.com/device/code",
            "token_endpoint":"https://oauth2.googleapis.com/token",
            "userinfo_endpoint":"https://openidconnect.googleapis.com/v1/userinfo",
            "revocation_endpoint":"https://oauth2.googleapis.com/revoke",
            "jwks_uri":"https://www.googleapis.com/oauth2/v3/certs",
            "response_types_supported":["code","token","id_token","code token","code id_token","token id_token",
            "code token id_token","none"],"subject_types_supported":["public"],
            "id_token_signing_alg_values_supported":["RS256"],"scopes_supported":["openid","email","profile"],
            "token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"],
            "code_challenge_methods_supported":["plain","S256"],"authorization_response_iss_parameter_supported":true
            """,
        responseParameters: """
            &scope=email%20profile%20openid%20https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fuserinfo.email\
            &authuser=0&hd=example.com&prompt=none&iss=$ISSUER
            """,
        tokenMembers: """
            "scope":"openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile"
            """,
        givesRefreshToken: false,
        idTokenClaims: """
            "azp":"123456789012-abcdefghijklmnopqrstuvwxyz012345.apps.googleusercontent.com",
            "aud":"123456789012-abcdefghijklmnopqrstuvwxyz012345.apps.googleusercontent.com","hd":"example.com",
            "email":"ada@example.com","email_verified":true,"at_hash":"$HASH","name":"Ada Lovelace",
            "picture":"https://lh3.googleusercontent.com/a/photo.jpg","given_name":"Ada","family_name":"Lovelace"
            """,
        identity: ["x-user-id": "110169484474386276334", "x-user-email": "ada@example.com"])
}
