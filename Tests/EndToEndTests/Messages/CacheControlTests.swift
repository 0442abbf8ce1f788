import TestSupport
import TestTraits
import Testing

/// Row HTTP-69: what caches in between may keep.
@Suite(.serialized, .byEachProtocol) struct `what caches are told` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: web }",
                "{ path: /maybe/, upstream: $UPSTREAM, login: { client: web, optional: true } }",
                "{ path: /open/, upstream: $UPSTREAM, public: true }",
            ]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.refuses("HTTP-69"), arguments: ["/app/a", "/maybe/a"])
    func `of an answer to a session that says nothing is that it is private`(path: String) throws {
        let browser = try stage.login()
        let expires = "Expires: Thu, 01 Jan 2099 00:00:00 GMT"
        for status in [200, 304, 404] {
            stage.upstream.answer(
                path, with: .raw("HTTP/1.1 \(status) X\r\n\(expires)\r\nContent-Length: 0\r\n\r\n"))
            let answer = try stage.exchange("GET", path, browser: browser)
            #expect(answer.status == status)
            #expect(answer.fields["cache-control"] == ["private"], "\(answer.headText)")
            #expect(answer.fields.contains("expires"))
        }
    }

    @Test(.holds("HTTP-69"), arguments: [["public, max-age=60"], ["no-store"], ["max-age=1", "must-revalidate"]])
    func `is the upstream's word where it says one`(values: [String]) throws {
        let browser = try stage.login()
        stage.upstream.answer("/app/a", with: .answer(200, fields: values.map { "Cache-Control: \($0)" }))
        #expect(try stage.exchange("GET", "/app/a", browser: browser).fields["cache-control"] == values)
    }

    @Test(
        .refuses("HTTP-69"),
        arguments: [
            ["Cache-Control:"], ["Cache-Control: ,"], ["Connection: Cache-Control", "Cache-Control: no-store"],
        ])
    func `is not the upstream's word where that says nothing or stays on its hop`(fields: [String]) throws {
        let browser = try stage.login()
        stage.upstream.answer("/app/a", with: .answer(200, fields: fields))
        let answer = try stage.exchange("GET", "/app/a", browser: browser)
        #expect(answer.status == 200)
        #expect(answer.fields["cache-control"].filter { $0 != "" && $0 != "," } == ["private"], "\(answer.headText)")
    }

    @Test(.refuses("HTTP-69")) func `is nothing where nobody was known by a cookie`() throws {
        for path in ["/open/a", "/maybe/a"] {
            #expect(try stage.exchange("GET", path).fields["cache-control"] == [], "\(path)")
        }
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/open/a", browser: browser).fields["cache-control"] == [])
    }

    @Test(.refuses("HTTP-69")) func `of what the gateway answers itself is that nobody keeps it`() throws {
        let script = try stage.exchange("GET", "/app/a", fields: ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"])
        #expect(script.status == 401)
        #expect(script.fields["cache-control"] == ["no-store"])
        let page = try stage.exchange(
            "GET", "/app/a", fields: ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"])
        #expect(page.status == 303)
        #expect(page.fields["cache-control"] == ["no-store"])
        for (path, status) in [("/nowhere", 404), ("/.portcullis/logout/web", 200)] {
            let shown = try stage.exchange(
                "GET", path, fields: ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"])
            #expect(shown.status == status && shown.bodyText.contains("<html"), "\(path)")
            #expect(shown.fields["cache-control"] == ["no-store"], "\(path)")
        }
        let document = try stage.exchange(
            "GET", "/.portcullis/session/web", browser: try stage.login(), fields: ["Sec-Fetch-Site: same-origin"])
        #expect(document.status == 200)
        #expect(document.fields["cache-control"] == ["no-store"])
    }
}
