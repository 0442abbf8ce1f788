import TestSupport
import TestTraits
import Testing

/// Row ECO-97: a login on a developer's machine, by plain HTTP.
@Suite(.serialized) struct `a login at localhost without TLS` {
    @Test(.holds("ECO-97")) func `works, with the cookies that it has elsewhere, and is warned of`() throws {
        let server = try LoginServer()
        let upstream = try RecordingUpstream()
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://localhost:8080", insecure_allow_http: true }]
            admin: { address: "127.0.0.1:0" }
            issuers: { main: { url: "\(server.url)", insecure_allow_http: true, discovery: openid } }
            clients:
              web:
                issuer: main
                id: web
                authentication: { method: client_secret_basic, secret: { file: $FOLDER/web.secret } }
                id_token: { algorithm: ES256 }
            routes: [{ path: /app/, upstream: "\(upstream.url)", login: web, identity: { X-User: sub } }]
            log: { level: debug, operator: stderr, access: stdout }

            """, files: ["web.secret": "a secret of the client's"])
        let origin = "http://localhost:8080"
        func exchange(_ target: String, _ browser: CookieJar, _ fields: [String] = []) throws -> WireResponse {
            try gateway.exchange(
                "GET \(target) HTTP/1.1\r\nHost: localhost:8080\r\n"
                    + (browser.lines + fields).map { $0 + "\r\n" }.joined() + "\r\n")
        }
        var browser = CookieJar()
        let sent = try exchange("/app/a", browser, navigation)
        #expect(sent.status == 303, "\(sent.headText)")
        let started = try exchange(try #require(sent.fields.only("location")), browser)
        browser.take(started)
        let back = try server.authorize(try #require(started.fields.only("location"), "\(gateway.diagnosis)"))
        #expect(back.hasPrefix(origin + "/.portcullis/callback/web?"))
        let answer = try exchange(String(back.dropFirst(origin.utf8.count)), browser)
        browser.take(answer)
        let cookies = answer.fields["set-cookie"]
        #expect(!cookies.isEmpty && cookies.allSatisfy { $0.hasPrefix("__Host-") && $0.contains("; Secure; HttpOnly") })
        #expect(try exchange("/app/a", browser).status == 200)
        #expect(try #require(upstream.onlyRequest(for: "/app/a")).fields.only("x-user") == "alice")
        #expect(
            gateway.operatorLine {
                $0["event"] == "insecure_setting" && $0["setting"] == "listeners[0].insecure_allow_http"
            } != nil)
    }
}
