import Crypto
import OAuth
import TestTraits
import Testing

private let hint = Secret(Array("aaa.bbb.ccc".utf8))

private func parameters(
    hint: Secret? = hint, uri: String? = "https://app.example/.portcullis/logged-out/shop?a=b", state: String? = "x&y=z"
) -> EndSession.Parameters {
    EndSession.Parameters(idTokenHint: hint, clientID: "client 1", postLogoutRedirectURI: uri, state: state)
}

private func url(_ request: EndSession?) -> String? {
    if case .redirect(let url) = request { url } else { nil }
}

@Suite struct `a logout at the server` {
    @Test(.holds("LO-02")) func `is a redirect with hint, client, way back and state`() {
        let request = EndSession.request(endpoint: "https://id.example/end", parameters())
        #expect(
            url(request)
                == "https://id.example/end?id_token_hint=aaa.bbb.ccc&client_id=client+1"
                + "&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2F.portcullis%2Flogged-out%2Fshop%3Fa%3Db"
                + "&state=x%26y%3Dz")
    }

    @Test(.holds("LO-02")) func `leaves out what is not there`() {
        let bare = EndSession.request(endpoint: "https://id.example/end", parameters(hint: nil, uri: nil))
        #expect(url(bare) == "https://id.example/end?client_id=client+1")
        let stateless = EndSession.request(endpoint: "https://id.example/end", parameters(state: nil))
        #expect(url(stateless)?.contains("state") == false)
    }

    @Test(
        .holds("LO-02"),
        arguments: [
            ("https://id.example/end?tenant=1", "https://id.example/end?tenant=1&client_id=client+1"),
            ("https://id.example/end?tenant=1&", "https://id.example/end?tenant=1&client_id=client+1"),
            ("https://id.example/end?", "https://id.example/end?client_id=client+1"),
            ("https://id.example?p=B2C_1", "https://id.example?p=B2C_1&client_id=client+1"),
            ("https://id.example", "https://id.example?client_id=client+1"),
            ("https://id.example/end?a=1#top", "https://id.example/end?a=1&client_id=client+1"),
        ])
    func `keeps the endpoint's own query`(endpoint: String, expected: String) {
        let request = EndSession.request(endpoint: endpoint, parameters(hint: nil, uri: nil))
        #expect(url(request) == expected)
    }

    @Test(
        .refuses("LO-02"),
        arguments: [
            "", "/end", "javascript:alert(1)", "javascript://id.example/%0aalert(1)", "http://id.example/end",
            "//id.example/",
            "https://id.example\r\nSet-Cookie: a=b", "https://user@id.example/", "https://id.example/ end",
            "ftp://id.example/", "data:text/html,x", "https://",
        ])
    func `leads nowhere but to a page with https`(endpoint: String) {
        #expect(EndSession.request(endpoint: endpoint, parameters()) == nil)
        #expect(EndSession.request(endpoint: endpoint, parameters(), postsHint: true) == nil)
    }

    @Test(.holds("LO-02")) func `leads to http where the operator asked for it`() {
        let request = EndSession.request(endpoint: "http://id.example/end", parameters(), allowsHTTP: true)
        #expect(url(request)?.hasPrefix("http://id.example/end?") == true)
    }

    @Test(.holds("LO-03"), .refuses("LO-03")) func `is a form where the hint must be in no URL`() throws {
        let request = EndSession.request(endpoint: "https://id.example/end?t=1", parameters(), postsHint: true)
        guard case .post(let action, let pairs) = request else {
            Issue.record("a redirect")
            return
        }
        #expect(action == "https://id.example/end?t=1" && !action.contains("aaa"))
        #expect(pairs.map(\.0) == ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"])
        #expect(pairs[0].1 == "aaa.bbb.ccc")
        let hintless = EndSession.request(endpoint: "https://id.example/end", parameters(hint: nil), postsHint: true)
        #expect(url(hintless) != nil)
    }

    @Test(.holds("LO-03"), .refuses("LO-03")) func `is a form where the URL would be too long`() throws {
        func request(_ count: Int) -> EndSession? {
            let hint = Secret([UInt8](repeating: 0x61, count: count))
            return EndSession.request(
                endpoint: "https://id.example/end",
                EndSession.Parameters(idTokenHint: hint, clientID: "c"))
        }
        let fixed = "https://id.example/end?id_token_hint=&client_id=c".utf8.count
        #expect(url(request(2000 - fixed))?.utf8.count == 2000)
        guard case .post = request(2001 - fixed) else {
            Issue.record("a redirect of more than 2000 characters")
            return
        }
    }

    @Test(.refuses("LO-03")) func `prints nothing of the hint`() throws {
        for postsHint in [false, true] {
            let request = try #require(
                EndSession.request(endpoint: "https://id.example/end", parameters(), postsHint: postsHint))
            var dumped = ""
            dump(request, to: &dumped)
            for text in ["\(request)", String(reflecting: request), dumped, "\(parameters())"] {
                #expect(!text.contains("aaa.bbb"))
            }
        }
    }
}
