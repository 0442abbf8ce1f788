// SPDX-License-Identifier: Apache-2.0
import Bytes
import Crypto
import HTTPMessage
import Login

/// From a login's answer as a value to an answer over HTTP; not on the hot path.
extension WorkerRef {
    func writeLoginAnswer(_ exchange: ExchangeRef, _ loginAnswer: LoginAnswer) {
        guard let trip = exchange.pointee.trip else { return closeClient(exchange.pointee.client.unsafelyUnwrapped) }
        var fields = loginAnswer.fields
        fields += loginAnswer.cookies.map { ("Set-Cookie", $0) }
        fields.append(("Referrer-Policy", "no-referrer"))
        let isSent = exchange.pointee.method != .head
        switch loginAnswer.content {
        case .redirect(let location):
            fields.append(("Location", location))
            answer(exchange, status: 303, fields: fields)
        case .page(let page):
            let rendered = LoginPages.render(page, nonce: pageNonce())
            answer(
                exchange, status: 200, fields: fields + pageFields(rendered.contentSecurityPolicy),
                content: AnswerContent(bytes: rendered.bytes, isSent: isSent))
        case .document(let type, let bytes):
            answer(
                exchange, status: 200, fields: fields + [("Content-Type", type), ("Cache-Control", "no-store")],
                content: AnswerContent(bytes: bytes, isSent: isSent))
        case .done: answer(exchange, status: 200, fields: fields)
        case .refused(let cause, let detail):
            let refusal = Refusal(cause)
            pointee.refusalDetail = RefusalDetail(expected: detail.expected, found: detail.found, check: detail.check)
            exchange.pointee.refusal = refusal
            if pointee.decisions != nil { keepRefusal(exchange, refusal) }
            logRefusal(exchange, refusal)
            // The server's own wish, where it said one, comes with the answer.
            if let seconds = refusal.retryAfterSeconds, !fields.contains(where: { $0.0 == "Retry-After" }) {
                fields.append(("Retry-After", "\(seconds)"))
            }
            answerRefusedTrip(exchange, trip, cause, refusal, fields: fields, retry: loginAnswer.retry)
        }
    }

    /// Answers what was refused in the words of whoever asked.
    func answerRefusedTrip(
        _ exchange: ExchangeRef, _ trip: UnsafeMutablePointer<LoginTrip>, _ cause: LoginRefusal, _ refusal: Refusal,
        fields: [(String, String)], retry: String?
    ) {
        let content = refusedContent(exchange, trip, cause, refusal, retry)
        answer(
            exchange, status: refusal.status, fields: fields + content.fields,
            content: AnswerContent(bytes: content.bytes, isSent: exchange.pointee.method != .head))
    }

    /// A page for people, a word for scripts and servers; never anything that the request said.
    private func refusedContent(
        _ exchange: ExchangeRef, _ trip: UnsafeMutablePointer<LoginTrip>, _ cause: LoginRefusal, _ refusal: Refusal,
        _ retry: String?
    ) -> (fields: [(String, String)], bytes: [UInt8]) {
        let request = trip.pointee.request
        switch request.endpoint {
        case .start, .callback, .logout, .loggedOut, .frontchannelLogout:
            let page = LoginPages.error(
                status: Int(refusal.status), refusal: cause, requestID: exchange.pointee.id.text, retry: retry)
            return (pageFields(page.contentSecurityPolicy), page.bytes)
        case .session:
            let path = "\(ReservedPath.prefix)/login/\(trip.pointee.clientName)"
            let word = cause == .sessionMissing ? "login_required" : "\(refusal.word)"
            return (
                LoginPointer.fields
                    + (refusal.status == 401 ? [("WWW-Authenticate", "Bearer realm=\"portcullis\"")] : []),
                LoginPointer.document(error: word, url: request.publicURL + path)
            )
        case .backchannelLogout:
            return (LoginPointer.fields, Array("{\"error\":\"invalid_request\"}".utf8))
        case .requestObject: return ([("Cache-Control", "no-store")], [])
        }
    }

    private func pageFields(_ contentSecurityPolicy: String) -> [(String, String)] {
        [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", contentSecurityPolicy),
            ("Cache-Control", "no-store"),
        ]
    }

    /// What names the scripts and styles of one page as ours (CSP).
    private func pageNonce() -> String { Base64URL.encode(RandomBytes.fill(18).span) }
}
