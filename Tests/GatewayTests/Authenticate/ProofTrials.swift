import Access
import Crypto
import Issuers
import JOSE
import OAuth
import TestSupport

@testable import Gateway

/// A request with a proof for each cause that can refuse one, and why every other cause cannot.
extension ProofTrial {
    static let all = messages + ways + credentials + tokens + tokenTimes + proofs + senders + rights + upstreams

    private static func trial(
        _ cause: Refusal, _ name: String? = nil, _ make: @escaping @Sendable (inout ExplainRig) -> Void
    ) -> ProofTrial {
        ProofTrial(cause: cause, name: name ?? "\(cause)", make: make)
    }

    private static func edited(_ cause: Refusal, _ old: String, _ new: String) -> ProofTrial {
        ProofTrial(
            cause: cause, name: "\(cause)",
            edit: { text in
                guard let place = text.firstRange(of: old) else { return text }
                return text.replacingCharacters(place, by: new)
            })
    }

    /// The first bytes of a chunked body come with the head, and are not to be accepted.
    private static func body(
        _ cause: Refusal, _ bytes: String, _ make: @escaping @Sendable (inout ExplainRig) -> Void = { _ in }
    ) -> ProofTrial {
        ProofTrial(
            cause: cause, name: "\(cause), in a body",
            make: {
                $0.fields.append("Transfer-Encoding: chunked")
                make(&$0)
            }, edit: { $0 + bytes })
    }

    private static let messages = [
        trial(.malformedMessage) { $0.fields.append("A b: c") },
        trial(.unknownTransferCoding) { $0.fields.append("Transfer-Encoding: gzip, chunked") },
        edited(.versionNotSupported, " HTTP/1.1", " HTTP/2.0"),
        trial(.expectationUnknown) { $0.fields.append("Expect: something") },
        trial(.requestLineTooLong) { $0.url += "?" + String(repeating: "x", count: 9000) },
        trial(.headerSectionTooLarge) { rig in (0..<120).forEach { rig.fields.append("X-\($0): a") } },
        trial(.requestBodyTooLarge) {
            $0.settings.limits.requestBody = 10
            $0.fields.append("Content-Length: 11")
        },
        body(.malformedMessage, "2\r\nabc\r\n"),
        body(.requestBodyTooLarge, "b\r\nhello world\r\n") { $0.settings.limits.requestBody = 10 },
        trial(.reservedConnectionOption) { $0.fields.append("Connection: X-Request-Id") },
        trial(.loopDetected) { $0.fields.append("Via: 1.1 \($0.settings.via)") },
    ]

    private static let ways = [
        ProofTrial(
            cause: .plainHTTP, name: "plainHTTP",
            prepare: { _, exchange in exchange.pointee.client.pointee.clearText = .atTLS }),
        edited(.authorityUnknown, "Host: shop.example.com", "Host: other.example.com"),
        trial(.pathAmbiguous) { $0.url = "https://shop.example.com/api/orders/a%2Fb" },
        trial(.pathMatchesTwoRoutes) { $0.url = "https://shop.example.com/api//orders/7" },
        trial(.pathBehindExactRoute) {
            let (orders, upstream) = ($0.settings.routes[0], $0.settings.routes[0].upstream)
            $0.settings.routes += [
                RouteSettings(name: "exact", path: "/exact", upstream: upstream, access: orders.access),
                RouteSettings(name: "all", path: "/", upstream: upstream, access: .publicAccess),
            ]
            $0.url = "https://shop.example.com/exact/behind"
        },
        trial(.routeUnknown) { $0.url = "https://shop.example.com/nowhere" },
        trial(.methodNotAllowed) { $0.method = "DELETE" },
        edited(.connectRefused, "GET /api/orders/7 ", "CONNECT shop.example.com:443 "),
        trial(.originNotAllowed) {
            $0.settings.routes[0].allowedOrigins = ["https://shop.example.com"]
            $0.fields.append("Origin: https://evil.example")
        },
        trial(.webSocketOfferMalformed) {
            $0.settings.routes[0].webSocket = true
            $0.fields += ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        },
        trial(.webSocketVersionUnknown) {
            $0.settings.routes[0].webSocket = true
            $0.fields += ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 8"]
        },
    ]

    private static let credentials = [
        trial(.credentialsMissing) { $0.scheme = nil },
        trial(.credentialsMalformed) { $0.scheme = "DPoP and" },
        trial(.credentialsRepeated) { $0.fields.append("Authorization: Bearer abc") },
        trial(.credentialsInQueryToo) { $0.url += "?access_token=abc" },
        trial(.schemeNotEnabled) { $0.policy.schemes = [.bearer] },
    ]

    private static let tokens = [
        trial(.tokenTooLarge) { $0.claims["x"] = "\"\(String(repeating: "x", count: 20_000))\"" },
        trial(.tokenMalformed) { $0.token = "opaque" },
        trial(.tokenEncrypted) { $0.token = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.YQ.YQ.YQ.YQ" },
        trial(.tokenTypeNotAccepted) { $0.header["typ"] = "\"JWT\"" },
        trial(.tokenAlgorithmNotAllowed) {
            $0.mint.key = .p384
            $0.mint.algorithm = .es384
        },
        trial(.tokenKeyUnknown) { $0.header["kid"] = "\"other\"" },
        trial(.tokenKeyAmbiguous) {
            let others = (0..<20).map { SigningKey(renaming: .otherP256, keyID: "other-\($0)") }
            $0.keys = SigningKey.keySet(others + [$0.mint.key])
            $0.header["kid"] = String?.none
        },
        trial(.tokenSignatureInvalid) { $0.mint.key = SigningKey(renaming: .otherP256, keyID: "p256-1") },
        trial(.tokenIssuerUnknown) { $0.claims["iss"] = "\"https://other.example\"" },
        trial(.tokenIssuerNotAccepted) { $0.claims["iss"] = "\"https://partners.example.com\"" },
        trial(.issuerKeysUnavailable) { $0.claims["iss"] = "\"https://partners.example.com\"" },
        trial(.tokenClaimMissing) { $0.claims["jti"] = String?.none },
        trial(.tokenClaimMalformed) { $0.claims["sub"] = "\"\"" },
        trial(.tokenLooksLikeIDToken) {
            $0.settings.issuers[0].rules.acceptedTypes = [.accessTokenJWT, .plainJWT]
            $0.header["typ"] = "\"JWT\""
            $0.claims["nonce"] = "\"n\""
        },
        trial(.tokenOfOtherPurpose) {
            $0.settings.issuers[0].rules.profile = .legacy
            $0.claims["events"] = "{}"
        },
        trial(.tokenAudienceMissing) { $0.claims["aud"] = "\"other\"" },
        lookedUp(.tokenInactive), lookedUp(.introspectionUnavailable), lookedUp(.introspectionAnswerTooLarge),
        ProofTrial(
            cause: .unknownTokensTooMany, name: "unknownTokensTooMany", make: opaque,
            prepare: { worker, exchange in
                for _ in 0..<1000 {
                    worker.pointee.questions.failures.charge(
                        worker.askingClient(exchange), at: worker.clock.microseconds())
                }
            }),
    ]

    private static let opaque: @Sendable (inout ExplainRig) -> Void = {
        $0.token = "c29tZS1vcGFxdWUtdG9rZW4"
        $0.settings.issuers[0].introspection = IntrospectionSettings(client: 0)
    }

    /// What the issuer said of an opaque token, or did not say.
    private static func lookedUp(_ cause: Refusal) -> ProofTrial {
        ProofTrial(
            cause: cause, name: "\(cause)", make: opaque,
            prepare: { _, exchange in exchange.pointee.findings.lookup = .refused(Refused(cause)) })
    }

    private static let tokenTimes = [
        trial(.tokenExpired) { $0.claims["exp"] = "\(ExplainRig.now - 1000)" },
        trial(.tokenNotYetValid) { $0.claims["nbf"] = "\(ExplainRig.now + 900)" },
        trial(.tokenIssuedInFuture) { $0.claims["iat"] = "\(ExplainRig.now + 900)" },
    ]

    private static let proofs = [
        trial(.proofMissing) { $0.proof = nil },
        trial(.proofRepeated) { $0.proof?.count = 2 },
        trial(.proofTooLarge) { $0.proof?.claims["x"] = "\"\(String(repeating: "x", count: 10_000))\"" },
        trial(.proofMalformed) { $0.proof?.header["alg"] = String?.none },
        trial(.proofTypeNotAccepted) { $0.proof?.header["typ"] = "\"JWT\"" },
        trial(.proofAlgorithmNotAllowed) { $0.policy.dpop.algorithms = [.edDSA] },
        trial(.proofKeyInvalid) { $0.proof?.header["jwk"] = "{\"kty\":\"EC\"}" },
        trial(.proofClaimMissing) { $0.proof?.claims["ath"] = String?.none },
        trial(.proofClaimMalformed) { $0.proof?.claims["iat"] = "\"now\"" },
        trial(.proofMethodMismatch) { $0.proof?.claims["htm"] = "\"PUT\"" },
        trial(.proofTargetMismatch) { $0.proof?.claims["htu"] = "\"https://other.example/\"" },
        trial(.proofOutOfTime) { $0.proof?.claims["iat"] = "1" },
        trial(.proofNonceMissing) { $0.policy.dpop.nonce = .required },
        trial(.proofNonceUnknown) {
            $0.policy.dpop.nonce = .required
            $0.proof?.claims["nonce"] = "\"something\""
        },
        trial(.proofTokenMismatch) { $0.proof?.claims["ath"] = "\"other\"" },
        trial(.proofSignatureInvalid) {
            $0.proof?.header["jwk"] = SigningKey(renaming: .p256, keyID: nil).publicJWK()
        },
        trial(.proofKeyMismatch) { $0.claims["cnf"] = "{\"jkt\":\"\(ProofMint(key: .otherP256).thumbprint)\"}" },
    ]

    /// Bound to the proof's key and to a certificate.
    private static let boundTwice =
        "{\"jkt\":\"\(ProofMint(key: ExplainRig.Proof.key).thumbprint)\","
        + "\"x5t#S256\":\"A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0\"}"

    private static let senders = [
        trial(.tokenBoundToKey) { $0.scheme = "Bearer" },
        trial(.tokenNotBound) { $0.claims["cnf"] = String?.none },
        trial(.certificateMissing) { $0.claims["cnf"] = boundTwice },
        trial(.certificateMismatch) {
            $0.claims["cnf"] = boundTwice
            $0.certificate = SHA256.hash(Array("another".utf8).span)
        },
        trial(.clientCertFieldInvalid) {
            $0.claims["cnf"] = boundTwice
            $0.settings.listeners[0].clientCertFieldFrom = ["10.0.0.0/8"]
            $0.peer = "10.0.0.5"
            $0.fields = ["Client-Cert: nonsense"]
        },
    ]

    private static let rights = [
        trial(.scopeInsufficient) { $0.claims["scope"] = "\"openid\"" },
        trial(.authorizationDetailsInsufficient) {
            $0.policy.authorizationDetails = [AuthorizationDetailsRule(type: "order")]
        },
        trial(.authorizationDetailsMalformed) {
            $0.policy.authorizationDetails = [AuthorizationDetailsRule(type: "order")]
            $0.claims["authorization_details"] = "7"
        },
        trial(.authenticationInsufficient) { $0.policy.rights.acrValues = ["mfa"] },
        trial(.authenticationTooOld) { $0.policy.rights.maximumAge = .seconds(60) },
        trial(.grpcMethodNotAllowed) {
            $0.policy.rights = RightsSettings(scopesByGRPCMethod: ["/a.S/*": []])
            $0.method = "POST"
        },
        trial(.userRequired) {
            $0.policy.userOnly = true
            $0.claims["sub"] = "\"client-1\""
        },
        trial(.claimRuleUnmet) { $0.policy.rights.claims = [ClaimRuleSettings(claim: ["tenant"], anyOf: ["acme"])] },
    ]

    /// What the upstream would be sent, and whether it has room.
    private static let upstreams = [
        trial(.callTimeoutMalformed) {
            $0.settings.routes[0].isGRPC = true
            $0.method = "POST"
            $0.fields += ["Content-Type: application/grpc", "grpc-timeout: 1x"]
        },
        trial(.identityTooLarge) {
            $0.settings.limits.accessToken = 60_000
            $0.settings.limits.fieldLine = 64_000
            $0.settings.issuers[0].rules.maximumTokenBytes = 60_000
            $0.settings.routes[0].identity = [IdentityFieldSettings(name: "X-Big", claim: ["big"])]
            $0.claims["big"] = "\"" + String(repeating: "x", count: 33_000) + "\""
        },
        trial(.tokenBoundToKey, "a bound token that is to be passed on") { $0.settings.routes[0].credential = .pass },
        exchanged(.exchangeSubjectRefused), exchanged(.exchangeTargetRefused), exchanged(.exchangeUnavailable),
        exchanged(.clientWaitersTooMany),
        ProofTrial(
            cause: .upstreamConnectionsExhausted, name: "upstreamConnectionsExhausted",
            prepare: { worker, _ in
                worker.pointee.upstreams.pools[0].pointee.connectionCount =
                    worker.pointee.policy.limits.upstreamConnections
            }, restore: { $0.pointee.upstreams.pools[0].pointee.connectionCount = 0 }),
        ProofTrial(
            cause: .upstreamShareExhausted, name: "upstreamShareExhausted",
            prepare: { worker, exchange in
                let (pool, half) = (worker.pointee.upstreams.pools[0], worker.pointee.policy.shares.upstream.most)
                pool.pointee.connectionCount = half
                pool.pointee.users = ClientNetworks()
                pool.pointee.users?.add(exchange.pointee.address.networkWords, .connections, half)
            },
            restore: {
                $0.pointee.upstreams.pools[0].pointee.connectionCount = 0
                $0.endCounting()
            }),
    ]

    /// What the authorization server said of an exchange for a token for the upstream.
    private static func exchanged(_ cause: Refusal) -> ProofTrial {
        ProofTrial(
            cause: cause, name: "\(cause)",
            make: { $0.settings.routes[0].credential = .exchange(ExchangeSettings(client: 0, audience: ["tools"])) },
            prepare: { _, exchange in exchange.pointee.findings.exchanged = .refused(Refused(cause)) })
    }

    /// Why a cause refuses no request whose proof could have been spent.
    static func reasonAgainst(_ cause: Refusal) -> String? {
        switch cause {
        case .requestHeadTooSlow, .tooManyConnections, .clientConnectionsTooMany, .proxyHeaderRefused:
            "there is no request yet"
        case .tunnelProtocolUnknown: "of a head of HTTP/2 that becomes no request: WebSocketStreamTests tries it"
        case .callTimedOut: "said in place of a wait; WaitingCallTests tries it"
        case .requestBodyTooSlow: "the body's own bytes tell, after the request was let through"
        case .serverNameDisagrees: "needs a TLS handshake; judged with the authority, before the route"
        case .failedVerificationsTooMany: "said in place of a verification; ProveSenderTests tries it"
        case .keyWaitersTooMany: "said in place of a wait, and who waits has spent nothing"
        case .addressRateExceeded, .requestRateExceeded:
            "a rate is counted before the proof is spent; RequestRateTests tries it"
        case .proofReplayed, .replaySetFull, .clientProofsTooMany: "what spending the proof says itself"
        case .storeUnavailable, .storeBusy, .storeForgot:
            "said when the proof is spent here; that who may not wait has spent nothing is in ShareProofsTests"
        case .upstreamUnresolved, .upstreamUnreachable, .upstreamTLSFailed, .upstreamProtocol, .upstreamClosed,
            .upstreamMalformed,
            .upstreamSwitchedProtocols, .upstreamConnectTimedOut, .upstreamTimedOut, .upstreamUnauthorized:
            "the network tells, after the request was let through"
        case .sessionScopeInsufficient, .loginRequired, .crossSiteRequest, .sessionStoreUnavailable,
            .sessionRefreshUnavailable:
            "of a browser's session, which stands in for a token: no proof is looked at"
        case _ where cause.template == .page || cause == .requestObjectUnknown:
            "of a path of logins: no token is looked at"
        default: nil
        }
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<String.Index>, by other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
