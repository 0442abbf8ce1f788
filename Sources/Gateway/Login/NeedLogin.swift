import Access
import Bytes
import HTTPMessage
import Login

extension WorkerRef {
    /// Which login a route's browsers begin; nil where there is none.
    func loginOfRoute(_ exchange: ExchangeRef) -> Int? { exchange.pointee.findings.route?.pointee.login?.pointee.login }

    /// Whether a refusal's answer says where a login begins.
    func isAnsweredByLogin(_ exchange: ExchangeRef, _ refusal: Refusal) -> Bool {
        refusal.template == .login || refusal.template == .stepUp && exchange.pointee.findings.token?.session != nil
    }

    /// Whether a refusal's answer sends a person there, in place of telling a script.
    func isSentToLogin(_ exchange: ExchangeRef, _ refused: Refused) -> Bool {
        refused.login?.isNavigation == true && exchange.pointee.loginInFlight == nil
            && isAnsweredByLogin(exchange, refused.cause)
    }

    /// Answers a request that needs a login: 303 for a page, 401 with the way to log in for everything else.
    func answerLoginRequired(_ exchange: ExchangeRef, _ pointer: LoginPointer, challenges: [(String, String)]) {
        if pointer.isNavigation {
            return answer(
                exchange, status: 303,
                fields: [("Location", pointer.location), ("Referrer-Policy", "no-referrer")])
        }
        let url = publicURL(exchange) + pointer.location
        // A 401 without a challenge is none (RFC 9110 §15.5.2); no browser asks its user anything for this one.
        let challenge = ("WWW-Authenticate", "Bearer realm=\"\(TokenSettings.usualRealm)\"")
        let isProblem = exchange.pointee.reader.wantsProblem
        let document =
            isProblem
            ? problem(exchange, .loginRequired, login: url)
            : LoginPointer.document(url: url)
        answer(
            exchange, status: 401,
            fields: (challenges.isEmpty ? [challenge] : challenges)
                + (isProblem ? Problem.fields : LoginPointer.fields) + [("Referrer-Policy", "no-referrer")],
            content: AnswerContent(bytes: document, isSent: exchange.pointee.method != .head))
    }
}

extension LoginPointer {
    static let fields = [
        ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
    ]

    /// What a script is told (E-LOGIN).
    static func document(error: String = "login_required", url: String) -> [UInt8] {
        // Made of the operator's words and our own: nothing in it needs escaping.
        Array("{\"error\":\"\(error)\",\"login\":\"\(url)\"}".utf8)
    }

    /// A path of the operator's as the value of one query parameter.
    static func escaped(_ path: String) -> String { escaped(Array(path.utf8).span) }
}
