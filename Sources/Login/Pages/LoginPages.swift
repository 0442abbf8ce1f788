// SPDX-License-Identifier: Apache-2.0
import HTTPMessage

/// The gateway's own pages: what a person sees when a login does not go through, and in between.
///
/// They are whole in themselves: no script, style, font or image from anywhere, a policy that lets in nothing but what
/// the page has, and no text of the request but addresses on this origin.
package enum LoginPages {
    /// A page and the policy it is sent with.
    package struct Rendered: Sendable {
        /// HTML in UTF-8.
        package var bytes: [UInt8]
        /// The value of `Content-Security-Policy`.
        package var contentSecurityPolicy: String
    }

    /// A page that is no error; `nonce` is fresh for each answer, 128 bits in base64url at least.
    package static func render(_ page: LoginPage, nonce: String) -> Rendered {
        // A character that ended the attribute or the source would let in what the policy is to keep out.
        let nonce = String(decoding: nonce.utf8.filter(isNonceCharacter), as: UTF8.self)
        switch page {
        case .keepFragment(let next):
            return passing(PageScripts.keepFragment, "Signing you in…", next: next, nonce: nonce)
        case .goOn(let next):
            return passing(PageScripts.goOn, "Signing you in…", next: next, nonce: nonce)
        case .keepForm(let next, let form, let action):
            let data = " data-form=\"\(PageHTML.form(form))\" data-action=\"\(PageHTML.path(action) ?? "/")\""
            return passing(
                PageScripts.keepForm, "Signing you in…", next: next, nonce: nonce, data: data,
                withoutScript: "Without JavaScript what you have just sent cannot be kept while you sign in.")
        case .sendForm(let action): return sendForm(action, nonce)
        case .confirmLogout(let action): return confirmLogout(action)
        case .postLogout(let action, let parameters): return postLogout(action, parameters, nonce)
        case .loggedOut: return loggedOut
        case .frontchannelDone(let ancestors):
            return Rendered(
                bytes: Array("<!doctype html><html lang=\"en\"><title>Signed out</title></html>".utf8),
                contentSecurityPolicy: policy(frameAncestors: ancestors))
        }
    }

    /// What a person is told of a refusal: in words of ours alone (CF-24).
    package static func error(status: Int, refusal: LoginRefusal, requestID: String, retry: String?) -> Rendered {
        let text = PageText.of(refusal)
        var body = "<p>" + text.story.map(PageHTML.escape).joined(separator: "</p><p>") + "</p>"
        if !text.advice.isEmpty {
            body += "<h2>\(PageHTML.escape(text.adviceTitle))</h2><ul><li>"
            body += text.advice.map(PageHTML.escape).joined(separator: "</li><li>") + "</li></ul>"
        }
        if let retry = PageHTML.path(retry) {
            body += "<div class=\"do\"><a class=\"button\" href=\"\(retry)\">\(PageHTML.escape(text.action))</a></div>"
        }
        body += "<footer><p>Error \(status)</p>"
        if isRequestID(requestID) { body += "<p>Request id: <code>\(requestID)</code></p>" }
        body += "</footer>"
        return rendered(title: text.title, mark: text.mark, body: body, policy: policy(formAction: "'none'"))
    }

    private static func isNonceCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether it is an id of ours, and not what somebody sent as one.
    private static func isRequestID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy(isNonceCharacter)
    }
}

// MARK: the pages

extension LoginPages {
    private static let loggedOut = rendered(
        title: "You are signed out", mark: .good,
        body: """
            <p>You have left this site. If others use this device too, close all windows of the browser.</p>\
            <div class="do"><a class="button second" href="/">Back to the start page</a></div>
            """, policy: policy(formAction: "'none'"))

    private static func confirmLogout(_ action: String) -> Rendered {
        let action = PageHTML.path(action) ?? "/"
        // No `form-action`: browsers apply it to where the answer leads as well, which is the server's own logout.
        return rendered(
            title: "Do you want to sign out?", mark: .calm,
            body: """
                <p>Nothing has happened yet. If you did not ask for this, stay signed in.</p>\
                <div class="do"><form method="post" action="\(action)"><button class="button">Sign out</button></form>\
                <a class="button second" href="/">Stay signed in</a></div>
                """, policy: policy())
    }

    private static func sendForm(_ action: String, _ nonce: String) -> Rendered {
        let action = PageHTML.path(action) ?? "/"
        return rendered(
            title: "One moment, please", mark: .calm,
            body: """
                <p id="wait">You are signed in. What you sent before is being sent now.</p>\
                <p id="lost" hidden>You are signed in, but what you sent before could not be kept. \
                Please go back to the form and send it again.</p>\
                <noscript><p>Please go back to the form and send it again: without JavaScript it cannot be kept.</p>\
                </noscript>\
                <div class="do"><a class="button second" href="/">To the start page</a></div>\
                <script nonce="\(nonce)" data-action="\(action)">\(PageScripts.sendForm)</script>
                """, policy: policy(nonce: nonce))
    }

    private static func postLogout(_ action: String, _ parameters: [(String, String)], _ nonce: String) -> Rendered {
        // The server's metadata named it, and it was checked there; what is no web address gets no form.
        guard let uri = URI(action), uri.scheme == "https" || uri.scheme == "http" else { return loggedOut }
        let fields = parameters.map {
            "<input type=\"hidden\" name=\"\(PageHTML.escape($0.0))\" value=\"\(PageHTML.escape($0.1))\">"
        }
        return rendered(
            title: "Signing you out…", mark: .calm,
            body: """
                <p>You have left this site. The service that you signed in with is told now.</p>\
                <div class="do"><form id="form" method="post" action="\(PageHTML.escape(action))">\(fields.joined())\
                <button class="button">Go on</button></form></div>\
                <script nonce="\(nonce)">\(PageScripts.submit)</script>
                """, policy: policy(nonce: nonce))
    }

    /// A page that nobody looks at for longer than a moment; with a link for browsers without script.
    private static func passing(
        _ script: String, _ title: String, next: String, nonce: String, data: String = "",
        withoutScript: String = "Please go on by hand: your browser does not run JavaScript."
    ) -> Rendered {
        let next = PageHTML.path(next) ?? "/"
        return rendered(
            title: title, mark: .calm,
            body: """
                <noscript><p>\(PageHTML.escape(withoutScript))</p></noscript>\
                <div class="do"><a class="button second" href="\(next)">Go on</a></div>\
                <script nonce="\(nonce)" data-next="\(next)"\(data)>\(script)</script>
                """, policy: policy(nonce: nonce, formAction: "'none'"))
    }
}

// MARK: what they have in common

extension LoginPages {
    private static func rendered(
        title: String, mark: PageStyle.Mark, body: String, policy: String
    ) -> Rendered {
        let title = PageHTML.escape(title)
        let html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>\
            <meta name="viewport" content="width=device-width, initial-scale=1">\
            <meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">\
            <style>\(PageStyle.sheet)</style></head>
            <body><main>\(mark.element)<h1>\(title)</h1>\(body)</main></body></html>

            """
        return Rendered(bytes: Array(html.utf8), contentSecurityPolicy: policy)
    }

    /// Nothing but the style and, where there is a nonce, the script of the page itself.
    private static func policy(
        nonce: String? = nil, formAction: String? = nil, frameAncestors: String = "'none'"
    ) -> String {
        var policy = "default-src 'none'; style-src \(PageStyle.source)"
        if let nonce, !nonce.isEmpty { policy += "; script-src 'nonce-\(nonce)'" }
        if let formAction { policy += "; form-action \(formAction)" }
        return policy + "; base-uri 'none'; frame-ancestors \(safe(frameAncestors))"
    }

    /// Origins and keywords as they are; anything that would begin another directive or field lets nobody in.
    private static func safe(_ sources: String) -> String {
        let isSafe = sources.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",")
        }
        return isSafe && !sources.isEmpty ? sources : "'none'"
    }
}
