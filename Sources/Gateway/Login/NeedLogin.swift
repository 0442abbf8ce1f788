// SPDX-License-Identifier: Apache-2.0
import Bytes
import HTTPMessage
import Login

/// Where a request without a session is sent, said when it is refused.
struct LoginPointer {
    /// The path and query that the login begins at.
    var location = ""
    /// A person waits for a page: the browser is sent there, a script is told (CF-08).
    var isNavigation = false
    /// The form that was posted is kept, and sent again after the login.
    var keepsForm = false

    /// What stands behind the `?` of `location`.
    var query: [UInt8] { Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }
}

extension WorkerRef {
    /// Refuses a request for want of a session, and notes where to get one.
    func needsLogin(
        _ exchange: ExchangeRef, _ policy: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>,
        _ expected: String, stepsUp: Bool = false
    ) -> Refusal {
        pointTo(policy, exchange, bytes, stepsUp: stepsUp)
        let found = pointee.refusalDetail.found
        return refuse(.loginRequired, expected, found.isEmpty ? "none" : found)
    }

    /// Notes where a login for this request begins.
    func pointTo(
        _ policy: UnsafeMutablePointer<LoginPolicy>, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>,
        stepsUp: Bool
    ) {
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
        pointee.loginPointer = pointer
    }

    /// Whether a person waits for a page: only then does a login begin, for an image or a script that was sent to one
    /// would end in an error, and the last of them would decide where the user comes back to.
    ///
    /// `otherwise` is for clients that say nothing of either kind.
    func isNavigation(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, otherwise: Bool = false
    ) -> Bool {
        let head = pointee.head
        var mode: Bool?
        var destination: Bool?
        var acceptsPages = false
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            switch slot.id {
            case .secFetchMode: mode = (mode ?? true) && value.elementsEqual("navigate".utf8)
            case .secFetchDest: destination = (destination ?? true) && value.elementsEqual("document".utf8)
            case .accept: acceptsPages = acceptsPages || LoginPointer.contains("text/html", in: value)
            default: continue
            }
        }
        // A page that is fetched before anybody asks for it must not begin a login.
        if hasField("sec-purpose", bytes) || hasField("x-requested-with", bytes) { return false }
        switch exchange.pointee.method {
        case .get, .head, .post: break
        case .other, .put, .delete, .patch, .options, .connect, .trace, .track: return false
        }
        guard !head.pointee.offersWebSocket else { return false }
        if mode != nil || destination != nil { return mode ?? true && destination ?? true }
        return acceptsPages || otherwise
    }

    /// Which login a route's browsers begin; nil where there is none.
    func loginOfRoute(_ exchange: ExchangeRef) -> Int? { exchange.pointee.route?.pointee.login?.pointee.login }

    /// The path and query of the head, as received.
    private func target(_ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let head = pointee.head
        let path = head.pointee.path
        guard !path.isEmpty else { return UnsafeBufferPointer(start: bytes, count: 0) }
        let end = head.pointee.hasQuery ? head.pointee.query.end : path.end
        return UnsafeBufferPointer(start: bytes + Int(path.start), count: end - Int(path.start))
    }

    /// Answers a request that needs a login: 303 for a page, 401 with the way to log in for everything else.
    func answerLoginRequired(_ exchange: ExchangeRef, challenges: [(String, String)]) {
        let pointer = pointee.loginPointer
        pointee.loginPointer = LoginPointer()
        if pointer.isNavigation {
            return answer(
                exchange, status: 303,
                fields: [("Location", pointer.location), ("Referrer-Policy", "no-referrer")])
        }
        let listener = exchange.pointee.client.unsafelyUnwrapped.pointee.listener
        let url = pointee.publicURLs[Int(listener)] + pointer.location
        // A 401 without a challenge is none (RFC 9110 §15.5.2); no browser asks its user anything for this one.
        let realm = exchange.pointee.route?.pointee.settings.access.login?.requirements.realm ?? "portcullis"
        let challenge = ("WWW-Authenticate", "Bearer realm=\"\(realm)\"")
        answer(
            exchange, status: 401,
            fields: (challenges.isEmpty ? [challenge] : challenges) + LoginPointer.fields
                + [("Referrer-Policy", "no-referrer")],
            content: AnswerContent(bytes: LoginPointer.document(url: url), isSent: exchange.pointee.method != .head))
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

    /// A target as the value of one query parameter.
    static func escaped(_ target: UnsafeBufferPointer<UInt8>) -> String {
        guard target.count <= 2048 else { return "%2F" }
        var text: [UInt8] = []
        FormEncoding.append(target.span, to: &text)
        return text.isEmpty ? "%2F" : String(decoding: text, as: UTF8.self)
    }

    static func contains(_ text: StaticString, in value: UnsafeBufferPointer<UInt8>) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard value.count >= wanted.count else { return false }
        for start in 0...(value.count - wanted.count) {
            let part = UnsafeBufferPointer(rebasing: value[start..<(start + wanted.count)])
            if ASCII.equalsIgnoringCase(part.span, wanted.span) { return true }
        }
        return false
    }
}
