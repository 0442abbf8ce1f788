import TestSupport
import TestTraits
import Testing

/// Rows MTLS-01 to MTLS-06, MTLS-08 and RS-23: tokens that are bound to the client's certificate (RFC 8705).
@Suite(.serialized, .byEachProtocol) struct `a token bound to a certificate` {
    private static let shared = Shared { try CertificateStage() }
    let stage: CertificateStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
        stage.issuer.introspect(introspected())
    }

    @Test(.holds("H2-69", "MTLS-01", "MTLS-08"), arguments: [TLSVersion.tls12, .tls13])
    func `passes as Bearer on a connection with its certificate`(version: TLSVersion) throws {
        for listener in [CertificateStage.Listener.optional, .required, .authority] {
            let connection = try stage.connect(listener, stage.client, version: version)
            for _ in 0..<3 {
                let response = try stage.ask(connection, stage.token(stage.client))
                #expect(response.status == 200, "\(listener) \(response.headText)\(stage.gateway.diagnosis)")
            }
        }
        #expect(stage.upstream.requests.count == 9)
        #expect(stage.upstream.requests.allSatisfy { !$0.fields.contains("authorization") })
    }

    @Test(.refuses("H2-69", "MTLS-01")) func `is refused on a connection with another certificate`() throws {
        for listener in [CertificateStage.Listener.optional, .required, .authority] {
            let connection = try stage.connect(listener, stage.other)
            try stage.expectRefused(stage.ask(connection, stage.token(stage.client)), check: "MTLS-01")
        }
        try stage.expectNothingForwarded()
    }

    @Test(.holds("MTLS-01")) func `is judged for each token of a connection`() throws {
        let connection = try stage.connect(.optional, stage.client)
        #expect(try stage.ask(connection, stage.token(stage.client)).status == 200)
        try stage.expectRefused(stage.ask(connection, stage.token(stage.other)), check: "MTLS-01")
        #expect(try stage.ask(connection, stage.token(stage.client)).status == 200)
        #expect(try stage.ask(connection, stage.tokens.token()).status == 200)
    }

    @Test(.refuses("H2-69", "MTLS-02")) func `is refused on a connection without a certificate`() throws {
        for listener in [CertificateStage.Listener.optional, .off, .mistrusting] {
            let connection = try stage.connect(listener)
            try stage.expectRefused(stage.ask(connection, stage.token(stage.client)), check: "MTLS-02")
        }
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MTLS-02")) func `says that there is no certificate, and MTLS-01 that there is another one`() throws
    {
        func told(_ certificate: TestCertificate?) throws -> (client: String?, line: LogLine?) {
            let response = try stage.ask(stage.connect(.optional, certificate), stage.token(stage.client))
            let id = response.fields.only("x-request-id")
            return (
                try challenges(response)["Bearer"]?["error_description"],
                stage.gateway.operatorLine { $0["request_id"] == id }
            )
        }
        let none = try told(nil)
        #expect(none.client == "The access token is bound to a client certificate, and the connection has none")
        #expect(none.line?["cause"] == "certificate_missing")
        #expect(none.line?["expected"] == "the client certificate with the digest in cnf.x5t#S256")
        #expect(none.line?["found"] == "none")
        let other = try told(stage.other)
        #expect(other.client == "The access token is bound to another client certificate than the connection's")
        #expect(other.line?["cause"] == "certificate_mismatch")
        #expect(other.line?["expected"] == "x5t#S256 " + stage.client.thumbprint)
        #expect(other.line?["found"] == stage.other.thumbprint)
    }

    @Test(.holds("MTLS-02")) func `is judged by connection, though the token was seen before on a better one`() throws {
        let token = stage.token(stage.client)
        #expect(try stage.ask(stage.connect(.optional, stage.client), token).status == 200)
        try stage.expectRefused(stage.ask(stage.connect(.optional), token), check: "MTLS-02")
        try stage.expectRefused(stage.ask(stage.connect(.optional, stage.other), token), check: "MTLS-01")
    }

    @Test(.holds("MTLS-03")) func `may be opaque, and is bound by the server's word`() throws {
        stage.issuer.introspect(introspected(["cnf": stage.client.confirmation]))
        let connection = try stage.connect(.optional, stage.client)
        #expect(try stage.ask(connection, opaqueToken()).status == 200)
    }

    @Test(.refuses("MTLS-03")) func `is refused with another certificate or none, opaque or not`() throws {
        stage.issuer.introspect(introspected(["cnf": stage.client.confirmation]))
        try stage.expectRefused(stage.ask(stage.connect(.optional, stage.other), opaqueToken()), check: "MTLS-01")
        try stage.expectRefused(stage.ask(stage.connect(.optional), opaqueToken()), check: "MTLS-02")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MTLS-04")) func `may be bound to a certificate that nobody vouches for where any is good`() throws {
        for listener in [CertificateStage.Listener.optional, .required] {
            let connection = try stage.connect(listener, stage.stranger)
            #expect(try stage.ask(connection, stage.token(stage.stranger)).status == 200)
        }
    }

    @Test(.refuses("MTLS-04"), arguments: [TLSVersion.tls12, .tls13])
    func `is of no use with a certificate of another authority where one is named`(version: TLSVersion) throws {
        for certificate in [stage.stranger, nil] {
            #expect(throws: WireFailure.self) {
                let connection = try stage.connect(.authority, certificate, version: version)
                _ = try stage.ask(connection, stage.token(stage.stranger))
            }
        }
        #expect(throws: WireFailure.self) {
            _ = try stage.ask(stage.connect(.required, nil, version: version), stage.tokens.token())
        }
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MTLS-05")) func `is refused where no certificate is asked for, though the client has it`() throws {
        let connection = try stage.connect(.off, stage.client)
        try stage.expectRefused(stage.ask(connection, stage.token(stage.client)), check: "MTLS-02")
        #expect(try stage.ask(connection, stage.tokens.token()).status == 200)
    }

    @Test(.refuses("MTLS-06"), arguments: [TLSVersion.tls12, .tls13])
    func `passes, or is refused, on a resumed connection as on the first`(version: TLSVersion) throws {
        for listener in [CertificateStage.Listener.optional, .required, .authority] {
            let first = try stage.connect(listener, stage.client, version: version)
            #expect(try stage.ask(first, stage.token(stage.client)).status == 200)
            let session = try #require(first.tls?.session)
            first.close()
            // Without the certificate at hand: whatever is known of it comes from the session.
            let identity = listener == .optional ? nil : stage.client
            let again = try stage.connect(listener, identity, session: session, version: version)
            let isResumed = again.tls?.isResumed == true
            let response = try stage.ask(again, stage.token(stage.client))
            #expect(response.status == (isResumed || identity != nil ? 200 : 401), "\(listener) \(isResumed)")
            try stage.expectRefused(
                stage.ask(again, stage.token(stage.other)), check: isResumed || identity != nil ? "MTLS-01" : "MTLS-02")
        }
    }

    @Test(.refuses("MTLS-06")) func `is refused on a resumed connection that never had a certificate`() throws {
        let first = try stage.connect(.optional)
        #expect(try stage.ask(first, stage.tokens.token()).status == 200)
        let session = try #require(first.tls?.session)
        let again = try stage.connect(.optional, stage.client, session: session)
        if again.tls?.isResumed == true {
            try stage.expectRefused(stage.ask(again, stage.token(stage.client)), check: "MTLS-02")
        } else {
            #expect(try stage.ask(again, stage.token(stage.client)).status == 200)
        }
    }

    @Test(.refuses("MTLS-08"), arguments: ["MTLS", "mTLS", "PoP"])
    func `is no token in another scheme`(scheme: String) throws {
        let connection = try stage.connect(.optional, stage.client)
        try connection.send(
            request("GET", "/bound/a", fields: ["Authorization: \(scheme) \(stage.token(stage.client))"]))
        let response = try connection.response()
        expectTemplate(response, status: 401)
        #expect(!response.headText.contains("error"))
        try stage.expectNothingForwarded()
    }

    // MARK: bound twice

    private func both(_ certificate: TestCertificate, _ call: ProofCall) -> String {
        let jkt = call.client.thumbprint
        return stage.tokens.token(["cnf": "{\"jkt\":\"\(jkt)\",\"x5t#S256\":\"\(certificate.thumbprint)\"}"])
    }

    private func send(_ call: ProofCall, _ token: String, _ certificate: TestCertificate?) throws -> WireResponse {
        var call = call
        call.url = "https://gateway.test/bound/a"
        let connection = try stage.connect(.optional, certificate)
        try connection.send(request("GET", "/bound/a", fields: call.fields(token: token)))
        return try connection.response()
    }

    @Test(.holds("RS-23")) func `passes with the proof and the certificate when it is bound to both`() throws {
        let call = ProofCall()
        let response = try send(call, both(stage.client, call), stage.client)
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
    }

    @Test(.refuses("RS-23")) func `is refused with only one of the two`() throws {
        let call = ProofCall()
        let token = both(stage.client, call)
        let bare = try send(call, token, nil)
        #expect(bare.status == 401)
        try stage.expectCheck(bare, "MTLS-02")
        let wrong = try send(call, token, stage.other)
        #expect(wrong.status == 401)
        try stage.expectCheck(wrong, "MTLS-01")
        let foreign = try send(ProofCall(client: ProofMint(key: .p256)), token, stage.client)
        #expect(foreign.status == 401)
        try stage.expectCheck(foreign, "DPOP-19")
        let bearer = try stage.ask(stage.connect(.optional, stage.client), token)
        try stage.expectRefused(bearer, check: "DPOP-20")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("RS-23")) func `keeps its proof for the connection with the right certificate`() throws {
        var call = ProofCall()
        call.url = "https://gateway.test/bound/a"
        let message = request("GET", "/bound/a", fields: call.fields(token: both(stage.client, call)))
        for (certificate, status) in [(stage.other, 401), (stage.client, 200), (stage.client, 401)] {
            let connection = try stage.connect(.optional, certificate)
            try connection.send(message)
            #expect(try connection.response().status == status)
        }
    }
}
