import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

/// Rows DPOP-41 and DPOP-45: what the upstream is shown of a session whose token is bound to a key.
@Suite(.serialized, .byEachProtocol) struct `a bound token of a session at the upstream` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    """
                    { path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: { pass: { \
                    proof_url: "https://api.internal" } } }
                    """,
                    "{ path: /plain/, upstream: $UPSTREAM, login: web }",
                    "{ path: /own/, upstream: $UPSTREAM, login: web, upstream_credential: pass }",
                    """
                    { path: /held/, upstream: { url: $UPSTREAM, retries: true }, login: web, upstream_credential: { pass: { \
                    proof_url: "https://api.internal" } } }
                    """,
                ], client: ["dpop: required"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        // A connection of its own for each test, so that numbers of connections mean something.
        stage.upstream.closeConnections()
    }

    /// A proof that a resource server has looked at as RFC 9449 §4.3 says; its claims, and its key's thumbprint.
    private func proof(_ seen: WireRequest, url: String) throws -> (claims: JSONValue, thumbprint: String) {
        let value = try #require(seen.fields.only("dpop"), "\(seen.headText)")
        let authorization = try #require(seen.fields.only("authorization"))
        #expect(authorization.hasPrefix("DPoP "), "\(authorization)")
        let jws = try CompactJWS.parse(Array(value.utf8).span, maximumBytes: 8192)
        let decoded = Base64URL.decode(Array(value.prefix { $0 != "." }.utf8).span) ?? []
        let header = try JSONValue.parse(decoded.span)
        let claims = try JSONValue.parse(jws.payload.span)
        #expect(header["typ"]?.string == "dpop+jwt" && header["alg"]?.string == "ES256")
        let shown = try #require(header["jwk"])
        #expect(shown["d"] == nil)
        let key = try JWK(shown)
        let signed = Array(jws.bytes.prefix(jws.signingInputCount))
        #expect(try key.makeVerificationKey().verify(jws.signature.span, of: signed.span, by: .ecdsa(.sha256)))
        let token = Array(authorization.dropFirst(5).utf8)
        #expect(claims["ath"]?.string == SHA256.hash(token.span).base64URL)
        #expect(claims["htm"]?.string == seen.method)
        #expect(claims["htu"]?.string == url)
        return (claims, key.thumbprint.base64URL)
    }

    @Test(.holds("DPOP-45")) func `comes with a proof made for that one request`() throws {
        let browser = try stage.login()
        var identifiers: Set<String> = []
        var keys: Set<String> = []
        for (method, path) in [("GET", "/app/a"), ("POST", "/app/b"), ("GET", "/app/c%20d"), ("REPORT", "/app/e")] {
            let answer = try stage.exchange(
                method, path + "?secret=1", browser: browser, fields: ownPage, body: method == "POST" ? "x" : "")
            #expect(answer.status == 200, "\(answer.headText)")
            let found = try proof(stage.forwarded(path), url: "https://api.internal" + path)
            identifiers.insert(try #require(found.claims["jti"]?.string))
            keys.insert(found.thumbprint)
        }
        #expect(identifiers.count == 4)
        #expect(keys.count == 1)
    }

    @Test(.holds("DPOP-45")) func `has the upstream's own address in its proof where the route names no other`() throws
    {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/own/a?x=1", browser: browser).status == 200)
        _ = try proof(stage.forwarded("/own/a"), url: stage.upstream.url + "/own/a")
    }

    @Test(.holds("DPOP-45")) func `has a key for each session`() throws {
        let browsers = try [stage.login(), stage.login()]
        var keys: Set<String> = []
        for (index, browser) in browsers.enumerated() {
            #expect(try stage.exchange("GET", "/app/\(index)", browser: browser).status == 200)
            keys.insert(
                try proof(stage.forwarded("/app/\(index)"), url: "https://api.internal/app/\(index)").thumbprint)
        }
        #expect(keys.count == 2)
    }

    @Test(.holds("DPOP-45")) func `is proved anew when a request is sent a second time`() throws {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/app/first", browser: browser).status == 200)
        let pooled = try stage.forwarded("/app/first").connection
        // The upstream dies without an answer on the pooled connection, after it has read the request.
        stage.upstream.answer("/app/again", with: .closing(on: pooled))
        let answer = try stage.exchange("GET", "/app/again?x=1", browser: browser)
        #expect(answer.status == 200, "\(answer.headText)")
        let both = stage.upstream.requests.filter { $0.path == "/app/again" }
        #expect(both.count == 2)
        let identifiers = try both.map {
            try #require(proof($0, url: "https://api.internal/app/again").claims["jti"]?.string)
        }
        #expect(Set(identifiers).count == 2)
        #expect(both[0].target == both[1].target)
    }

    @Test(.holds("DPOP-45", "ECO-73")) func `is proved anew when a request is sent a second time with its body`() throws
    {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/held/first", browser: browser).status == 200)
        let pooled = try stage.forwarded("/held/first").connection
        stage.upstream.answer("/held/again", with: .closing(on: pooled))
        // What looks like the field is the client's all the same.
        let body = "\r\nDPoP: a.b.c\r\n"
        let answer = try stage.exchange("PUT", "/held/again", browser: browser, fields: ownPage, body: body)
        #expect(answer.status == 200, "\(answer.headText)")
        let both = stage.upstream.requests.filter { $0.path == "/held/again" }
        #expect(both.map(\.bodyText) == [body, body])
        let identifiers = try both.map {
            try #require(proof($0, url: "https://api.internal/held/again").claims["jti"]?.string)
        }
        #expect(Set(identifiers).count == 2)
    }

    @Test(.holds("DPOP-41", "DPOP-45")) func `has the nonce that the upstream gave last, and no browser sees it`()
        throws
    {
        let browser = try stage.login()
        for (index, nonce) in ["one", "two"].enumerated() {
            stage.upstream.answer("/app/give", with: .answer(401, fields: ["DPoP-Nonce: \(nonce)"]))
            let given = try stage.exchange("GET", "/app/give", browser: browser)
            #expect(given.status == 401)
            #expect(try stage.exchange("GET", "/app/use\(index)", browser: browser).status == 200)
            let used = try proof(stage.forwarded("/app/use\(index)"), url: "https://api.internal/app/use\(index)")
            #expect(used.claims["nonce"]?.string == nonce)
        }
        // The authorization server's nonces are others. Looked for in what its proofs say: their signatures are random, and
        // have three given letters in a row now and then.
        let proofs = stage.server.issuer.server.requests.compactMap { $0.fields.only("dpop") }
        #expect(!proofs.isEmpty)
        for proof in proofs {
            let jws = try CompactJWS.parse(Array(proof.utf8).span, maximumBytes: 8192)
            let nonce = try JSONValue.parse(jws.payload.span)["nonce"]?.string
            #expect(nonce != "one" && nonce != "two")
        }
    }

    @Test(.refuses("DPOP-41"), arguments: ["", "a b", "x\"y", String(repeating: "n", count: 300)])
    func `takes no nonce that is none`(nonce: String) throws {
        let browser = try stage.login()
        stage.upstream.answer("/app/give", with: .answer(401, fields: ["DPoP-Nonce: good"]))
        _ = try stage.exchange("GET", "/app/give", browser: browser)
        stage.upstream.answer("/app/bad", with: .answer(401, fields: ["DPoP-Nonce: \(nonce)"]))
        _ = try stage.exchange("GET", "/app/bad", browser: browser)
        #expect(try stage.exchange("GET", "/app/use", browser: browser).status == 200)
        let used = try proof(stage.forwarded("/app/use"), url: "https://api.internal/app/use").claims["nonce"]?.string
        #expect(used == "good" || nonce == "x\"y" && used == nonce)
    }

    @Test(.refuses("DPOP-45"))
    func `is not shown where the route does not pass it, and a browser's own proof never is`() throws {
        let browser = try stage.login()
        let mine = ["DPoP: a.b.c", "Authorization: DPoP mine"]
        #expect(try stage.exchange("GET", "/plain/a", browser: browser, fields: mine).status == 200)
        let plain = try stage.forwarded("/plain/a")
        #expect(plain.fields["dpop"] == [] && plain.fields["authorization"] == [])
        #expect(try stage.exchange("GET", "/app/own", browser: browser, fields: mine).status == 200)
        _ = try proof(stage.forwarded("/app/own"), url: "https://api.internal/app/own")
    }
}
