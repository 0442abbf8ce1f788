import Access
import JOSE
import OAuth
import TestTraits
import Testing

/// The table as operators and clients know it: a changed line is a breaking change.
private let golden = """
    malformedMessage 400 malformed_message client HTTP-07
    unknownTransferCoding 501 unknown_transfer_coding client HTTP-25
    versionNotSupported 505 version_not_supported client HTTP-08
    expectationUnknown 417 expectation_unknown client HTTP-62
    requestLineTooLong 414 request_line_too_long client HTTP-65
    headerSectionTooLarge 431 header_section_too_large client HTTP-65
    requestBodyTooLarge 413 request_body_too_large client HTTP-65
    requestHeadTooSlow 408 request_head_too_slow client HTTP-66
    requestBodyTooSlow 408 request_body_too_slow client HTTP-31
    reservedConnectionOption 400 reserved_connection_option client HTTP-44
    loopDetected 508 loop_detected client HTTP-51
    plainHTTP 400 plain_http client HTTP-73
    authorityUnknown 421 authority_unknown client HTTP-21
    serverNameDisagrees 421 server_name_disagrees client HTTP-21
    pathAmbiguous 400 path_ambiguous client HTTP-56
    pathMatchesTwoRoutes 400 path_matches_two_routes client HTTP-57
    pathBehindExactRoute 400 path_behind_exact_route client HTTP-57
    routeUnknown 404 route_unknown client HTTP-76
    methodNotAllowed 405 method_not_allowed client HTTP-19
    connectRefused 405 connect_refused client HTTP-17
    webSocketOfferMalformed 400 websocket_offer_malformed client HTTP-58
    webSocketVersionUnknown 426 websocket_version_unknown client HTTP-58
    credentialsMissing 401 credentials_missing client RS-02
    schemeNotEnabled 401 scheme_not_enabled client RS-03
    credentialsMalformed 400 credentials_malformed client RS-04
    credentialsRepeated 400 credentials_repeated client RS-05
    credentialsInQueryToo 400 credentials_in_query_too client RS-06
    tokenTooLarge 401 token_too_large client JOSE-26
    tokenMalformed 401 token_malformed client JOSE-01
    tokenEncrypted 401 token_encrypted client JOSE-22
    tokenKeyAmbiguous 401 token_key_ambiguous client JOSE-15
    tokenOfOtherPurpose 401 token_of_other_purpose client JOSE-20
    tokenTypeNotAccepted 401 token_type_not_accepted client RS-11
    tokenAlgorithmNotAllowed 401 token_algorithm_not_allowed client JOSE-05
    tokenKeyUnknown 401 token_key_unknown client JOSE-17
    tokenSignatureInvalid 401 token_signature_invalid client RS-14
    tokenIssuerUnknown 401 token_issuer_unknown client JOSE-21
    tokenIssuerNotAccepted 401 token_issuer_not_accepted client RS-12
    tokenExpired 401 token_expired client RS-15
    tokenNotYetValid 401 token_not_yet_valid client JOSE-28
    tokenIssuedInFuture 401 token_issued_in_future client JOSE-28
    tokenClaimMissing 401 token_claim_missing client RS-16
    tokenClaimMalformed 401 token_claim_malformed client JOSE-29
    tokenLooksLikeIDToken 401 token_looks_like_id_token client RS-18
    tokenAudienceMissing 401 token_audience_missing client RS-13
    tokenBoundToKey 401 token_bound_to_key client RS-22
    issuerKeysUnavailable 503 issuer_keys_unavailable issuer RS-24
    keyWaitersTooMany 503 key_waiters_too_many capacity OPS-05
    scopeInsufficient 403 scope_insufficient client RS-19
    userRequired 403 user_required client RS-21
    claimRuleUnmet 403 claim_rule_unmet client RS-20
    identityTooLarge 403 identity_too_large client HTTP-46
    upstreamUnresolved 502 upstream_unresolved upstream OPS-04
    upstreamUnreachable 502 upstream_unreachable upstream HTTP-75
    upstreamTLSFailed 502 upstream_tls_failed upstream HTTP-75
    upstreamClosed 502 upstream_closed upstream HTTP-64
    upstreamMalformed 502 upstream_malformed upstream HTTP-67
    upstreamSwitchedProtocols 502 upstream_switched_protocols upstream HTTP-59
    upstreamConnectTimedOut 504 upstream_connect_timed_out upstream HTTP-66
    upstreamTimedOut 504 upstream_timed_out upstream HTTP-66
    upstreamConnectionsExhausted 503 upstream_connections_exhausted capacity OPS-05
    upstreamUnauthorized 502 upstream_unauthorized upstream HTTP-68
    tokenInactive 401 token_inactive client INT-03
    introspectionUnavailable 503 introspection_unavailable issuer INT-05
    introspectionAnswerTooLarge 502 introspection_answer_too_large issuer INT-05
    unknownTokensTooMany 429 unknown_tokens_too_many client INT-07
    proofMissing 401 proof_missing client DPOP-01
    proofRepeated 401 proof_repeated client DPOP-01
    proofTooLarge 401 proof_too_large client DPOP-16
    proofMalformed 401 proof_malformed client DPOP-01
    proofTypeNotAccepted 401 proof_type_not_accepted client DPOP-02
    proofAlgorithmNotAllowed 401 proof_algorithm_not_allowed client DPOP-03
    proofKeyInvalid 401 proof_key_invalid client DPOP-04
    proofClaimMissing 401 proof_claim_missing client DPOP-06
    proofClaimMalformed 401 proof_claim_malformed client DPOP-06
    proofMethodMismatch 401 proof_method_mismatch client DPOP-07
    proofTargetMismatch 401 proof_target_mismatch client DPOP-08
    proofOutOfTime 401 proof_out_of_time client DPOP-10
    proofNonceMissing 401 proof_nonce_missing client DPOP-11
    proofNonceUnknown 401 proof_nonce_unknown client DPOP-11
    proofTokenMismatch 401 proof_token_mismatch client DPOP-18
    proofSignatureInvalid 401 proof_signature_invalid client DPOP-05
    proofKeyMismatch 401 proof_key_mismatch client DPOP-19
    proofReplayed 401 proof_replayed client DPOP-15
    replaySetFull 503 replay_set_full capacity DPOP-15
    tokenNotBound 401 token_not_bound client DPOP-21
    certificateMissing 401 certificate_missing client MTLS-02
    certificateMismatch 401 certificate_mismatch client MTLS-01
    clientCertFieldInvalid 400 client_cert_field_invalid client MTLS-07
    authorizationDetailsInsufficient 403 authorization_details_insufficient client RAR-01
    authorizationDetailsMalformed 401 authorization_details_malformed client RAR-01
    authenticationInsufficient 401 authentication_insufficient client STEP-01
    authenticationTooOld 401 authentication_too_old client STEP-02
    originNotAllowed 403 origin_not_allowed client MCP-06
    exchangeSubjectRefused 401 exchange_subject_refused client TX-03
    exchangeTargetRefused 502 exchange_target_refused issuer TX-03
    exchangeUnavailable 503 exchange_unavailable issuer TX-01
    tooManyConnections 503 too_many_connections capacity OPS-05
    sessionScopeInsufficient 403 session_scope_insufficient client CF-32
    loginRequired 401 login_required client CF-08
    crossSiteRequest 403 cross_site_request client SC-09
    sessionStoreUnavailable 503 session_store_unavailable capacity SC-13
    sessionRefreshUnavailable 503 session_refresh_unavailable issuer RF-06
    loginStartMalformed 400 login_start_malformed client CF-08
    loginLoop 429 login_loop client CF-12
    loginServerUnavailable 503 login_server_unavailable issuer MD-04
    loginServerUnsuitable 502 login_server_unsuitable issuer MD-07
    loginPushRefused 502 login_push_refused issuer PAR-05
    loginPushUnavailable 503 login_push_unavailable issuer PAR-05
    loginPushAnswerInvalid 502 login_push_answer_invalid issuer PAR-03
    loginRequestNotMade 502 login_request_not_made issuer JAR-08
    loginsTooMany 503 logins_too_many capacity OPS-05
    loginTimedOut 503 login_timed_out issuer OPS-04
    loginResponseMalformed 400 login_response_malformed client CF-20
    loginTransactionUnknown 400 login_transaction_unknown client CF-03
    loginTransactionExpired 400 login_transaction_expired client CF-03
    loginTransactionUsed 400 login_transaction_used client CF-25
    loginResponseIssuerWrong 400 login_response_issuer_wrong client CF-22
    loginTokensInResponse 400 login_tokens_in_response client CF-01
    loginResponseNotSigned 400 login_response_not_signed client CF-28
    loginAccessDenied 403 login_access_denied client CF-24
    loginServerBusy 503 login_server_busy issuer CF-24
    loginResponseError 400 login_response_error issuer CF-24
    loginCodeRefused 400 login_code_refused client CA-15
    loginClientRefused 502 login_client_refused issuer CA-15
    loginTokenUnavailable 503 login_token_unavailable issuer CA-16
    loginTokenAnswerInvalid 502 login_token_answer_invalid issuer CF-31
    loginTokenTypeWrong 502 login_token_type_wrong issuer DPOP-42
    loginNonceDemanded 503 login_nonce_demanded issuer DPOP-41
    loginScopeNotGranted 403 login_scope_not_granted client CF-32
    loginIDTokenMissing 502 login_id_token_missing issuer OIDC-01
    loginIDTokenInvalid 400 login_id_token_invalid issuer OIDC-05
    loginKeysUnavailable 503 login_keys_unavailable issuer OIDC-17
    loginIDTokenUnsuitable 502 login_id_token_unsuitable issuer OIDC-05
    loginAuthenticationInsufficient 403 login_authentication_insufficient client STEP-04
    loginUserInfoInvalid 502 login_userinfo_invalid issuer OIDC-12
    loginSessionTooLarge 502 login_session_too_large issuer SC-07
    logoutTokenInvalid 400 logout_token_invalid client LO-06
    logoutTokenUsed 400 logout_token_used client LO-08
    loginRequestsTooMany 429 login_requests_too_many client LO-12
    requestObjectUnknown 404 request_object_unknown client JAR-21
    clientLoginsTooMany 429 client_logins_too_many client OPS-05
    clientWaitersTooMany 429 client_waiters_too_many client OPS-05
    upstreamShareExhausted 429 upstream_share_exhausted client OPS-05
    clientProofsTooMany 429 client_proofs_too_many client OPS-05
    clientConnectionsTooMany 429 client_connections_too_many client OPS-05
    storeUnavailable 503 store_unavailable capacity SH-74
    storeBusy 503 store_busy capacity SH-16
    storeForgot 503 store_forgot capacity SH-61
    """

@Suite struct `the table of refusals` {
    @Test func `is what the documents say: cause, status, word, blame and check`() {
        let lines = Refusal.allCases.map { "\($0) \($0.status) \($0.word) \($0.blame.rawValue) \($0.check)" }
        let known = golden.split(separator: "\n").map(String.init)
        #expect(Set(lines).subtracting(known).sorted() == [])
        #expect(Set(known).subtracting(lines).sorted() == [])
        #expect(known.count == Refusal.allCases.count)
    }

    @Test(.holds("OPS-03")) func `has a word of its own for every cause, and the row of a check`() {
        #expect(Set(Refusal.allCases.map { "\($0.word)" }).count == Refusal.allCases.count)
        for refusal in Refusal.allCases {
            #expect("\(refusal.word)".wholeMatch(of: #/[a-z]+(_[a-z]+)*/#) != nil, "\(refusal)")
            #expect("\(refusal.check)".wholeMatch(of: #/[A-Z]{2,5}-[0-9]{2}/#) != nil, "\(refusal)")
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
            case .issuer: #expect([502, 503].contains(refusal.status) || refusal.template == .page)
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
