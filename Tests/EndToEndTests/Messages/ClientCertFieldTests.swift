import TestSupport
import TestTraits
import Testing

/// Row HTTP-54: the certificate of the client, told to an upstream by nobody but the gateway (RFC 9440).
@Suite(.serialized, .byEachProtocol) struct `the certificate that an upstream is told` {
    private static let shared = Shared { try CertificateStage() }
    let stage: CertificateStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    private static let forged = ["Client-Cert: :MIIB:", "Client-Cert-Chain: :MIIB:", "client_cert: :MIIB:"]

    private func seen(
        _ listener: CertificateStage.Listener, _ certificate: TestCertificate?, fields: [String] = [],
        path: String = "/told/a"
    ) throws -> WireRequest {
        stage.upstream.forget()
        let connection = try stage.connect(listener, certificate)
        try connection.send(request("GET", path, fields: fields))
        let answer = try connection.response()
        #expect(answer.status == 200, "\(answer.headText)\(stage.gateway.diagnosis)")
        return try #require(stage.upstream.onlyRequest(for: path))
    }

    @Test(.holds("HTTP-54")) func `is the connection's, in one byte sequence`() throws {
        for listener in [CertificateStage.Listener.optional, .required, .authority] {
            let told = try seen(listener, stage.client, fields: Self.forged)
            #expect(told.fields["client-cert"] == [stage.client.fieldValue])
            #expect(!told.headText.contains(":MIIB:"))
            #expect(!told.fields.contains("client-cert-chain"))
        }
        // An RSA certificate's base64 ends otherwise.
        #expect(try seen(.optional, stage.stranger).fields["client-cert"] == [stage.stranger.fieldValue])
    }

    @Test(.holds("HTTP-54")) func `is the same with each request of a connection`() throws {
        let connection = try stage.connect(.optional, stage.client)
        for number in 0..<3 {
            try connection.send(request("GET", "/told/\(number)", fields: Self.forged))
            #expect(try connection.response().status == 200)
        }
        #expect(
            stage.upstream.requests.map { $0.fields["client-cert"] }
                == .init(repeating: [stage.client.fieldValue], count: 3))
    }

    @Test(.refuses("HTTP-54")) func `is absent where the client has shown none, whatever it says`() throws {
        for listener in [CertificateStage.Listener.optional, .off, .mistrusting] {
            let told = try seen(listener, nil, fields: Self.forged)
            #expect(!told.headText.lowercased().contains("client-cert"), "\(told.headText)")
            #expect(!told.headText.lowercased().contains("client_cert"), "\(told.headText)")
        }
    }

    @Test(.holds("HTTP-54"), .refuses("HTTP-54")) func `is absent on a route that does not send it`() throws {
        let told = try seen(.optional, stage.client, fields: Self.forged, path: "/open/a")
        #expect(!told.headText.lowercased().contains("client-cert"), "\(told.headText)")
    }

    @Test(.holds("HTTP-54")) func `is what a trusted terminator says of its client, written anew`() throws {
        let told = try seen(.trusting, nil, fields: ["Client-Cert: \(stage.client.fieldValue);a=b"])
        #expect(told.fields["client-cert"] == [stage.client.fieldValue])
        #expect(!(try seen(.trusting, nil).fields.contains("client-cert")))
        let both = try seen(.both, stage.other, fields: ["Client-Cert: \(stage.client.fieldValue)"])
        #expect(both.fields["client-cert"] == [stage.client.fieldValue])
    }

    @Test(.refuses("HTTP-54")) func `is refused when the terminator's field cannot be read`() throws {
        let connection = try stage.connect(.trusting)
        try connection.send(request("GET", "/told/a", fields: ["Client-Cert: :MIIB:"]))
        expectTemplate(try connection.response(), status: 400)
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("HTTP-54"),
        arguments: [
            ["Vary: Client-Cert"], ["vary: Accept, client-cert"], ["Vary: Accept", "Vary: Client-Cert-Chain, Origin"],
        ])
    func `is nothing that a cache could choose by`(lines: [String]) throws {
        stage.upstream.answer("/told/a", with: .answer(200, fields: lines))
        let connection = try stage.connect(.optional, stage.client)
        try connection.send(request("GET", "/told/a"))
        #expect(try connection.response().fields["vary"] == ["*"])
    }

    @Test(.holds("HTTP-54")) func `leaves the Vary of other fields as it is`() throws {
        let lines = ["Vary: Accept, X-Client-Cert, Client-Certificate", "Vary: Origin"]
        stage.upstream.answer("/told/a", with: .answer(200, fields: lines))
        let connection = try stage.connect(.optional, stage.client)
        try connection.send(request("GET", "/told/a"))
        #expect(try connection.response().fields["vary"] == ["Accept, X-Client-Cert, Client-Certificate", "Origin"])
    }
}
