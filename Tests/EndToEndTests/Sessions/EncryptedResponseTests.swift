import Crypto
import JOSE
import TestSupport
import TestTraits
import Testing

/// Rows OPS-04 and OPS-05 where it takes milliseconds of a private key to read what a browser brings.
@Suite(.byEachProtocol) struct `encrypted authorization responses` {
    private static let start = "/.portcullis/login/web?return_to=/app/a"
    private let stage: SessionStage
    private let key: DecryptionJWK

    init() throws {
        let pem = try SigningKey(.rsa(bits: 3072)).pem()
        key = try DecryptionJWK(pem: Secret(Array(pem.utf8)), algorithm: "RSA-OAEP-256")
        stage = try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web }",
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                ],
                client: [
                    "authorization_request: plain", "response_mode: query.jwt",
                    "decryption_keys: [{ key: { file: $FOLDER/decryption.pem } }]",
                ], files: ["decryption.pem": pem]))
    }

    /// A browser on its way to the callback, and the target that it brings.
    private func arriving() throws -> (CookieJar, target: String) {
        let started = try stage.exchange("GET", Self.start)
        var browser = CookieJar()
        browser.take(started)
        let location = try #require(started.fields.only("location"), "\(stage.gateway.diagnosis)")
        let back = try stage.server.authorize(location, encryptingTo: key)
        return (browser, String(back.dropFirst("https://gateway.test".utf8.count)))
    }

    @Test(.holds("OPS-04")) func `log people in, many at once`() throws {
        let arrivals = try (0..<20).map { _ in try arriving() }
        let clients = try arrivals.map { browser, target in
            let client = try stage.gateway.client()
            try client.send(request("GET", target, fields: browser.lines + navigation))
            return client
        }
        for (client, (browser, _)) in zip(clients, arrivals) {
            let answer = try client.response()
            #expect(answer.status == 303, "\(answer.headText)\(stage.gateway.diagnosis)")
            #expect(answer.fields.only("location") == "/app/a")
            var browser = browser
            browser.take(answer)
            #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200)
        }
        #expect(eventually { stage.gateway.reading("portcullis_parked_requests") == 0 })
    }

    @Test(.refuses("CF-03", "OPS-05")) func `of somebody who began no login are refused, and log nobody in`() throws {
        let (browser, target) = try arriving()
        for fields in [[], ["Cookie: \(browser.cookies[0].name)=made-up"], ["Cookie: __Host-portcullis-login-x=y"]] {
            let answer = try stage.exchange("GET", target, fields: fields + navigation)
            #expect(answer.status == 400, "\(answer.headText)")
            #expect(answer.fields["location"].isEmpty)
            let line = try #require(
                stage.gateway.operatorLine { $0["request_id"] == answer.fields.only("x-request-id") })
            #expect(line["cause"] == "login_transaction_unknown", "\(line.raw)")
        }
        #expect(stage.server.requests(for: "authorization_code").isEmpty)
        // It is good still for the browser that it was made for.
        #expect(try stage.exchange("GET", target, browser: browser, fields: navigation).status == 303)
    }

    @Test(.refuses("CF-20")) func `that nobody can decrypt are refused, and the connection goes on`() throws {
        let (browser, target) = try arriving()
        let client = try stage.gateway.client()
        // The last octets of the ciphertext's tag.
        let forged = target.dropLast(2) + (target.hasSuffix("AA") ? "BA" : "AA")
        try client.send(
            request("GET", String(forged), fields: browser.lines + navigation) + request("GET", "/open/a"))
        let answers = try client.responses(2)
        #expect(answers.map(\.status) == [400, 200], "\(answers[0].headText)")
        #expect(stage.server.requests(for: "authorization_code").isEmpty)
        #expect(try stage.exchange("GET", target, browser: browser, fields: navigation).status == 303)
    }
}
