import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-63, of a gateway that runs.
@Suite struct `the status page of the admin listener` {
    private func page(_ stage: Stage) throws -> WireResponse { try stage.gateway.admin("/") }

    @Test(.holds("ECO-63"), .refuses("ECO-63"))
    func `tells who was refused and why, and no path where requests are not kept`() throws {
        let stage = try Stage()
        #expect(try stage.exchange("GET", "/orders/in-a-path?secret=in-a-query").status == 401)
        #expect(try eventually { try page(stage).bodyText.contains("<code>credentials_<wbr>missing</code>") })
        let response = try page(stage)
        #expect(response.status == 200)
        #expect(response.fields["content-type"] == ["text/html; charset=utf-8"])
        #expect(response.fields["content-security-policy"].first?.hasPrefix("default-src 'none'; ") == true)
        #expect(response.fields["cache-control"] == ["no-store"])
        #expect(response.fields["x-frame-options"] == ["DENY"])
        #expect(response.fields["access-control-allow-origin"].isEmpty)
        for word in ["in-a-path", "in-a-query", "127.0.0.1:\(stage.gateway.port)/orders"] {
            #expect(!response.bodyText.contains(word))
        }
        #expect(response.bodyText.contains("It serves, and nothing is wrong"))
        #expect(response.bodyText.contains(stage.gateway.folder + "/gateway.yaml"))
    }

    @Test(.holds("ECO-63"), .refuses("ECO-63"))
    func `leads from a refusal to its explanation where requests are kept, without token and query`() throws {
        let stage = try Stage(StagePlan(settings: "explain_buffer: 50"))
        let token = stage.tokens.bearer() + "x"
        #expect(try stage.exchange("GET", "/orders/%3Cb%3E?secret=in-a-query", fields: [token]).status == 401)
        let text = try page(stage).bodyText
        #expect(text.contains("GET /orders/%3Cb%3E</code>"))
        #expect(!text.contains("in-a-query") && !text.contains("eyJ"))
        let link = try #require(text.firstMatch(of: #/href="(explain\/[0-9a-f]{32})"/#))
        let explanation = try stage.gateway.admin("/\(link.1)")
        #expect(explanation.status == 200)
        #expect(explanation.bodyText.hasPrefix("REFUSED  401"))
    }

    @Test(.refuses("ECO-63")) func `is only to be read`() throws {
        let stage = try Stage()
        for (method, status) in [("HEAD", 200), ("POST", 405), ("PUT", 405), ("DELETE", 405), ("OPTIONS", 405)] {
            let client = try RawClient(port: stage.gateway.adminPort)
            try client.send("\(method) / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            let head = try client.bytes(through: "\r\n\r\n")
            #expect(text(head).hasPrefix("HTTP/1.1 \(status) "))
        }
        let client = try RawClient(port: stage.gateway.adminPort)
        try client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(text(try client.bytes(through: "\r\n\r\n")).contains("Content-Type: text/html"))
        #expect(client.isClosedByPeer(), "no body comes behind the head")
    }

    @Test(.holds("ECO-63")) func `says that a configuration was refused, and why`() throws {
        let stage = try Stage()
        let file = stage.gateway.folder + "/gateway.yaml"
        let yaml = try String(contentsOfFile: file, encoding: .utf8)
        try (yaml + "\nnonsense: <b>\n").write(toFile: file, atomically: true, encoding: .utf8)
        stage.gateway.process.signal(SIGHUP)
        #expect(stage.gateway.operatorLine { $0["event"] == "reload_refused" } != nil)
        let text = try page(stage).bodyText
        #expect(text.contains("The newest configuration was refused") && text.contains("nonsense"))
        #expect(text.contains("<span class=\"chip warn\">refused</span> 1 problem"))
    }
}
