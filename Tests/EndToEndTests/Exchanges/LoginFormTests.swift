import TestSupport
import TestTraits
import Testing

/// Forms that are sent to the paths of logins, slowly: row OPS-05, and HTTP-66 for what no upstream ever sees.
@Suite(.serialized, .byEachProtocol) struct `login forms that come slowly` {
    private static func stage(_ settings: String = "") throws -> Stage {
        try Stage(
            StagePlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: { client: web } }"],
                publicURL: "https://gateway.test",
                settings: """
                    clients:
                      web:
                        issuer: main
                        id: web
                        authentication: { method: client_secret_basic, secret: { file: $FOLDER/client.secret } }
                    \(settings)
                    """,
                files: ["client.secret": "a secret of thirty-two letters, or so"]))
    }

    private static let beginning =
        "POST /.portcullis/logout/web HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 60000\r\n\r\na"

    @Test(.refuses("OPS-05")) func `unfinished forms keep nobody else from logging in or out`() throws {
        let stage = try Self.stage("timeouts: { request_body: 10m }")
        var slow: [RawClient] = []
        for _ in 0..<520 {
            let client = try stage.gateway.client()
            try client.send(Self.beginning)
            slow.append(client)
        }
        let page = try stage.exchange("GET", "/.portcullis/logout/web")
        #expect(page.status == 200, "\(page.headText)")
        #expect(page.bodyText.contains("Do you want to sign out?"))
        for client in slow { client.close() }
    }

    @Test(.refuses("HTTP-66")) func `a form that comes a byte at a time has no more time than any other`() throws {
        let stage = try Self.stage("timeouts: { request_body: 1s }")
        let client = try stage.gateway.client()
        try client.send(Self.beginning)
        var sent = 0
        while sent < 100, client.staysSilent(for: .milliseconds(100)) {
            try client.send("a")
            sent += 1
        }
        let answer = try client.response(to: "POST")
        #expect(answer.status == 408, "\(answer.headText)")
        #expect(sent < 100)
    }
}
