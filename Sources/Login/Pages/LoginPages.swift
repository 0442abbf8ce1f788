import HTTPMessage
package import Pages

/// The pages of a login: what a person sees when it does not go through, and in between.
package struct LoginPages: Sendable {
    private let writer: PageWriter

    /// In the language at a place of the book.
    package init(_ book: PageBook = .standard, language: Int = 0) { writer = book.pages(in: language) }

    /// A page that is no error; `nonce` is fresh for each answer, 128 bits in base64url at least.
    package func render(_ page: LoginPage, nonce: String) -> RenderedPage {
        // A character that ended the attribute or the source would let in what the policy is to keep out.
        let nonce = String(decoding: nonce.utf8.filter(Self.isNonceCharacter), as: UTF8.self)
        switch page {
        case .keepFragment(let next): return passing(PageScripts.keepFragment, next: next, nonce: nonce)
        case .goOn(let next): return passing(PageScripts.goOn, next: next, nonce: nonce)
        case .keepForm(let next, let form, let action):
            let data = " data-form=\"\(PageHTML.form(form))\" data-action=\"\(PageHTML.path(action) ?? "/")\""
            return passing(
                PageScripts.keepForm, next: next, nonce: nonce, data: data, withoutScript: "signing_in.no_form")
        case .sendForm(let action): return sendForm(action, nonce)
        case .confirmLogout(let action): return confirmLogout(action)
        case .postLogout(let action, let parameters): return postLogout(action, parameters, nonce)
        case .loggedOut: return loggedOut
        case .frontchannelDone(let ancestors):
            return writer.empty(title: "signed_out.title", frameAncestors: ancestors)
        }
    }

    private static func isNonceCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

// MARK: the pages

extension LoginPages {
    private var loggedOut: RenderedPage {
        let start = writer.start()
        return writer.page(
            title: "signed_out.title", mark: .good,
            body: "<p>\(writer.text("signed_out.story"))</p>"
                + (start.isEmpty ? "" : "<div class=\"do\">\(start)</div>"),
            formAction: "'none'")
    }

    private func confirmLogout(_ action: String) -> RenderedPage {
        let action = PageHTML.path(action) ?? "/"
        // No `form-action`: browsers apply it to where the answer leads as well, which is the server's own logout.
        return writer.page(
            title: "sign_out.title", mark: .calm,
            body: """
                <p>\(writer.text("sign_out.story"))</p>\
                <div class="do"><form method="post" action="\(action)"><button class="button">\
                \(writer.text("action.sign_out"))</button></form>\(writer.start("sign_out.stay"))</div>
                """)
    }

    private func sendForm(_ action: String, _ nonce: String) -> RenderedPage {
        let action = PageHTML.path(action) ?? "/"
        let start = writer.start()
        return writer.page(
            title: "sending.title", mark: .calm,
            body: """
                <p id="wait">\(writer.text("sending.story"))</p>\
                <p id="lost" hidden>\(writer.text("sending.lost"))</p>\
                <noscript><p>\(writer.text("sending.no_script"))</p></noscript>\
                \(start.isEmpty ? "" : "<div class=\"do\">\(start)</div>")\
                <script nonce="\(nonce)" data-action="\(action)">\(PageScripts.sendForm)</script>
                """, nonce: nonce)
    }

    private func postLogout(_ action: String, _ parameters: [(String, String)], _ nonce: String) -> RenderedPage {
        // The server's metadata named it, and it was checked there; what is no web address gets no form.
        guard let uri = URI(action), uri.scheme == "https" || uri.scheme == "http" else { return loggedOut }
        let fields = parameters.map {
            "<input type=\"hidden\" name=\"\(PageHTML.escape($0.0))\" value=\"\(PageHTML.escape($0.1))\">"
        }
        return writer.page(
            title: "signing_out.title", mark: .calm,
            body: """
                <p>\(writer.text("signing_out.story"))</p>\
                <div class="do"><form id="form" method="post" action="\(PageHTML.escape(action))">\(fields.joined())\
                <button class="button">\(writer.text("action.go_on"))</button></form></div>\
                <script nonce="\(nonce)">\(PageScripts.submit)</script>
                """, nonce: nonce)
    }

    /// A page that nobody looks at for longer than a moment; with a link for browsers without script.
    private func passing(
        _ script: String, next: String, nonce: String, data: String = "",
        withoutScript: String = "signing_in.no_script"
    ) -> RenderedPage {
        let next = PageHTML.path(next) ?? "/"
        return writer.page(
            title: "signing_in.title", mark: .calm,
            body: """
                <noscript><p>\(writer.text(withoutScript))</p></noscript>\
                <div class="do">\(writer.link(next, "action.go_on", isSecond: true))</div>\
                <script nonce="\(nonce)" data-next="\(next)"\(data)>\(script)</script>
                """, nonce: nonce, formAction: "'none'")
    }
}
