import Access
import JOSE
import OAuth
import Pages
import TestTraits
import Testing

/// The table as operators and clients know it: a changed line is a breaking change.
private let golden = """
    malformedMessage 400 malformed_message client HTTP-07 bad_request
    unknownTransferCoding 501 unknown_transfer_coding client HTTP-25 bad_request
    versionNotSupported 505 version_not_supported client HTTP-08 bad_request
    expectationUnknown 417 expectation_unknown client HTTP-62 bad_request
    requestLineTooLong 414 request_line_too_long client HTTP-65 long_address
    headerSectionTooLarge 431 header_section_too_large client HTTP-65 cookies
    requestBodyTooLarge 413 request_body_too_large client HTTP-65 too_large
    requestHeadTooSlow 408 request_head_too_slow client HTTP-66 too_slow
    requestBodyTooSlow 408 request_body_too_slow client HTTP-31 too_slow
    reservedConnectionOption 400 reserved_connection_option client HTTP-44 bad_request
    loopDetected 508 loop_detected client HTTP-51 circle
    plainHTTP 400 plain_http client HTTP-73 plain_http
    authorityUnknown 421 authority_unknown client HTTP-21 other_host
    serverNameDisagrees 421 server_name_disagrees client HTTP-21 other_host
    pathAmbiguous 400 path_ambiguous client HTTP-56 bad_request
    pathMatchesTwoRoutes 400 path_matches_two_routes client HTTP-57 bad_request
    pathBehindExactRoute 400 path_behind_exact_route client HTTP-57 bad_request
    routeUnknown 404 route_unknown client HTTP-76 not_found
    methodNotAllowed 405 method_not_allowed client HTTP-19 method
    connectRefused 405 connect_refused client HTTP-17 method
    tunnelProtocolUnknown 501 tunnel_protocol_unknown client H2-37 bad_request
    webSocketOfferMalformed 400 websocket_offer_malformed client HTTP-58 bad_request
    webSocketVersionUnknown 426 websocket_version_unknown client HTTP-58 bad_request
    credentialsMissing 401 credentials_missing client RS-02 programs
    schemeNotEnabled 401 scheme_not_enabled client RS-03 programs
    credentialsMalformed 400 credentials_malformed client RS-04 bad_request
    credentialsRepeated 400 credentials_repeated client RS-05 bad_request
    credentialsInQueryToo 400 credentials_in_query_too client RS-06 bad_request
    tokenTooLarge 401 token_too_large client JOSE-26 programs
    tokenMalformed 401 token_malformed client JOSE-01 programs
    tokenEncrypted 401 token_encrypted client JOSE-22 programs
    tokenKeyAmbiguous 401 token_key_ambiguous client JOSE-15 programs
    tokenOfOtherPurpose 401 token_of_other_purpose client JOSE-20 programs
    tokenTypeNotAccepted 401 token_type_not_accepted client RS-11 programs
    tokenAlgorithmNotAllowed 401 token_algorithm_not_allowed client JOSE-05 programs
    tokenKeyUnknown 401 token_key_unknown client JOSE-17 programs
    tokenSignatureInvalid 401 token_signature_invalid client RS-14 programs
    tokenIssuerUnknown 401 token_issuer_unknown client JOSE-21 programs
    tokenIssuerNotAccepted 401 token_issuer_not_accepted client RS-12 programs
    tokenExpired 401 token_expired client RS-15 programs
    tokenNotYetValid 401 token_not_yet_valid client JOSE-28 programs
    tokenIssuedInFuture 401 token_issued_in_future client JOSE-28 programs
    tokenClaimMissing 401 token_claim_missing client RS-16 programs
    tokenClaimMalformed 401 token_claim_malformed client JOSE-29 programs
    tokenLooksLikeIDToken 401 token_looks_like_id_token client RS-18 programs
    tokenAudienceMissing 401 token_audience_missing client RS-13 programs
    tokenBoundToKey 401 token_bound_to_key client RS-22 programs
    issuerKeysUnavailable 503 issuer_keys_unavailable issuer RS-24 check_down
    keyWaitersTooMany 503 key_waiters_too_many capacity OPS-05 check_down
    callTimeoutMalformed 400 grpc_timeout_malformed client H2-88 bad_request
    callTimedOut 504 grpc_timeout_exceeded issuer H2-88 app_slow
    grpcMethodNotAllowed 403 grpc_method_not_allowed client H2-90 not_allowed
    scopeInsufficient 403 scope_insufficient client RS-19 not_allowed
    userRequired 403 user_required client RS-21 not_allowed
    claimRuleUnmet 403 claim_rule_unmet client RS-20 not_allowed
    identityTooLarge 403 identity_too_large client HTTP-46 not_allowed
    upstreamUnresolved 502 upstream_unresolved upstream OPS-04 app_down
    upstreamUnreachable 502 upstream_unreachable upstream HTTP-75 app_down
    upstreamTLSFailed 502 upstream_tls_failed upstream HTTP-75 app_down
    upstreamProtocol 502 upstream_protocol upstream H2-75 app_down
    upstreamClosed 502 upstream_closed upstream HTTP-64 app_down
    upstreamMalformed 502 upstream_malformed upstream HTTP-67 app_down
    upstreamSwitchedProtocols 502 upstream_switched_protocols upstream HTTP-59 app_down
    upstreamConnectTimedOut 504 upstream_connect_timed_out upstream HTTP-66 app_slow
    upstreamTimedOut 504 upstream_timed_out upstream HTTP-66 app_slow
    upstreamConnectionsExhausted 503 upstream_connections_exhausted capacity OPS-05 busy
    upstreamUnauthorized 502 upstream_unauthorized upstream HTTP-68 app_down
    tokenInactive 401 token_inactive client INT-03 programs
    introspectionUnavailable 503 introspection_unavailable issuer INT-05 check_down
    introspectionAnswerTooLarge 502 introspection_answer_too_large issuer INT-05 misconfigured
    unknownTokensTooMany 429 unknown_tokens_too_many client INT-07 too_many
    failedVerificationsTooMany 429 failed_verifications_too_many client ECO-81 too_many
    proofMissing 401 proof_missing client DPOP-01 programs
    proofRepeated 401 proof_repeated client DPOP-01 programs
    proofTooLarge 401 proof_too_large client DPOP-16 programs
    proofMalformed 401 proof_malformed client DPOP-01 programs
    proofTypeNotAccepted 401 proof_type_not_accepted client DPOP-02 programs
    proofAlgorithmNotAllowed 401 proof_algorithm_not_allowed client DPOP-03 programs
    proofKeyInvalid 401 proof_key_invalid client DPOP-04 programs
    proofClaimMissing 401 proof_claim_missing client DPOP-06 programs
    proofClaimMalformed 401 proof_claim_malformed client DPOP-06 programs
    proofMethodMismatch 401 proof_method_mismatch client DPOP-07 programs
    proofTargetMismatch 401 proof_target_mismatch client DPOP-08 programs
    proofOutOfTime 401 proof_out_of_time client DPOP-10 programs
    proofNonceMissing 401 proof_nonce_missing client DPOP-11 programs
    proofNonceUnknown 401 proof_nonce_unknown client DPOP-11 programs
    proofTokenMismatch 401 proof_token_mismatch client DPOP-18 programs
    proofSignatureInvalid 401 proof_signature_invalid client DPOP-05 programs
    proofKeyMismatch 401 proof_key_mismatch client DPOP-19 programs
    proofReplayed 401 proof_replayed client DPOP-15 programs
    replaySetFull 503 replay_set_full capacity DPOP-15 check_down
    tokenNotBound 401 token_not_bound client DPOP-21 programs
    certificateMissing 401 certificate_missing client MTLS-02 programs
    certificateMismatch 401 certificate_mismatch client MTLS-01 programs
    clientCertFieldInvalid 400 client_cert_field_invalid client MTLS-07 bad_request
    authorizationDetailsInsufficient 403 authorization_details_insufficient client RAR-01 not_allowed
    authorizationDetailsMalformed 401 authorization_details_malformed client RAR-01 programs
    authenticationInsufficient 401 authentication_insufficient client STEP-01 programs
    authenticationTooOld 401 authentication_too_old client STEP-02 programs
    originNotAllowed 403 origin_not_allowed client MCP-06 cross_site
    exchangeSubjectRefused 401 exchange_subject_refused client TX-03 programs
    exchangeTargetRefused 502 exchange_target_refused issuer TX-03 misconfigured
    exchangeUnavailable 503 exchange_unavailable issuer TX-01 check_down
    tooManyConnections 503 too_many_connections capacity OPS-05 busy
    sessionScopeInsufficient 403 session_scope_insufficient client CF-32 not_allowed
    loginRequired 401 login_required client CF-08 missing
    crossSiteRequest 403 cross_site_request client SC-09 cross_site
    sessionStoreUnavailable 503 session_store_unavailable capacity SC-13 session_down
    sessionRefreshUnavailable 503 session_refresh_unavailable issuer RF-06 session_down
    loginStartMalformed 400 login_start_malformed client CF-08 start_malformed
    loginLoop 429 login_loop client CF-12 loop
    loginServerUnavailable 503 login_server_unavailable issuer MD-04 server_down
    loginServerUnsuitable 502 login_server_unsuitable issuer MD-07 misconfigured
    loginPushRefused 502 login_push_refused issuer PAR-05 misconfigured
    loginPushUnavailable 503 login_push_unavailable issuer PAR-05 server_down
    loginPushAnswerInvalid 502 login_push_answer_invalid issuer PAR-03 misconfigured
    loginRequestNotMade 502 login_request_not_made issuer JAR-08 misconfigured
    loginsTooMany 503 logins_too_many capacity OPS-05 busy
    loginTimedOut 503 login_timed_out issuer OPS-04 server_down
    loginResponseMalformed 400 login_response_malformed client CF-20 not_trusted
    loginTransactionUnknown 400 login_transaction_unknown client CF-03 unknown
    loginTransactionExpired 400 login_transaction_expired client CF-03 expired
    loginTransactionUsed 400 login_transaction_used client CF-25 used
    loginResponseIssuerWrong 400 login_response_issuer_wrong client CF-22 not_trusted
    loginTokensInResponse 400 login_tokens_in_response client CF-01 not_trusted
    loginResponseNotSigned 400 login_response_not_signed client CF-28 not_trusted
    loginAccessDenied 403 login_access_denied client CF-24 denied
    loginServerBusy 503 login_server_busy issuer CF-24 server_down
    loginResponseError 400 login_response_error issuer CF-24 response_error
    loginCodeRefused 400 login_code_refused client CA-15 code_refused
    loginClientRefused 502 login_client_refused issuer CA-15 misconfigured
    loginTokenUnavailable 503 login_token_unavailable issuer CA-16 server_down
    loginTokenAnswerInvalid 502 login_token_answer_invalid issuer CF-31 misconfigured
    loginTokenTypeWrong 502 login_token_type_wrong issuer DPOP-42 misconfigured
    loginNonceDemanded 503 login_nonce_demanded issuer DPOP-41 server_down
    loginScopeNotGranted 403 login_scope_not_granted client CF-32 scope_missing
    loginIDTokenMissing 502 login_id_token_missing issuer OIDC-01 misconfigured
    loginIDTokenInvalid 400 login_id_token_invalid issuer OIDC-05 not_verified
    loginKeysUnavailable 503 login_keys_unavailable issuer OIDC-17 server_down
    loginIDTokenUnsuitable 502 login_id_token_unsuitable issuer OIDC-05 misconfigured
    loginAuthenticationInsufficient 403 login_authentication_insufficient client STEP-04 insufficient
    loginUserInfoInvalid 502 login_userinfo_invalid issuer OIDC-12 misconfigured
    loginSessionTooLarge 502 login_session_too_large issuer SC-07 session_too_large
    logoutTokenInvalid 400 logout_token_invalid client LO-06 logout_token
    logoutTokenUsed 400 logout_token_used client LO-08 logout_token
    loginRequestsTooMany 429 login_requests_too_many client LO-12 too_many
    requestObjectUnknown 404 request_object_unknown client JAR-21 not_found
    clientLoginsTooMany 429 client_logins_too_many client OPS-05 too_many
    clientWaitersTooMany 429 client_waiters_too_many client OPS-05 too_many
    upstreamShareExhausted 429 upstream_share_exhausted client OPS-05 too_many
    clientProofsTooMany 429 client_proofs_too_many client OPS-05 too_many
    clientConnectionsTooMany 429 client_connections_too_many client OPS-05 too_many
    storeUnavailable 503 store_unavailable capacity SH-74 check_down
    storeBusy 503 store_busy capacity SH-16 check_down
    storeForgot 503 store_forgot capacity SH-61 check_down
    addressRateExceeded 429 address_rate_exceeded client ECO-78 too_many
    requestRateExceeded 429 request_rate_exceeded client ECO-78 too_many
    proxyHeaderRefused 400 proxy_header_refused client ECO-76 bad_request
    """

@Suite struct `the table of refusals` {
    @Test func `is what the documents say: cause, status, word, blame, check and page`() {
        let lines = Refusal.allCases.map {
            "\($0) \($0.status) \($0.word) \($0.blame.rawValue) \($0.check) \($0.topic.rawValue)"
        }
        let known = golden.split(separator: "\n").map(String.init)
        #expect(Set(lines).subtracting(known).sorted() == [])
        #expect(Set(known).subtracting(lines).sorted() == [])
        #expect(known.count == Refusal.allCases.count)
    }

    @Test(.holds("OPS-03")) func `has a word of its own for every cause, and the row of a check`() {
        #expect(Set(Refusal.allCases.map { "\($0.word)" }).count == Refusal.allCases.count)
        for refusal in Refusal.allCases {
            #expect("\(refusal.word)".wholeMatch(of: #/[a-z]+(_[a-z]+)*/#) != nil, "\(refusal)")
            #expect("\(refusal.check)".wholeMatch(of: #/[A-Z][A-Z0-9]{1,4}-[0-9]{2}/#) != nil, "\(refusal)")
        }
    }

    @Test func `numbers its causes without a gap, for the metrics`() {
        #expect(Refusal.allCases.map { Int($0.rawValue) } == Array(0..<Refusal.allCases.count))
    }

    @Test func `agrees with itself: the template, its status and whether the connection goes on`() {
        for refusal in Refusal.allCases {
            let (statuses, closes): (Set<UInt16>, Bool) =
                switch refusal.template {
                case .message: ([400, 405, 417, 426, 501, 505], true)
                case .tooLarge: ([413, 414, 431], true)
                case .slow: ([408], true)
                case .noCredentials, .token, .proof, .nonce, .stepUp, .login: ([401], false)
                case .page: ([400, 403, 429, 502, 503], false)
                case .scope, .denied: ([403], false)
                case .request: ([400], false)
                case .authorizationDown: ([503], false)
                case .plain: ([404, 405, 421, 429, 503, 508], false)
                case .badGateway: ([502, 504], false)
                }
            #expect(statuses.contains(refusal.status), "\(refusal)")
            #expect(refusal.closesConnection == closes, "\(refusal)")
        }
    }

    @Test func `blames the client for 4xx and nobody outside for what is ours`() {
        for refusal in Refusal.allCases {
            switch refusal.blame {
            case .client: #expect((400..<500).contains(refusal.status) || [501, 505, 508].contains(refusal.status))
            case .upstream: #expect([502, 504].contains(refusal.status))
            // What a server said in a browser's hands is the browser's request all the same.
            case .issuer: #expect([502, 503, 504].contains(refusal.status) || refusal.template == .page)
            case .capacity: #expect(refusal.status == 503)
            }
        }
    }

    @Test(.refuses("RS-14")) func `tells the client nothing but a constant in the characters of RFC 6750 section 3`() {
        for refusal in Refusal.allCases {
            guard let text = refusal.clientDescription else { continue }
            #expect(!text.isEmpty)
            for byte in text.utf8 {
                #expect(byte == 0x20 || byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte))
            }
            #expect(!text.contains("\(refusal.check)"), "check ids are the operator's (OPS-03)")
        }
        // Why a signature or a key failed is nobody's business.
        for refusal in [Refusal.tokenSignatureInvalid, .tokenKeyUnknown, .tokenMalformed, .tokenAlgorithmNotAllowed] {
            #expect(refusal.clientDescription == "The access token is invalid")
        }
    }

    @Test(.refuses("RS-14")) func `tells something of the credentials that were sent, and of nothing else`() {
        for refusal in Refusal.allCases {
            let isOfCredentials =
                switch refusal.template {
                case .token, .request, .proof, .nonce, .stepUp: true
                case .message, .noCredentials, .scope, .denied, .login, .page, .authorizationDown, .tooLarge, .slow,
                    .plain, .badGateway:
                    false
                }
            #expect((refusal.clientDescription != nil) == isOfCredentials, "\(refusal)")
        }
    }

    @Test(
        .refuses("RS-15", "RS-16"),
        arguments: [
            (AccessTokenRefusal.tooLarge, Refusal.tokenTooLarge), (.malformed(.notCompact), .tokenMalformed),
            (.encrypted, .tokenEncrypted),
            (.typeNotAccepted, .tokenTypeNotAccepted), (.algorithmNotAllowed, .tokenAlgorithmNotAllowed),
            (.unknownKey, .tokenKeyUnknown), (.tooManyKeys, .tokenKeyAmbiguous),
            (.signatureInvalid, .tokenSignatureInvalid), (.issuerMismatch, .tokenIssuerNotAccepted),
            (.claim(.expired(secondsAgo: 1)), .tokenExpired), (.claim(.notYetValid(secondsLeft: 1)), .tokenNotYetValid),
            (.claim(.issuedInFuture(secondsLeft: 1)), .tokenIssuedInFuture),
            (.claim(.missing("sub")), .tokenClaimMissing),
            (.claim(.malformed("aud")), .tokenClaimMalformed), (.looksLikeIDToken, .tokenLooksLikeIDToken),
            (.claim(.otherPurpose(claim: "events")), .tokenOfOtherPurpose), (.boundToKey, .tokenBoundToKey),
        ] as [(AccessTokenRefusal, Refusal)])
    func `answers every refused token with 401 and its own word`(
        cause: AccessTokenRefusal, refusal: Refusal
    ) {
        #expect(cause.refusal == refusal)
        #expect(refusal.status == 401)
        #expect(refusal.template == .token)
    }
}
