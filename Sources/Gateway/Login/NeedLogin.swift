import Access
import Bytes
import HTTPMessage
import Login

extension WorkerRef {
    /// The refusal of a request for want of a session, with where to get one.
    func needsLogin(
        _ exchange: ExchangeRef, _ policy: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>,
        _ detail: RefusalDetail
    ) -> Refused {
        Refused(.loginRequired, detail, login: loginPointer(policy, exchange, bytes, stepsUp: false))
    }

    /// Where a login for this request begins.
    func loginPointer(
        _ policy: UnsafeMutablePointer<LoginPolicy>, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>,
        stepsUp: Bool
    ) -> LoginPointer {
        var pointer = LoginPointer()
        pointer.isNavigation = isNavigation(exchange, bytes)
        pointer.location = policy.pointee.startPath
        var separator = "?"
        if pointer.isNavigation {
            pointer.location += "?return_to=" + LoginPointer.escaped(target(bytes))
            separator = "&"
        }
        if stepsUp, policy.pointee.stepUp >= 0 { pointer.location += "\(separator)step_up=\(policy.pointee.stepUp)" }
        pointer.keepsForm = policy.pointee.keepsForm && exchange.pointee.method == .post && pointer.isNavigation
        return pointer
    }

    /// Whether a person waits for a page: only then does a login begin, for an image or a script that was sent to one
    /// would end in an error, and the last of them would decide where the user comes back to.
    ///
    /// `otherwise` is for clients that say nothing of either kind.
    func isNavigation(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, otherwise: Bool = false
    ) -> Bool {
        let head = pointee.scratch.head
        var signs = NavigationSigns()
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            switch slot.id {
            case .secFetchMode: signs.seeMode(value)
            case .secFetchDest: signs.seeDestination(value)
            case .accept: signs.seeAccept(value)
            default: continue
            }
        }
        switch exchange.pointee.method {
        case .get, .head, .post: break
        case .other, .put, .delete, .patch, .options, .connect, .trace, .track: return false
        }
        guard !head.pointee.offersWebSocket else { return false }
        // A page that is fetched before anybody asks for it must not begin a login.
        return signs.isNavigation(otherwise: otherwise) && !hasField("sec-purpose", bytes)
            && !hasField("x-requested-with", bytes)
    }

    /// Which login a route's browsers begin; nil where there is none.
    func loginOfRoute(_ exchange: ExchangeRef) -> Int? { exchange.pointee.route?.pointee.login?.pointee.login }

    /// The path and query of the head, as received.
    private func target(_ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let head = pointee.scratch.head
        let path = head.pointee.path
        guard !path.isEmpty else { return UnsafeBufferPointer(start: bytes, count: 0) }
        let end = head.pointee.hasQuery ? head.pointee.query.end : path.end
        return UnsafeBufferPointer(start: bytes + Int(path.start), count: end - Int(path.start))
    }

    /// Whether a refusal's answer says where a login begins.
    func isAnsweredByLogin(_ exchange: ExchangeRef, _ refusal: Refusal) -> Bool {
        refusal.template == .login || refusal.template == .stepUp && exchange.pointee.token?.session != nil
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
        let listener = exchange.pointee.client.pointee.listener
        let url = pointee.policy.publicURLs[Int(listener)] + pointer.location
        // A 401 without a challenge is none (RFC 9110 §15.5.2); no browser asks its user anything for this one.
        let realm = exchange.pointee.route?.pointee.settings.access.login?.requirements.realm ?? "portcullis"
        let challenge = ("WWW-Authenticate", "Bearer realm=\"\(realm)\"")
        let isProblem = exchange.pointee.reader.wantsProblem
        let document =
            isProblem
            ? Problem.document(.loginRequired, requestID: exchange.pointee.id.text, login: url)
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

    /// The same for a path that is the operator's.
    static func escaped(_ path: String) -> String {
        var path = path
        return path.withUTF8 { escaped($0) }
    }

    /// A target as the value of one query parameter.
    static func escaped(_ target: UnsafeBufferPointer<UInt8>) -> String {
        guard target.count <= 2048 else { return "%2F" }
        var text: [UInt8] = []
        FormEncoding.append(target.span, to: &text)
        return text.isEmpty ? "%2F" : String(decoding: text, as: UTF8.self)
    }
}
