import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

/// Row JAR-21 at the gateway's own listener: how a request object is fetched there, and how it is not.
@Suite(.serialized, .byEachProtocol) struct `a request object for the server to fetch` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"],
                client: [
                    "authorization_request: signed_by_reference",
                    "request_object: { key: { file: $FOLDER/object.pem }, key_id: object-1 }",
                ], files: ["object.pem": try SigningKey(.p256, keyID: "object-1").pem()]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A browser that was sent to the server, and the path at which its request object is.
    private func begin() throws -> (browser: CookieJar, path: String) {
        var browser = CookieJar()
        let started = try stage.exchange("GET", "/.portcullis/login/web?return_to=/app/a")
        browser.take(started)
        let location = try #require(started.fields.only("location"), "\(started.headText)\(stage.gateway.diagnosis)")
        let uri = try #require(try WebAddress(location).parameters["request_uri"]?.first)
        try #require(uri.hasPrefix("https://gateway.test/.portcullis/request/"), "\(uri)")
        return (browser, String(uri.dropFirst("https://gateway.test".utf8.count)))
    }

    /// An answer without what differs from one to the next.
    private func lasting(_ answer: WireResponse) -> [String] {
        ["\(answer.status)", answer.bodyText]
            + answer.fields.all.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }.map(\.description)
    }

    @Test(.holds("JAR-21"))
    func `is the signed bytes with their type and length for GET, and the same without them for HEAD`()
        throws
    {
        let (_, path) = try begin()
        let client = try stage.gateway.client()
        try client.send(request("GET", path))
        let object = try client.response()
        #expect(object.status == 200 && object.ending == .length, "\(object.headText)")
        #expect(object.fields.only("content-type") == "application/oauth-authz-req+jwt")
        #expect(object.fields.only("content-length") == "\(object.body.count)")
        #expect(object.fields.only("cache-control") == "no-store")
        #expect(!object.fields.contains("set-cookie") && !object.fields.contains("location"))

        let published = try stage.exchange("GET", "/.portcullis/jwks.json").body
        let key = try #require(try KeySet.parse(published.span).keys.first { $0.keyID == "object-1" })
        let jws = try CompactJWS.parse(object.body.span, maximumBytes: 8192)
        let signed = Array(object.body.prefix(jws.signingInputCount))
        #expect(try key.makeVerificationKey().verify(jws.signature.span, of: signed.span, by: .ecdsa(.sha256)))
        let claims = try JSONValue.parse(jws.payload.span)
        #expect(claims["client_id"]?.string == "web" && claims["aud"]?.string == stage.server.url)

        // On the same connection: a body behind the answer to HEAD would be taken for the next answer.
        try client.send(request("HEAD", path) + request("GET", path))
        let head = try client.response(to: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty, "\(head.headText)")
        for name in ["content-type", "content-length", "cache-control"] {
            #expect(head.fields[name] == object.fields[name], "\(name): \(head.headText)")
        }
        #expect(try client.response().body == object.body)
    }

    @Test(.holds("JAR-21"), .refuses("JAR-21"), arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "REPORT"])
    func `is not there for other methods, which are told of GET and HEAD`(method: String) throws {
        let (_, path) = try begin()
        let refused = try stage.exchange(method, path, body: method == "POST" ? "a=1" : "")
        expectTemplate(refused, status: 405)
        #expect(refused.fields.only("allow") == "GET, HEAD", "\(refused.headText)")
        #expect(try stage.exchange("GET", path).status == 200)
    }

    @Test(.refuses("JAR-21")) func `is gone after five fetches, or when its login came back, as if it had never been`()
        throws
    {
        let never = try stage.exchange("GET", "/.portcullis/request/" + String(repeating: "A", count: 43))
        expectTemplate(never, status: 404)

        let fetched = try begin().path
        // What brings no bytes is no fetch.
        for _ in 0..<3 { #expect(try stage.exchange("HEAD", fetched).status == 200) }
        for _ in 0..<5 { #expect(try stage.exchange("GET", fetched).status == 200) }
        #expect(lasting(try stage.exchange("GET", fetched)) == lasting(never))

        let (browser, path) = try begin()
        let state = try #require(try SeenToken(stage.exchange("GET", path).bodyText).text("state"))
        let issuer = WireForm.escaped(stage.server.url)
        let back = "/.portcullis/callback/web?code=made-up&state=\(state)&iss=\(issuer)"
        expectPage(try stage.exchange("GET", back, browser: browser), status: 400)
        #expect(lasting(try stage.exchange("GET", path)) == lasting(never))
    }
}
