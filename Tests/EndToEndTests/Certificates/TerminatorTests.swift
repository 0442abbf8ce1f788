import TestSupport
import TestTraits
import Testing

/// Row MTLS-07: `Client-Cert` of a TLS terminator in front (RFC 9440), believed from nobody else.
@Suite(.serialized, .byEachProtocol) struct `a certificate in a field` {
    private static let shared = Shared { try CertificateStage() }
    let stage: CertificateStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    private func ask(
        _ listener: CertificateStage.Listener, _ values: [String], name: String = "Client-Cert",
        certificate: TestCertificate? = nil
    ) throws -> WireResponse {
        let connection = try stage.connect(listener, certificate)
        return try stage.ask(connection, stage.token(stage.client), fields: values.map { "\(name): \($0)" })
    }

    @Test(.holds("MTLS-07"), arguments: ["Client-Cert", "client-cert", "CLIENT-CERT"])
    func `is the client's when a terminator that is trusted says so`(name: String) throws {
        let response = try ask(.trusting, [stage.client.fieldValue], name: name)
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let seen = try #require(stage.upstream.onlyRequest(for: "/bound/a"))
        #expect(!seen.fields.contains("client-cert"))
    }

    @Test(.refuses("MTLS-07")) func `that is another's is not enough`() throws {
        try stage.expectRefused(ask(.trusting, [stage.other.fieldValue]), check: "MTLS-01")
        try stage.expectRefused(ask(.trusting, []), check: "MTLS-02")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("MTLS-07")) func `counts in place of the terminator's own`() throws {
        #expect(try ask(.both, [stage.client.fieldValue], certificate: stage.other).status == 200)
        stage.upstream.forget()
        try stage.expectRefused(ask(.both, [], certificate: stage.client), check: "MTLS-02")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MTLS-07")) func `of anybody else is ignored and stripped`() throws {
        for listener in [CertificateStage.Listener.mistrusting, .off, .optional] {
            try stage.expectRefused(ask(listener, [stage.client.fieldValue]), check: "MTLS-02")
        }
        try stage.expectRefused(ask(.optional, [stage.client.fieldValue], certificate: stage.other), check: "MTLS-01")
        try stage.expectNothingForwarded()
        stage.upstream.forget()
        for listener in [CertificateStage.Listener.mistrusting, .trusting, .optional] {
            let connection = try stage.connect(listener)
            try connection.send(
                request(
                    "GET", "/open/a",
                    fields: [
                        "Client-Cert: \(stage.client.fieldValue)", "Client-Cert-Chain: \(stage.other.fieldValue)",
                        "client_cert: \(stage.client.fieldValue)", "X-Keep: yes",
                    ]))
            #expect(try connection.response().status == 200)
        }
        #expect(stage.upstream.requests.count == 3)
        for seen in stage.upstream.requests {
            #expect(!seen.headText.lowercased().contains("client-cert"), "\(seen.headText)")
            #expect(!seen.headText.lowercased().contains("client_cert"), "\(seen.headText)")
            #expect(seen.fields.only("x-keep") == "yes")
        }
    }

    @Test(
        .refuses("MTLS-07"),
        arguments: [
            "", ":", "::", ":AAAA", "AAAA", ":AA=A:", ":!!!!:", ":AAAA:, :AAAA:", ":AAAA:;a=", "\"AAAA\"", "?1",
            ":AAAA:x",
        ])
    func `that is malformed is refused from the one that is trusted`(value: String) throws {
        let response = try ask(.trusting, [value])
        expectTemplate(response, status: 400)
        #expect(response.isLast)
        try stage.expectCheck(response, "MTLS-07")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("MTLS-07")) func `that is there twice is refused, whichever of them is right`() throws {
        let good = stage.client.fieldValue
        for values in [[good, good], [good, stage.other.fieldValue], [stage.other.fieldValue, good], [good, ""]] {
            let response = try ask(.trusting, values)
            expectTemplate(response, status: 400)
            try stage.expectCheck(response, "MTLS-07")
        }
        try stage.expectNothingForwarded()
    }

    @Test(.holds("MTLS-07")) func `changes from request to request of one connection`() throws {
        let connection = try stage.connect(.trusting)
        let token = stage.token(stage.client)
        let mine = ["Client-Cert: \(stage.client.fieldValue)"]
        let another = ["Client-Cert: \(stage.other.fieldValue)"]
        #expect(try stage.ask(connection, token, fields: mine).status == 200)
        try stage.expectRefused(stage.ask(connection, token, fields: another), check: "MTLS-01")
        try stage.expectRefused(stage.ask(connection, token), check: "MTLS-02")
        #expect(try stage.ask(connection, token, fields: mine).status == 200)
    }
}
