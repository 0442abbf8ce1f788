import Access
import Bytes
import Crypto
import HTTPMessage
import Login
import Pages

/// From a login's answer as a value to an answer over HTTP; not on the hot path.
extension WorkerRef {
    func writeLoginAnswer(_ exchange: ExchangeRef, _ loginAnswer: LoginAnswer) {
        guard let loginInFlight = exchange.pointee.loginInFlight else {
            return closeClient(exchange.pointee.client)
        }
        var fields = loginAnswer.fields
        fields += loginAnswer.cookies.map { ("Set-Cookie", $0) }
        let isSent = exchange.pointee.method != .head
        switch loginAnswer.content {
        case .redirect(let location):
            fields += [("Location", location), ("Referrer-Policy", "no-referrer")]
            answer(exchange, status: 303, fields: fields)
        case .page(let page):
            let language = Int(exchange.pointee.reader.language)
            let rendered = LoginPages(pointee.policy.pages, language: language).render(page, nonce: pageNonce())
            answer(
                exchange, status: 200, fields: fields + pageFields(rendered),
                content: AnswerContent(bytes: rendered.bytes, isSent: isSent))
        case .document(let type, let bytes):
            answer(
                exchange, status: 200,
                fields: fields + [("Content-Type", type), ("Cache-Control", "no-store")] + unreferred,
                content: AnswerContent(bytes: bytes, isSent: isSent))
        case .done: answer(exchange, status: 200, fields: fields + unreferred)
        case .refused(let refusal, let detail):
            let refused = Refused(refusal, detail)
            exchange.pointee.refusal = refusal
            if pointee.journal.decisions != nil { keepRefusal(exchange, refused) }
            logRefusal(exchange, refused)
            // The server's own wish, where it said one, comes with the answer.
            if let seconds = refusal.retryAfterSeconds, !fields.contains(where: { $0.0 == "Retry-After" }) {
                fields.append(("Retry-After", "\(seconds)"))
            }
            if holdsBack(exchange, refusal) {
                loginInFlight.pointee.heldAnswer = (fields, loginAnswer.retry)
                return holdBack(exchange)
            }
            answerRefusedLogin(exchange, loginInFlight, refusal, fields: fields, retry: loginAnswer.retry)
        }
    }

    /// Answers what was refused in the words of whoever asked.
    func answerRefusedLogin(
        _ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>, _ refusal: Refusal,
        fields: [(String, String)], retry: String?
    ) {
        let content = refusedContent(exchange, loginInFlight, refusal, retry)
        answer(
            exchange, status: refusal.status, fields: fields + content.fields,
            content: AnswerContent(bytes: content.bytes, isSent: exchange.pointee.method != .head))
    }

    /// A page for people, a word for scripts and servers; never anything that the request said.
    private func refusedContent(
        _ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>, _ refusal: Refusal,
        _ retry: String?
    ) -> (fields: [(String, String)], bytes: [UInt8]) {
        let request = loginInFlight.pointee.request
        switch request.endpoint {
        case .start, .callback: return refusedPage(exchange, refusal.topicOfLogin, refusal, retry)
        case .logout: return refusedPage(exchange, refusal.topicOfLogout, refusal, retry)
        case .loggedOut, .frontchannelLogout:
            return refusedPage(exchange, refusal.topic, refusal, retry)
        case .session:
            let path = "\(ReservedPath.prefix)/login/\(loginInFlight.pointee.clientName)"
            return (
                LoginPointer.fields + unreferred
                    + (refusal.status == 401 ? [("WWW-Authenticate", "Bearer realm=\"portcullis\"")] : []),
                LoginPointer.document(error: "\(refusal.word)", url: request.publicURL + path)
            )
        case .backchannelLogout:
            return (LoginPointer.fields + unreferred, Array("{\"error\":\"invalid_request\"}".utf8))
        case .requestObject: return ([("Cache-Control", "no-store")] + unreferred, [])
        }
    }

    /// The page of a login that was refused: one of an outage comes back by itself where it would begin anew (ECO-88).
    ///
    /// Never to a callback, whose code was used or is.
    private func refusedPage(
        _ exchange: ExchangeRef, _ topic: PageTopic, _ refusal: Refusal, _ retry: String?
    ) -> (fields: [(String, String)], bytes: [UInt8]) {
        let next = refusal.status == 503 && exchange.pointee.method == .get ? PageHTML.path(retry) : nil
        var text = ErrorPage(
            status: refusal.status, topic: topic, requestID: exchange.pointee.id.text,
            ways: retry.map { [.again(path: $0)] } ?? [], leadsToStart: retry == nil && refusal.status < 500,
            comesBack: next != nil)
        text.decisionID = exchange.decisionID.text
        let page = pages(for: exchange).error(text)
        var fields = pageFields(page)
        // In a field it stands as it is; the letters that HTML would escape are what its check let through.
        if next != nil, let retry { fields.append(("Refresh", "\(nextRefresh()); url=\(retry)")) }
        return (fields, page.bytes)
    }

    /// No address of a login goes anywhere as a referrer.
    private var unreferred: [(String, String)] { [("Referrer-Policy", "no-referrer")] }

    /// What names the scripts and styles of one page as ours (CSP).
    private func pageNonce() -> String { Base64URL.encode(RandomBytes.fill(18).span) }
}
