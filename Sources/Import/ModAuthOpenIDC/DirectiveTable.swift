/// Every directive of mod_auth_openidc: which key of ours it is, and what becomes of it.
///
/// The page about coming from mod_auth_openidc shows the same rows; a test compares the two.
enum DirectiveTable {
    struct Row {
        let name: Substring
        let effect: FlagTable.Effect
        let key: Substring
        let words: Substring
    }

    static let rows: [Row] = text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let effect = parts[1].first.flatMap(FlagTable.Effect.init) else { return nil }
        return Row(name: parts[0], effect: effect, key: parts[2], words: parts[3])
    }

    private static let byName = Dictionary(rows.map { ($0.name.lowercased(), $0) }) { first, _ in first }

    /// The row of a directive, whose name is in lower case.
    static func row(_ name: String) -> Row? { byName[name] }

    private static let text = """
        OIDCRedirectURI|=|listeners.public_url|its scheme and host; the path is ours
        OIDCCryptoPassphrase|=|clients.NAME.session.keys|not used again: make a key, all sign in once more
        OIDCMetadataDir|!|issuers, clients|several providers: name each, and say in each route which
        OIDCProviderMetadataURL|=|issuers.NAME.url|without /.well-known/openid-configuration
        OIDCProviderIssuer|=|issuers.NAME.url|carried
        OIDCProviderAuthorizationEndpoint|-||endpoints come from the issuer's metadata
        OIDCProviderJwksUri|-|issuers.NAME.jwks_uri|keys are where the issuer's metadata says
        OIDCProviderSignedJwksUri|-||keys are where the issuer's metadata says, over TLS
        OIDCProviderVerifyCertFiles|-|issuers.NAME.jwks|keys are where the issuer's metadata says
        OIDCProviderTokenEndpoint|-||endpoints come from the issuer's metadata
        OIDCProviderTokenEndpointAuth|=|clients.NAME.authentication.method|carried, but for none
        OIDCProviderTokenEndpointParams|-||no parameters are added
        OIDCProviderUserInfoEndpoint|=|clients.NAME.userinfo|off where it is empty, otherwise optional
        OIDCProviderCheckSessionIFrame|-||frames do not watch the provider's session: see logout.backchannel
        OIDCProviderEndSessionEndpoint|-|clients.NAME.logout.at_server|comes from the issuer's metadata
        OIDCLogoutRequestParams|-||no parameters are added
        OIDCProviderRevocationEndpoint|-||comes from the issuer's metadata; a logout revokes
        OIDCProviderPushedAuthorizationRequestEndpoint|-||comes from the issuer's metadata
        OIDCProviderBackChannelLogoutSupported|=|clients.NAME.logout.backchannel|carried
        OIDCProviderRegistrationEndpointJson|-||clients are registered by hand
        OIDCScope|=|clients.NAME.scopes|carried, openid always among them
        OIDCAuthRequestParams|=|clients.NAME.prompt|prompt and acr_values; no other parameter is added
        OIDCSSLValidateServer|-|issuers.NAME.certificate_authority|certificates are always verified: name their authority
        OIDCCABundlePath|=|issuers.NAME.certificate_authority|carried
        OIDCValidateIssuer|-||the issuer is always compared
        OIDCUserInfoRefreshInterval|-||userinfo is asked at login and at refreshes
        OIDCJWKSRefreshInterval|-|issuers.NAME.keys|keys are kept fresh
        OIDCUserInfoTokenMethod|-||the token is in the Authorization field
        OIDCProviderAuthRequestMethod|=|clients.NAME.authorization_request|pushed for PAR
        OIDCPublicKeyFiles|-||public keys are at /.portcullis/jwks.json
        OIDCPrivateKeyFiles|=|clients.NAME.authentication.key|the first, for private_key_jwt
        OIDCResponseType|-||the code flow alone
        OIDCResponseMode|=|clients.NAME.response_mode|query and form_post
        OIDCClientID|=|clients.NAME.id|carried
        OIDCClientSecret|=|clients.NAME.authentication.secret|not printed: put it into the file that is named
        OIDCClientTokenEndpointCert|=|clients.NAME.authentication.certificate|carried
        OIDCClientTokenEndpointKey|=|clients.NAME.authentication.key|carried
        OIDCClientTokenEndpointKeyPassword|-||not printed: keys have no password here
        OIDCCertBoundAccessTokens|-||tokens of programs bound to a certificate need it always
        OIDCClientName|-||clients are registered by hand
        OIDCClientContact|-||clients are registered by hand
        OIDCPKCEMethod|-||PKCE with S256 is always used
        OIDCDPoPMode|=|clients.NAME.dpop|carried
        OIDCClientJwksUri|-||public keys are at /.portcullis/jwks.json
        OIDCIDTokenSignedResponseAlg|=|clients.NAME.id_token.algorithm|carried, but for none
        OIDCIDTokenEncryptedResponseAlg|-|clients.NAME.decryption_keys|say encrypted, and name a key
        OIDCIDTokenEncryptedResponseEnc|-|clients.NAME.decryption_keys|say encrypted, and name a key
        OIDCIDTokenAudValues|-|clients.NAME.id_token.trusted_audiences|aud must have the client's id
        OIDCUserInfoSignedResponseAlg|-||userinfo is plain JSON over TLS
        OIDCUserInfoEncryptedResponseAlg|-||userinfo is plain JSON over TLS
        OIDCUserInfoEncryptedResponseEnc|-||userinfo is plain JSON over TLS
        OIDCProfile|-|clients.NAME.profile|say fapi2, and what belongs to it
        OIDCOAuthServerMetadataURL|-|issuers|tokens of programs: say token in a route, with issuers and audience
        OIDCOAuthIntrospectionEndpoint|-|issuers.NAME.introspection|tokens of programs: say introspection of the issuer
        OIDCOAuthClientID|-|clients|tokens of programs: a client that introspection names
        OIDCOAuthClientSecret|-|clients|not printed; a client that introspection names
        OIDCOAuthIntrospectionEndpointAuth|-|clients|a client that introspection names
        OIDCOAuthIntrospectionClientAuthBearerToken|-||not printed; clients have credentials of their own
        OIDCOAuthIntrospectionEndpointCert|-|clients|a client that introspection names
        OIDCOAuthIntrospectionEndpointKey|-|clients|a client that introspection names
        OIDCOAuthIntrospectionEndpointKeyPassword|-||not printed: keys have no password here
        OIDCOAuthIntrospectionEndpointMethod|-||POST always
        OIDCOAuthIntrospectionEndpointParams|-||no parameters are added
        OIDCOAuthIntrospectionTokenParamName|-||token always
        OIDCOAuthTokenExpiryClaim|-||exp always
        OIDCOAuthTokenIntrospectionInterval|-|issuers.NAME.introspection.cache|say cache
        OIDCOAuthSSLValidateServer|-|issuers.NAME.certificate_authority|certificates are always verified: name their authority
        OIDCOAuthVerifySharedKeys|-||not printed; tokens of programs are signed with private keys
        OIDCOAuthDecryptSharedKeys|-||not printed; tokens of programs are not encrypted
        OIDCOAuthVerifyCertFiles|-|issuers.NAME.jwks|tokens of programs: a JWK Set in a file
        OIDCOAuthVerifyJwksUri|-|issuers.NAME.jwks_uri|tokens of programs: say token in a route
        OIDCOAuthVerifyAudience|-|routes.token.audience|tokens of programs: say token in a route
        OIDCOAuthVerifyIssuer|-|issuers.NAME.url|tokens of programs: say token in a route
        OIDCOAuthRemoteUserClaim|-|routes.identity|say which field a claim fills
        OIDCOAuthAcceptTokenAs|-|routes.token|a token is in the Authorization field alone
        OIDCCookiePath|-||cookies are for the whole host
        OIDCCookieDomain|=|clients.NAME.session.domain|carried where public_url is under it
        OIDCCookie|-|clients.NAME.session.cookie|the name begins with __Host-, or __Secure- beside domain
        OIDCSessionCookieChunkSize|-||cookies are cut as browsers need it
        OIDCCookieHTTPOnly|-||cookies are always HttpOnly
        OIDCCookieSameSite|=|clients.NAME.session.same_site|strict, otherwise lax
        OIDCPassCookies|-||the app's own cookies are passed on
        OIDCStripCookies|-||cookies of the gateway are never passed on, all others are
        OIDCStateMaxNumberOfCookies|-||there is a bound
        OIDCStateCookiePrefix|-||the name begins with __Host-
        OIDCSessionInactivityTimeout|=|clients.NAME.session.idle|carried
        OIDCSessionMaxDuration|=|clients.NAME.session.absolute|carried; zero is 8h
        OIDCSessionType|-|clients.NAME.session.store|cookies; memory and shared are there too
        OIDCSessionCacheFallbackToCookie|-||a session is where the client says
        OIDCCacheType|-|store|a shared store is a Redis or Valkey: say store
        OIDCCacheEncrypt|-|store.keys|what is in the store is always sealed
        OIDCCacheShmMax|-|clients.NAME.session.limit|say limit
        OIDCCacheShmEntrySizeMax|-||there is a bound
        OIDCCacheDir|-||nothing is kept in files
        OIDCCacheFileCleanInterval|-||nothing is kept in files
        OIDCMemCacheServers|-|store|a shared store is a Redis or Valkey: say store
        OIDCMemCacheConnectionsMin|-||a shared store is a Redis or Valkey
        OIDCMemCacheConnectionsSMax|-||a shared store is a Redis or Valkey
        OIDCMemCacheConnectionsHMax|-||a shared store is a Redis or Valkey
        OIDCMemCacheConnectionsTTL|-||a shared store is a Redis or Valkey
        OIDCRedisCacheServer|-|store.url|say store, with keys of its own
        OIDCRedisCachePassword|-|store.password|not printed; say store
        OIDCRedisCacheUsername|-|store.user|say store
        OIDCRedisCacheDatabase|-|store.url|say store
        OIDCRedisCacheConnectTimeout|-|store.timeouts|say store
        OIDCRedisCacheTimeout|-|store.timeouts|say store
        OIDCDiscoverURL|-||a route names its one client
        OIDCDefaultURL|-|pages.landing|say landing
        OIDCDefaultLoggedOutURL|-|clients.NAME.logout.landing|say a path
        OIDCPathScope|-|clients.NAME.scopes|a client has its scopes: make another client for that path
        OIDCPathAuthRequestParams|-|clients|make another client for that path
        OIDCIDTokenIatSlack|-|clients.NAME.id_token.leeway|say leeway
        OIDCClaimPrefix|=|routes.identity|names of fields begin so
        OIDCClaimDelimiter|=|routes.identity|separator
        OIDCRemoteUserClaim|=|routes.identity|the claim itself; expressions are not applied
        OIDCPassIDTokenAs|-|routes.upstream_credential|fields for claims; pass: id_token as Authorization: Bearer, or assertion
        OIDCPassUserInfoAs|-|routes.upstream_credential|fields for claims; say assertion for a signed token
        OIDCUserInfoClaimsExpr|-||claims are not rewritten
        OIDCFilterClaimsExpr|!|routes.login.claims|claims are not rewritten before they are compared
        OIDCPassClaimsAs|=|routes.identity|header fields alone; nothing where it is none
        OIDCAuthNHeader|=|routes.identity|carried
        OIDCHTTPTimeoutLong|-||there are bounds
        OIDCHTTPTimeoutShort|-||there are bounds
        OIDCStateTimeout|-||a login may take ten minutes
        OIDCOutgoingProxy|-||providers are asked directly
        OIDCUnAuthAction|=|routes.login.optional|pass is optional: true; scripts always get 401
        OIDCUnAutzAction|-||whoever may not pass gets 403, or a stronger login where that helps
        OIDCPreservePost|=|routes.login.keep_form|carried
        OIDCPreservePostTemplates|-||pages are ours
        OIDCPassAccessToken|=|routes.identity|OIDC_access_token where it is On; pass where tokens are bound to a key
        OIDCPassRefreshToken|-||refresh tokens are never passed on
        OIDCRequestObject|-|clients.NAME.authorization_request|say signed, or claims
        OIDCProviderMetadataRefreshInterval|-||metadata is kept fresh
        OIDCInfoHook|-|clients.NAME.session.script_claims|claims for scripts at /.portcullis/session
        OIDCMetricsData|-||metrics are at the admin listener
        OIDCMetricsPublish|-|admin.address|metrics are at the admin listener
        OIDCTraceParent|-|tracing|say tracing
        OIDCDebugMaskSecrets|-||secrets are in no log
        OIDCBlackListedClaims|-||a session keeps the claims that something asks for
        OIDCWhiteListedClaims|-||a session keeps the claims that something asks for
        OIDCRefreshAccessTokenBeforeExpiry|-|clients.NAME.refresh|the access token is renewed before it expires
        OIDCStateInputHeaders|-||a login is bound to its browser by a cookie
        OIDCRedirectURLsAllowed|-||a login comes back to its own host
        OIDCDiscoverIssuersAllowed|-||a route names its one client
        OIDCLogoutXFrameOptions|-||pages are in no frame
        OIDCXForwardedHeaders|-|listeners.trusted_proxies|name the proxies in front
        """
}
