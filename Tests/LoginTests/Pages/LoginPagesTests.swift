import Pages
import Refusals
import TestTraits
import Testing

@testable import Login

struct LoginPagesTests {
    private let requestID = "0123456789abcdef0123456789abcdef"

    /// The page of a refusal, as the gateway asks for it.
    private func error(
        status: UInt16, refusal: Refusal, requestID: String, retry: String?
    ) -> RenderedPage {
        PageBook.standard.pages(in: 0).error(
            ErrorPage(
                status: status, topic: refusal.topicOfLogin, requestID: requestID,
                ways: retry.map { [.again(path: $0)] } ?? []))
    }

    private func text(_ page: RenderedPage) -> String { String(decoding: page.bytes, as: UTF8.self) }

    @Test(.refuses("CF-24"), arguments: Refusal.allCases)
    func `Every refusal has a page with the request id and a way to go on, and nothing from elsewhere`(
        _ refusal: Refusal
    ) {
        let page = error(
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

    @Test(
        .holds("CF-24"),
        arguments: [
            "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "/a b", "/\u{7}",
            "/a\nb",
        ])
    func `A link that could lead elsewhere is left out`(_ retry: String) {
        let page = text(error(status: 400, refusal: .loginAccessDenied, requestID: requestID, retry: retry))
        #expect(!page.contains("<a "))
    }

    @Test(.refuses("CF-24")) func `What is in a page's parameters cannot become markup or program`() {
        let hostile = "/a\"><script>alert(1)</script>'&x=</script>"
        let pages: [LoginPage] = [
            .keepFragment(next: hostile), .goOn(to: hostile), .confirmLogout(action: hostile),
            .sendForm(action: hostile), .keepForm(next: hostile, form: Array(hostile.utf8), action: hostile),
            .postLogout(action: "https://id.example.com/logout", parameters: [(hostile, hostile)]),
        ]
        for page in pages {
            let html = text(LoginPages().render(page, nonce: "abc"))
            #expect(!html.contains("<script>alert"))
            #expect(!html.contains("\"><script>"))
        }
        let error = text(
            error(status: 400, refusal: .loginResponseError, requestID: "<script>", retry: hostile))
        #expect(!error.contains("<script"))
    }

    /// What the page of a form has in its attribute, read as a browser reads it, and how long it was.
    private func keptForm(_ form: [UInt8]) throws -> (parameters: [[UInt8]], length: Int) {
        let html = text(LoginPages().render(.keepForm(next: "/n", form: form, action: "/a"), nonce: "abc"))
        let start = try #require(html.firstRange(of: "data-form=\"")).upperBound
        let end = try #require(html[start...].firstRange(of: "\" data-action=")).lowerBound
        let written = Array(html[start..<end].utf8)
        return (parameters(Array(String(html[start..<end]).replacing("&amp;", with: "&").utf8)), written.count)
    }

    /// The parameters of a form with their escapes undone; empty ones are none.
    private func parameters(_ form: [UInt8]) -> [[UInt8]] {
        form.split(separator: UInt8(ascii: "&")).map { part in
            var output: [UInt8] = []
            var index = part.startIndex
            while index < part.endIndex {
                let digits = String(decoding: part[index...].dropFirst().prefix(2), as: UTF8.self)
                let isEscape = part[index] == UInt8(ascii: "%") && digits.utf8.count == 2
                if isEscape, let byte = UInt8(digits, radix: 16) {
                    output.append(byte)
                } else {
                    output.append(part[index])
                }
                index += isEscape && UInt8(digits, radix: 16) != nil ? 3 : 1
            }
            return output
        }
    }

    @Test(.holds("CF-08"))
    func `A form is kept with every byte that it was posted with, and four times as long at most`() throws {
        let all = Array(UInt8.min...UInt8.max)
        let forms: [[UInt8]] = [
            [], Array("a=1&b=%26%3D+c".utf8), Array("&&a=1&&&b&".utf8), Array("&".utf8), all, all.reversed(),
            all.flatMap { [$0, UInt8(ascii: "&")] }, Array(repeating: 0, count: 16_384),
            Array(repeating: UInt8(ascii: "&"), count: 16_384), Array(String(repeating: "\"&", count: 8192).utf8),
        ]
        for form in forms {
            let kept = try keptForm(form)
            #expect(kept.parameters == parameters(form))
            #expect(kept.length <= 4 * form.count)
        }
    }

    @Test(.refuses("CF-24")) func `Scripts run by their nonce alone, and a nonce cannot open the policy`() {
        let page = LoginPages().render(.goOn(to: "/"), nonce: "abc\"; script-src *")
        #expect(page.contentSecurityPolicy.contains("script-src 'nonce-abcscript-src'"))
        #expect(text(page).contains("<script nonce=\"abcscript-src\""))
        let without = LoginPages().render(.loggedOut, nonce: "abc")
        #expect(!without.contentSecurityPolicy.contains("script-src"))
    }

    @Test(.holds("CF-24")) func `The loop's page names the cookie, the clock and the address`() {
        let loop = text(error(status: 429, refusal: .loginLoop, requestID: requestID, retry: "/"))
        for word in ["cookie", "clock", "http://"] { #expect(loop.contains(word)) }
        let unknown = text(
            error(status: 400, refusal: .loginTransactionUnknown, requestID: requestID, retry: "/"))
        for word in ["cookie", "http://", "private window"] { #expect(unknown.contains(word)) }
    }

    @Test(.refuses("OPS-05")) func `Where there is too much to do here, the server is not blamed for it`() {
        #expect(Refusal.loginsTooMany.topicOfLogin == .busy)
        #expect(Refusal.clientLoginsTooMany.topicOfLogin == .tooMany)
    }

    @Test(.refuses("SC-13", "JAR-22", "CF-25")) func `Nobody who could not sign in is told that they still are`() {
        #expect(Refusal.sessionStoreUnavailable.topic == .sessionDown)
        let page = text(error(status: 503, refusal: .sessionStoreUnavailable, requestID: requestID, retry: "/"))
        for word in ["still signed in", "need not sign in"] { #expect(!page.contains(word)) }
    }

    @Test(.refuses("CF-24")) func `shows people a page of what is wrong, whatever the status says of it`() {
        // The application was not asked: it is the authorization server's answer that is too large, the next time too.
        #expect(Refusal.introspectionAnswerTooLarge.topic == .misconfigured)
        #expect(Refusal.upstreamMalformed.topic == .appDown)
        #expect(Refusal.scopeInsufficient.topic(isSignedIn: true) == .forbidden)
        #expect(Refusal.scopeInsufficient.topic == .notAllowed)
    }

    @Test(.holds("LO-11")) func `Only the named origins may frame the front-channel page`() {
        let page = LoginPages().render(.frontchannelDone(frameAncestors: "https://id.example.com"), nonce: "abc")
        #expect(page.contentSecurityPolicy.hasSuffix("frame-ancestors https://id.example.com"))
        let hostile = LoginPages().render(.frontchannelDone(frameAncestors: "*; script-src *"), nonce: "abc")
        #expect(hostile.contentSecurityPolicy.hasSuffix("frame-ancestors 'none'"))
    }

    @Test(.holds("ECO-85")) func `Pages of a login lead to the start where it is known, and to nowhere otherwise`() {
        let pages: [(page: LoginPage, link: String)] = [
            (.confirmLogout(action: "/.portcullis/logout/shop"), "Stay signed in"),
            (.loggedOut, "Back to the start page"), (.sendForm(action: "/orders"), "Back to the start page"),
        ]
        var settings = PageSettings()
        settings.landing = "/app/"
        for (page, link) in pages {
            let led = text(LoginPages(PageBook(settings)).render(page, nonce: "abc"))
            #expect(led.contains("<a class=\"button second\" href=\"/app/\">\(link)</a>"))
            let others = text(LoginPages().render(page, nonce: "abc"))
            #expect(!others.contains("<a ") && !others.contains(link))
            #expect(!others.contains("<div class=\"do\"></div>"))
        }
    }

    @Test(.holds("LO-03")) func `A logout is posted to web addresses alone`() {
        let page = text(
            LoginPages().render(
                .postLogout(action: "javascript:alert(1)", parameters: [("id_token_hint", "x")]), nonce: "abc"))
        #expect(!page.contains("javascript:"))
        #expect(!page.contains("id_token_hint"))
    }
}
