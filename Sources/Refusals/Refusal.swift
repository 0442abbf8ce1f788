package import Pages

/// Every "no" of the gateway: status, challenge, page, blame, log word, check and metric label — one table.
///
/// The raw value indexes metrics. Words are stable: a changed word is a breaking change. The client learns only what
/// `clientDescription` says; what was expected and found goes to the operator's log.
package enum Refusal: UInt8, Error, Sendable, CaseIterable {
    // 1–2: framing, grammar, limits
    case malformedMessage, unknownTransferCoding, versionNotSupported, expectationUnknown
    case requestLineTooLong, headerSectionTooLarge, requestBodyTooLarge, requestHeadTooSlow, requestBodyTooSlow
    case reservedConnectionOption, loopDetected, plainHTTP
    // 3–5: authority, path, route
    case authorityUnknown, serverNameDisagrees, pathAmbiguous, pathMatchesTwoRoutes, pathBehindExactRoute, routeUnknown
    // 7: method, and the one upgrade there is
    case methodNotAllowed, connectRefused, tunnelProtocolUnknown, webSocketOfferMalformed, webSocketVersionUnknown
    // 8–10: credentials
    case credentialsMissing, credentialsMalformed, credentialsRepeated, credentialsInQueryToo, schemeNotEnabled
    // 11: token
    case tokenTooLarge, tokenMalformed, tokenTypeNotAccepted, tokenAlgorithmNotAllowed, tokenKeyUnknown
    case tokenSignatureInvalid, tokenIssuerUnknown, tokenIssuerNotAccepted, tokenExpired, tokenNotYetValid
    case tokenIssuedInFuture, tokenClaimMissing, tokenClaimMalformed, tokenLooksLikeIDToken, tokenAudienceMissing
    case tokenBoundToKey, tokenEncrypted, tokenKeyAmbiguous, tokenOfOtherPurpose
    case issuerKeysUnavailable, keyWaitersTooMany
    case tokenInactive, introspectionUnavailable, introspectionAnswerTooLarge, unknownTokensTooMany
    case failedVerificationsTooMany
    // 12: sender constraint
    case proofMissing, proofRepeated, proofTooLarge, proofMalformed, proofTypeNotAccepted, proofAlgorithmNotAllowed
    case proofKeyInvalid, proofClaimMissing, proofClaimMalformed, proofMethodMismatch, proofTargetMismatch
    case proofOutOfTime, proofNonceMissing, proofNonceUnknown, proofTokenMismatch, proofSignatureInvalid
    case proofKeyMismatch, proofReplayed, replaySetFull, tokenNotBound, certificateMissing, certificateMismatch
    case clientCertFieldInvalid
    // 13–15: rights
    case callTimeoutMalformed, callTimedOut, grpcMethodNotAllowed
    case scopeInsufficient, userRequired, claimRuleUnmet, identityTooLarge
    case authorizationDetailsInsufficient, authorizationDetailsMalformed, authenticationInsufficient
    case authenticationTooOld, originNotAllowed
    // 16: the upstream's credential
    case exchangeSubjectRefused, exchangeTargetRefused, exchangeUnavailable
    // forwarding
    case upstreamUnresolved, upstreamUnreachable, upstreamTLSFailed, upstreamProtocol, upstreamClosed, upstreamMalformed
    case upstreamSwitchedProtocols, upstreamConnectTimedOut, upstreamTimedOut, upstreamConnectionsExhausted
    case upstreamUnauthorized, tooManyConnections
    // sessions
    case sessionScopeInsufficient, loginRequired, crossSiteRequest, sessionStoreUnavailable, sessionRefreshUnavailable
    // logins, their start
    case loginStartMalformed, loginLoop, loginServerUnavailable, loginServerUnsuitable, loginPushRefused
    case loginPushUnavailable, loginPushAnswerInvalid, loginRequestNotMade, loginsTooMany, loginTimedOut
    // their authorization response
    case loginResponseMalformed, loginTransactionUnknown, loginTransactionExpired, loginTransactionUsed
    case loginResponseIssuerWrong, loginTokensInResponse, loginResponseNotSigned, loginAccessDenied, loginServerBusy
    case loginResponseError
    // their token response
    case loginCodeRefused, loginClientRefused, loginTokenUnavailable, loginTokenAnswerInvalid, loginTokenTypeWrong
    case loginNonceDemanded, loginScopeNotGranted, loginIDTokenMissing, loginIDTokenInvalid, loginKeysUnavailable
    case loginIDTokenUnsuitable, loginAuthenticationInsufficient, loginUserInfoInvalid, loginSessionTooLarge
    // logouts and what else is at these paths
    case logoutTokenInvalid, logoutTokenUsed, loginRequestsTooMany, requestObjectUnknown
    // shares of one client
    case clientLoginsTooMany, clientWaitersTooMany, upstreamShareExhausted, clientProofsTooMany
    case clientConnectionsTooMany
    // what replicas have in common
    case storeUnavailable, storeBusy, storeForgot
    // rates of requests
    case addressRateExceeded, requestRateExceeded
    // before a connection's own bytes
    case proxyHeaderRefused

    /// Who must act: the client, the operator's upstream, an issuer, or the gateway's own capacity.
    package enum Blame: String, Sendable, CaseIterable {
        case client, upstream, issuer, capacity
    }

    /// The forms of answers: the rows E of Requirements.md.
    package enum Template: Sendable, Equatable {
        /// A message that may have been understood differently by another reader: answered, then closed.
        case message
        case noCredentials, token, scope, request, denied
        /// A DPoP proof that does not count, and one that lacks our nonce (RFC 9449 §7.1, §9).
        case proof, nonce
        /// A stronger or fresher authentication is needed (RFC 9470 §3).
        case stepUp
        /// A browser is sent to log in, and a script is told where (CF-08).
        case login
        /// A page of ours, with the request's id and a way to try again (E-CB).
        case page
        case authorizationDown
        case tooLarge, slow
        case plain
        case badGateway
    }

    /// The HTTP status of the answer.
    package var status: UInt16 { row.status }
    /// The cause's stable word in logs and metrics.
    package var word: StaticString { row.word }
    /// The requirement row whose check failed.
    package var check: StaticString { row.check }
    /// Who must act.
    package var blame: Blame { row.blame }
    /// How the answer is made.
    package var template: Template { row.template }
    /// What a page about it tells somebody who is not signed in; never what the request or a server said (CF-24).
    package var topic: PageTopic { row.topic }

    /// Whether framing is in doubt, so that nothing more may be read from this connection as a request.
    package var closesConnection: Bool {
        switch row.template {
        case .message, .tooLarge, .slow: true
        case .noCredentials, .token, .scope, .request, .denied, .proof, .nonce, .stepUp, .login, .page,
            .authorizationDown, .plain, .badGateway:
            false
        }
    }

    /// When the same request may be answered otherwise, at the earliest: the answer then says so.
    package var retryAfterSeconds: Int? {
        switch self {
        // Where the store is not reached, another primary has its place in a few seconds at most.
        case .storeUnavailable, .storeBusy, .storeForgot: 1
        case _ where row.status == 503: 5
        // A budget for questions grows again at once.
        case _ where row.status == 429: 1
        case _: nil
        }
    }

    private typealias Row = (
        status: UInt16, template: Template, topic: PageTopic, blame: Blame, check: StaticString, word: StaticString
    )

    private var row: Row {
        switch self {
        case .malformedMessage: (400, .message, .badRequest, .client, "HTTP-07", "malformed_message")
        case .unknownTransferCoding: (501, .message, .badRequest, .client, "HTTP-25", "unknown_transfer_coding")
        case .versionNotSupported: (505, .message, .badRequest, .client, "HTTP-08", "version_not_supported")
        case .expectationUnknown: (417, .message, .badRequest, .client, "HTTP-62", "expectation_unknown")
        case .requestLineTooLong: (414, .tooLarge, .longAddress, .client, "HTTP-65", "request_line_too_long")
        case .headerSectionTooLarge: (431, .tooLarge, .cookies, .client, "HTTP-65", "header_section_too_large")
        case .requestBodyTooLarge: (413, .tooLarge, .tooLarge, .client, "HTTP-65", "request_body_too_large")
        case .requestHeadTooSlow: (408, .slow, .tooSlow, .client, "HTTP-66", "request_head_too_slow")
        case .requestBodyTooSlow: (408, .slow, .tooSlow, .client, "HTTP-31", "request_body_too_slow")
        case .reservedConnectionOption: (400, .message, .badRequest, .client, "HTTP-44", "reserved_connection_option")
        case .loopDetected: (508, .plain, .circle, .client, "HTTP-51", "loop_detected")
        case .plainHTTP: (400, .message, .plainHTTP, .client, "HTTP-73", "plain_http")
        case .authorityUnknown: (421, .plain, .otherHost, .client, "HTTP-21", "authority_unknown")
        case .serverNameDisagrees: (421, .plain, .otherHost, .client, "HTTP-21", "server_name_disagrees")
        case .pathAmbiguous: (400, .message, .badRequest, .client, "HTTP-56", "path_ambiguous")
        case .pathMatchesTwoRoutes: (400, .message, .badRequest, .client, "HTTP-57", "path_matches_two_routes")
        case .pathBehindExactRoute: (400, .message, .badRequest, .client, "HTTP-57", "path_behind_exact_route")
        case .routeUnknown: (404, .plain, .notFound, .client, "HTTP-76", "route_unknown")
        case .methodNotAllowed: (405, .plain, .method, .client, "HTTP-19", "method_not_allowed")
        case .connectRefused: (405, .message, .method, .client, "HTTP-17", "connect_refused")
        case .tunnelProtocolUnknown: (501, .message, .badRequest, .client, "H2-37", "tunnel_protocol_unknown")
        case .webSocketOfferMalformed: (400, .message, .badRequest, .client, "HTTP-58", "websocket_offer_malformed")
        case .webSocketVersionUnknown: (426, .message, .badRequest, .client, "HTTP-58", "websocket_version_unknown")
        case .credentialsMissing: (401, .noCredentials, .programs, .client, "RS-02", "credentials_missing")
        case .schemeNotEnabled: (401, .noCredentials, .programs, .client, "RS-03", "scheme_not_enabled")
        case .credentialsMalformed: (400, .request, .badRequest, .client, "RS-04", "credentials_malformed")
        case .credentialsRepeated: (400, .request, .badRequest, .client, "RS-05", "credentials_repeated")
        case .credentialsInQueryToo: (400, .request, .badRequest, .client, "RS-06", "credentials_in_query_too")
        case .tokenTooLarge: (401, .token, .programs, .client, "JOSE-26", "token_too_large")
        case .tokenMalformed: (401, .token, .programs, .client, "JOSE-01", "token_malformed")
        case .tokenEncrypted: (401, .token, .programs, .client, "JOSE-22", "token_encrypted")
        case .tokenKeyAmbiguous: (401, .token, .programs, .client, "JOSE-15", "token_key_ambiguous")
        case .tokenOfOtherPurpose: (401, .token, .programs, .client, "JOSE-20", "token_of_other_purpose")
        case .tokenTypeNotAccepted: (401, .token, .programs, .client, "RS-11", "token_type_not_accepted")
        case .tokenAlgorithmNotAllowed: (401, .token, .programs, .client, "JOSE-05", "token_algorithm_not_allowed")
        case .tokenKeyUnknown: (401, .token, .programs, .client, "JOSE-17", "token_key_unknown")
        case .tokenSignatureInvalid: (401, .token, .programs, .client, "RS-14", "token_signature_invalid")
        case .tokenIssuerUnknown: (401, .token, .programs, .client, "JOSE-21", "token_issuer_unknown")
        case .tokenIssuerNotAccepted: (401, .token, .programs, .client, "RS-12", "token_issuer_not_accepted")
        case .tokenExpired: (401, .token, .programs, .client, "RS-15", "token_expired")
        case .tokenNotYetValid: (401, .token, .programs, .client, "JOSE-28", "token_not_yet_valid")
        case .tokenIssuedInFuture: (401, .token, .programs, .client, "JOSE-28", "token_issued_in_future")
        case .tokenClaimMissing: (401, .token, .programs, .client, "RS-16", "token_claim_missing")
        case .tokenClaimMalformed: (401, .token, .programs, .client, "JOSE-29", "token_claim_malformed")
        case .tokenLooksLikeIDToken: (401, .token, .programs, .client, "RS-18", "token_looks_like_id_token")
        case .tokenAudienceMissing: (401, .token, .programs, .client, "RS-13", "token_audience_missing")
        case .tokenBoundToKey: (401, .token, .programs, .client, "RS-22", "token_bound_to_key")
        case .issuerKeysUnavailable: (503, .authorizationDown, .checkDown, .issuer, "RS-24", "issuer_keys_unavailable")
        case .keyWaitersTooMany: (503, .authorizationDown, .checkDown, .capacity, "OPS-05", "key_waiters_too_many")
        case .tokenInactive: (401, .token, .programs, .client, "INT-03", "token_inactive")
        case .introspectionUnavailable:
            (503, .authorizationDown, .checkDown, .issuer, "INT-05", "introspection_unavailable")
        case .introspectionAnswerTooLarge:
            (502, .badGateway, .misconfigured, .issuer, "INT-05", "introspection_answer_too_large")
        case .unknownTokensTooMany: (429, .plain, .tooMany, .client, "INT-07", "unknown_tokens_too_many")
        case .failedVerificationsTooMany: (429, .plain, .tooMany, .client, "ECO-81", "failed_verifications_too_many")
        case .proofMissing: (401, .proof, .programs, .client, "DPOP-01", "proof_missing")
        case .proofRepeated: (401, .proof, .programs, .client, "DPOP-01", "proof_repeated")
        case .proofTooLarge: (401, .proof, .programs, .client, "DPOP-16", "proof_too_large")
        case .proofMalformed: (401, .proof, .programs, .client, "DPOP-01", "proof_malformed")
        case .proofTypeNotAccepted: (401, .proof, .programs, .client, "DPOP-02", "proof_type_not_accepted")
        case .proofAlgorithmNotAllowed: (401, .proof, .programs, .client, "DPOP-03", "proof_algorithm_not_allowed")
        case .proofKeyInvalid: (401, .proof, .programs, .client, "DPOP-04", "proof_key_invalid")
        case .proofClaimMissing: (401, .proof, .programs, .client, "DPOP-06", "proof_claim_missing")
        case .proofClaimMalformed: (401, .proof, .programs, .client, "DPOP-06", "proof_claim_malformed")
        case .proofMethodMismatch: (401, .proof, .programs, .client, "DPOP-07", "proof_method_mismatch")
        case .proofTargetMismatch: (401, .proof, .programs, .client, "DPOP-08", "proof_target_mismatch")
        case .proofOutOfTime: (401, .proof, .programs, .client, "DPOP-10", "proof_out_of_time")
        case .proofNonceMissing: (401, .nonce, .programs, .client, "DPOP-11", "proof_nonce_missing")
        case .proofNonceUnknown: (401, .nonce, .programs, .client, "DPOP-11", "proof_nonce_unknown")
        case .proofTokenMismatch: (401, .proof, .programs, .client, "DPOP-18", "proof_token_mismatch")
        case .proofSignatureInvalid: (401, .proof, .programs, .client, "DPOP-05", "proof_signature_invalid")
        case .proofKeyMismatch: (401, .token, .programs, .client, "DPOP-19", "proof_key_mismatch")
        case .proofReplayed: (401, .proof, .programs, .client, "DPOP-15", "proof_replayed")
        case .replaySetFull: (503, .authorizationDown, .checkDown, .capacity, "DPOP-15", "replay_set_full")
        case .tokenNotBound: (401, .token, .programs, .client, "DPOP-21", "token_not_bound")
        case .certificateMissing: (401, .token, .programs, .client, "MTLS-02", "certificate_missing")
        case .certificateMismatch: (401, .token, .programs, .client, "MTLS-01", "certificate_mismatch")
        case .clientCertFieldInvalid: (400, .message, .badRequest, .client, "MTLS-07", "client_cert_field_invalid")
        case .authorizationDetailsInsufficient:
            (403, .denied, .notAllowed, .client, "RAR-01", "authorization_details_insufficient")
        case .authorizationDetailsMalformed:
            (401, .token, .programs, .client, "RAR-01", "authorization_details_malformed")
        case .authenticationInsufficient: (401, .stepUp, .programs, .client, "STEP-01", "authentication_insufficient")
        case .authenticationTooOld: (401, .stepUp, .programs, .client, "STEP-02", "authentication_too_old")
        case .originNotAllowed: (403, .denied, .crossSite, .client, "MCP-06", "origin_not_allowed")
        case .exchangeSubjectRefused: (401, .token, .programs, .client, "TX-03", "exchange_subject_refused")
        case .exchangeTargetRefused: (502, .badGateway, .misconfigured, .issuer, "TX-03", "exchange_target_refused")
        case .exchangeUnavailable: (503, .authorizationDown, .checkDown, .issuer, "TX-01", "exchange_unavailable")
        case .scopeInsufficient: (403, .scope, .notAllowed, .client, "RS-19", "scope_insufficient")
        case .userRequired: (403, .denied, .notAllowed, .client, "RS-21", "user_required")
        case .claimRuleUnmet: (403, .denied, .notAllowed, .client, "RS-20", "claim_rule_unmet")
        case .callTimeoutMalformed: (400, .request, .badRequest, .client, "H2-88", "grpc_timeout_malformed")
        case .callTimedOut: (504, .badGateway, .appSlow, .issuer, "H2-88", "grpc_timeout_exceeded")
        case .grpcMethodNotAllowed: (403, .denied, .notAllowed, .client, "H2-90", "grpc_method_not_allowed")
        case .identityTooLarge: (403, .denied, .notAllowed, .client, "HTTP-46", "identity_too_large")
        case .upstreamUnresolved: (502, .badGateway, .appDown, .upstream, "OPS-04", "upstream_unresolved")
        case .upstreamUnreachable: (502, .badGateway, .appDown, .upstream, "HTTP-75", "upstream_unreachable")
        case .upstreamTLSFailed: (502, .badGateway, .appDown, .upstream, "HTTP-75", "upstream_tls_failed")
        case .upstreamProtocol: (502, .badGateway, .appDown, .upstream, "H2-75", "upstream_protocol")
        case .upstreamClosed: (502, .badGateway, .appDown, .upstream, "HTTP-64", "upstream_closed")
        case .upstreamMalformed: (502, .badGateway, .appDown, .upstream, "HTTP-67", "upstream_malformed")
        case .upstreamSwitchedProtocols:
            (502, .badGateway, .appDown, .upstream, "HTTP-59", "upstream_switched_protocols")
        case .upstreamConnectTimedOut: (504, .badGateway, .appSlow, .upstream, "HTTP-66", "upstream_connect_timed_out")
        case .upstreamTimedOut: (504, .badGateway, .appSlow, .upstream, "HTTP-66", "upstream_timed_out")
        case .upstreamConnectionsExhausted: (503, .plain, .busy, .capacity, "OPS-05", "upstream_connections_exhausted")
        case .upstreamUnauthorized: (502, .badGateway, .appDown, .upstream, "HTTP-68", "upstream_unauthorized")
        case .tooManyConnections: (503, .plain, .busy, .capacity, "OPS-05", "too_many_connections")
        case .sessionScopeInsufficient: (403, .denied, .notAllowed, .client, "CF-32", "session_scope_insufficient")
        case .loginRequired: (401, .login, .missing, .client, "CF-08", "login_required")
        case .crossSiteRequest: (403, .denied, .crossSite, .client, "SC-09", "cross_site_request")
        case .sessionStoreUnavailable:
            (503, .authorizationDown, .sessionDown, .capacity, "SC-13", "session_store_unavailable")
        case .sessionRefreshUnavailable:
            (503, .authorizationDown, .sessionDown, .issuer, "RF-06", "session_refresh_unavailable")
        case .loginStartMalformed: (400, .page, .startMalformed, .client, "CF-08", "login_start_malformed")
        case .loginLoop: (429, .page, .loop, .client, "CF-12", "login_loop")
        case .loginServerUnavailable: (503, .page, .serverDown, .issuer, "MD-04", "login_server_unavailable")
        case .loginServerUnsuitable: (502, .page, .misconfigured, .issuer, "MD-07", "login_server_unsuitable")
        case .loginPushRefused: (502, .page, .misconfigured, .issuer, "PAR-05", "login_push_refused")
        case .loginPushUnavailable: (503, .page, .serverDown, .issuer, "PAR-05", "login_push_unavailable")
        case .loginPushAnswerInvalid: (502, .page, .misconfigured, .issuer, "PAR-03", "login_push_answer_invalid")
        case .loginRequestNotMade: (502, .page, .misconfigured, .issuer, "JAR-08", "login_request_not_made")
        case .loginsTooMany: (503, .page, .busy, .capacity, "OPS-05", "logins_too_many")
        case .loginTimedOut: (503, .page, .serverDown, .issuer, "OPS-04", "login_timed_out")
        case .loginResponseMalformed: (400, .page, .notTrusted, .client, "CF-20", "login_response_malformed")
        case .loginTransactionUnknown: (400, .page, .unknown, .client, "CF-03", "login_transaction_unknown")
        case .loginTransactionExpired: (400, .page, .expired, .client, "CF-03", "login_transaction_expired")
        case .loginTransactionUsed: (400, .page, .used, .client, "CF-25", "login_transaction_used")
        case .loginResponseIssuerWrong: (400, .page, .notTrusted, .client, "CF-22", "login_response_issuer_wrong")
        case .loginTokensInResponse: (400, .page, .notTrusted, .client, "CF-01", "login_tokens_in_response")
        case .loginResponseNotSigned: (400, .page, .notTrusted, .client, "CF-28", "login_response_not_signed")
        case .loginAccessDenied: (403, .page, .denied, .client, "CF-24", "login_access_denied")
        case .loginServerBusy: (503, .page, .serverDown, .issuer, "CF-24", "login_server_busy")
        case .loginResponseError: (400, .page, .responseError, .issuer, "CF-24", "login_response_error")
        case .loginCodeRefused: (400, .page, .codeRefused, .client, "CA-15", "login_code_refused")
        case .loginClientRefused: (502, .page, .misconfigured, .issuer, "CA-15", "login_client_refused")
        case .loginTokenUnavailable: (503, .page, .serverDown, .issuer, "CA-16", "login_token_unavailable")
        case .loginTokenAnswerInvalid: (502, .page, .misconfigured, .issuer, "CF-31", "login_token_answer_invalid")
        case .loginTokenTypeWrong: (502, .page, .misconfigured, .issuer, "DPOP-42", "login_token_type_wrong")
        case .loginNonceDemanded: (503, .page, .serverDown, .issuer, "DPOP-41", "login_nonce_demanded")
        case .loginScopeNotGranted: (403, .page, .scopeMissing, .client, "CF-32", "login_scope_not_granted")
        case .loginIDTokenMissing: (502, .page, .misconfigured, .issuer, "OIDC-01", "login_id_token_missing")
        case .loginIDTokenInvalid: (400, .page, .notVerified, .issuer, "OIDC-05", "login_id_token_invalid")
        case .loginIDTokenUnsuitable: (502, .page, .misconfigured, .issuer, "OIDC-05", "login_id_token_unsuitable")
        case .loginKeysUnavailable: (503, .page, .serverDown, .issuer, "OIDC-17", "login_keys_unavailable")
        case .loginAuthenticationInsufficient:
            (403, .page, .insufficient, .client, "STEP-04", "login_authentication_insufficient")
        case .loginUserInfoInvalid: (502, .page, .misconfigured, .issuer, "OIDC-12", "login_userinfo_invalid")
        case .loginSessionTooLarge: (502, .page, .sessionTooLarge, .issuer, "SC-07", "login_session_too_large")
        case .logoutTokenInvalid: (400, .page, .logoutToken, .client, "LO-06", "logout_token_invalid")
        case .logoutTokenUsed: (400, .page, .logoutToken, .client, "LO-08", "logout_token_used")
        case .loginRequestsTooMany: (429, .page, .tooMany, .client, "LO-12", "login_requests_too_many")
        case .requestObjectUnknown: (404, .plain, .notFound, .client, "JAR-21", "request_object_unknown")
        case .clientLoginsTooMany: (429, .page, .tooMany, .client, "OPS-05", "client_logins_too_many")
        case .clientWaitersTooMany: (429, .plain, .tooMany, .client, "OPS-05", "client_waiters_too_many")
        case .upstreamShareExhausted: (429, .plain, .tooMany, .client, "OPS-05", "upstream_share_exhausted")
        case .clientProofsTooMany: (429, .plain, .tooMany, .client, "OPS-05", "client_proofs_too_many")
        case .clientConnectionsTooMany: (429, .plain, .tooMany, .client, "OPS-05", "client_connections_too_many")
        case .storeUnavailable: (503, .authorizationDown, .checkDown, .capacity, "SH-74", "store_unavailable")
        case .storeBusy: (503, .authorizationDown, .checkDown, .capacity, "SH-16", "store_busy")
        case .storeForgot: (503, .authorizationDown, .checkDown, .capacity, "SH-61", "store_forgot")
        case .addressRateExceeded: (429, .plain, .tooMany, .client, "ECO-78", "address_rate_exceeded")
        case .requestRateExceeded: (429, .plain, .tooMany, .client, "ECO-78", "request_rate_exceeded")
        case .proxyHeaderRefused: (400, .message, .badRequest, .client, "ECO-76", "proxy_header_refused")
        }
    }
}
