import Access
import Explain
import Gateway
import Testing

@testable import GatewayTests

@Suite struct `a request's way in` {
    /// A shop at the port of TLS, a plain port that sends there, and another shop in the clear.
    private func settings() -> GatewaySettings {
        var settings = ExplainRig().settings
        func listener(_ port: UInt16, _ url: String, _ authority: String) -> ListenerSettings {
            ListenerSettings(
                address: SocketAddressSettings(host: "0.0.0.0", port: port), publicURL: url, authorities: [authority])
        }
        var redirect = listener(9480, "https://shop.example.com", "shop.example.com")
        redirect.redirectsToHTTPS = true
        var secure = listener(9443, "https://shop.example.com", "shop.example.com")
        secure.tls = TLSSettings(certificates: [])
        settings.listeners = [redirect, secure, listener(9490, "http://plain.example.com", "plain.example.com")]
        return settings
    }

    private func explain(
        _ url: String, method: String = "GET", fields: [String] = [], in settings: GatewaySettings? = nil
    ) throws -> Explanation {
        let settings = settings ?? self.settings()
        var draft = RequestDraft(url: url)
        draft.method = method
        draft.fields = fields
        let head = try draft.head()
        var circumstances = DryRun.Circumstances()
        circumstances.arrival = try DryRun.Arrival.of(url, host: RequestDraft.host(in: head), in: settings)
        let explainer = try Explainer(
            settings, now: ExplainRig.now, keys: { _ in .failure(KeysMissing(reason: "")) })
        return try explainer.explain(head, circumstances)
    }

    @Test(arguments: [
        "http://shop.example.com/health", "http://localhost:9480/health", "http://127.0.0.1:9480/x",
        "http://any.example.com/x", "http://shop.example.com:9480/api/orders/7",
    ])
    func `over plain HTTP to a port that sends to https ends there, as in the gateway`(url: String) throws {
        let explanation = try explain(url)
        #expect(explanation.evidence.listener == 0)
        #expect(explanation.text.hasPrefix("ANSWERED BY THE GATEWAY  308"), "\(explanation.text)")
        #expect(explanation.text.contains("at listeners[0], from"))
        #expect(explanation.remedy == nil)
    }

    @Test func `over plain HTTP with another method than GET and HEAD is refused at that port`() throws {
        let explanation = try explain("http://shop.example.com/health", method: "POST")
        #expect(explanation.status == 400)
        #expect(explanation.exitStatus == 3)
        #expect(explanation.text.hasPrefix("REFUSED  400  plain_http"))
        // It is such a port already.
        #expect(!explanation.text.contains("a listener with redirect_to_https"))
    }

    @Test(arguments: ["http://localhost:9443/health", "http://shop.example.com:9443/health"])
    func `over plain HTTP to the port of TLS is refused`(url: String) throws {
        let explanation = try explain(url)
        #expect(explanation.evidence.listener == 1)
        #expect(explanation.text.hasPrefix("REFUSED  400  plain_http"), "\(explanation.text)")
    }

    @Test func `over plain HTTP under a name of TLS is refused where no port sends to https`() throws {
        var settings = settings()
        settings.listeners.removeFirst()
        let explanation = try explain("http://shop.example.com/health", in: settings)
        #expect(explanation.text.hasPrefix("REFUSED  400  plain_http"))
        #expect(explanation.text.contains("a listener with redirect_to_https on the plain port"))
    }

    @Test func `by name leads past the port that only sends elsewhere`() throws {
        let explanation = try explain("https://shop.example.com/health")
        #expect(explanation.evidence.listener == 1)
        #expect(explanation.text.hasPrefix("FORWARDED"))
        let saved = Array("GET /health HTTP/1.1\r\nHost: shop.example.com\r\n\r\n".utf8)
        #expect(DryRun.Arrival.of(head: saved, in: settings()) == DryRun.Arrival(listener: 1))
    }

    @Test func `by port leads to the listener that has it, whatever Host says`() throws {
        #expect(try explain("https://localhost:9443/health").text.hasPrefix("REFUSED  421"))
        #expect(try explain("https://localhost:9443/health").evidence.listener == 1)
        let named = try explain("http://127.0.0.1:9490/health", fields: ["Host: plain.example.com"])
        #expect(named.evidence.listener == 2)
        #expect(named.text.hasPrefix("FORWARDED"))
        let other = try explain("http://127.0.0.1:9490/health", fields: ["Host: shop.example.com"])
        #expect(other.evidence.listener == 2, "\(other.text)")
    }

    @Test func `behind a terminator of TLS is plain, and served`() throws {
        let settings = ExplainRig().settings
        #expect(try explain("https://shop.example.com/health", in: settings).text.hasPrefix("FORWARDED"))
        let local = try explain("http://127.0.0.1:8080/health", fields: ["Host: shop.example.com"], in: settings)
        #expect(local.text.hasPrefix("FORWARDED"))
    }

    @Test func `of https to a port without TLS is none`() {
        #expect(throws: RequestDraft.Problem.self) { try explain("https://localhost:9480/health") }
    }
}
