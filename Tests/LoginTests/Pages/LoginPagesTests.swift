// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Login

struct LoginPagesTests {
    private let requestID = "0123456789abcdef0123456789abcdef"

    private func text(_ page: LoginPages.Rendered) -> String { String(decoding: page.bytes, as: UTF8.self) }

    @Test(arguments: LoginRefusal.allCases)
    func `CF-24 Every refusal has a page with the request id and a way to go on, and nothing from elsewhere`(
        _ refusal: LoginRefusal
    ) {
        let page = LoginPages.error(
            status: 400, refusal: refusal, requestID: requestID, retry: "/.portcullis/login/shop?return_to=%2F")
        let html = text(page)
        #expect(html.contains(requestID))
        #expect(html.contains("href=\"/.portcullis/login/shop?return_to=%2F\""))
        #expect(html.contains("<h1>"))
        for outside in ["src=", "url(", "@import", "<link", "<script"] { #expect(!html.contains(outside)) }
        #expect(page.contentSecurityPolicy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(page.contentSecurityPolicy.hasSuffix("frame-ancestors 'none'"))
        #expect(!page.contentSecurityPolicy.contains("unsafe"))
    }

    @Test(arguments: [
        "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "/a b", "/\u{7}",
        "/a\nb",
    ])
    func `CF-24 A link that could lead elsewhere is left out`(_ retry: String) {
        let page = text(LoginPages.error(status: 400, refusal: .accessDenied, requestID: requestID, retry: retry))
        #expect(!page.contains("<a "))
    }

    @Test func `CF-24 What is in a page's parameters cannot become markup or program`() {
        let hostile = "/a\"><script>alert(1)</script>'&x=</script>"
        let pages: [LoginPage] = [
            .keepFragment(next: hostile), .goOn(to: hostile), .confirmLogout(action: hostile),
            .sendForm(action: hostile), .keepForm(next: hostile, form: Array(hostile.utf8), action: hostile),
            .postLogout(action: "https://id.example.com/logout", parameters: [(hostile, hostile)]),
        ]
        for page in pages {
            let html = text(LoginPages.render(page, nonce: "abc"))
            #expect(!html.contains("<script>alert"))
            #expect(!html.contains("\"><script>"))
        }
        let error = text(
            LoginPages.error(status: 400, refusal: .responseError, requestID: "<script>", retry: hostile))
        #expect(!error.contains("<script"))
    }

    @Test func `CF-24 Scripts run by their nonce alone, and a nonce cannot open the policy`() {
        let page = LoginPages.render(.goOn(to: "/"), nonce: "abc\"; script-src *")
        #expect(page.contentSecurityPolicy.contains("script-src 'nonce-abcscript-src'"))
        #expect(text(page).contains("<script nonce=\"abcscript-src\""))
        let without = LoginPages.render(.loggedOut, nonce: "abc")
        #expect(!without.contentSecurityPolicy.contains("script-src"))
    }

    @Test func `CF-24 The loop's page names the cookie, the clock and the address`() {
        let loop = text(LoginPages.error(status: 429, refusal: .loginLoop, requestID: requestID, retry: "/"))
        for word in ["cookie", "clock", "http://"] { #expect(loop.contains(word)) }
        let unknown = text(
            LoginPages.error(status: 400, refusal: .transactionUnknown, requestID: requestID, retry: "/"))
        for word in ["cookie", "http://", "private window"] { #expect(unknown.contains(word)) }
    }

    @Test func `LO-11 Only the named origins may frame the front-channel page`() {
        let page = LoginPages.render(.frontchannelDone(frameAncestors: "https://id.example.com"), nonce: "abc")
        #expect(page.contentSecurityPolicy.hasSuffix("frame-ancestors https://id.example.com"))
        let hostile = LoginPages.render(.frontchannelDone(frameAncestors: "*; script-src *"), nonce: "abc")
        #expect(hostile.contentSecurityPolicy.hasSuffix("frame-ancestors 'none'"))
    }

    @Test func `LO-03 A logout is posted to web addresses alone`() {
        let page = text(
            LoginPages.render(
                .postLogout(action: "javascript:alert(1)", parameters: [("id_token_hint", "x")]), nonce: "abc"))
        #expect(!page.contains("javascript:"))
        #expect(!page.contains("id_token_hint"))
    }
}
