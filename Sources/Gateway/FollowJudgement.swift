import Access
import HTTPMessage
import Login

/// From the judgement of a request to what is done about it.
extension WorkerRef {
    /// Judges the request whose head is in `pointee.scratch.head`, and does what the judgement says.
    func proceed(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool) {
        let client = exchange.pointee.client
        let judgement = judge(exchange, bytes, count)
        if pointee.journal.decisions != nil { keepDecision(exchange, bytes, judgement) }
        switch judgement {
        case .forward(let route, let headCount):
            let head = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity, written: headCount)
            forward(exchange, head, by: route, bytes, count, isKept: isKept)
        case .wait(let wait): self.wait(exchange, wait, bytes, count, isKept: isKept)
        case .login(let endpoint): receiveLoginRequest(exchange, endpoint, bytes, count, isKept: isKept)
        case .refuse(let refused):
            if let (login, query) = loginOfForm(exchange, refused) {
                return receiveLoginRequest(exchange, login, bytes, count, isKept: isKept, query: query)
            }
            if let audit = pointee.journal.audit { auditExpiry(exchange, refused, bytes, audit) }
            keepRest(client, bytes, count, isKept: isKept)
            answer(exchange, refused: refused)
        case .answerOptions:
            keepRest(client, bytes, count, isKept: isKept)
            answerOptions(exchange)
        case .answerRoute(let route):
            answerRoute(exchange, by: route, bytes, count, isKept: isKept)
        case .answerPreflight(let origin):
            keepRest(client, bytes, count, isKept: isKept)
            answerPreflight(exchange, origin: origin)
        case .redirectToHTTPS:
            let location = secureLocation(exchange, bytes)
            keepRest(client, bytes, count, isKept: isKept)
            answer(exchange, status: 308, fields: [("Location", location)])
        case .publish(let document):
            keepRest(client, bytes, count, isKept: isKept)
            publish(exchange, document)
        }
    }

    /// Puts the request aside with its head, where there is room for another one that waits.
    private func wait(
        _ exchange: ExchangeRef, _ wait: Wait, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool
    ) {
        let client = exchange.pointee.client
        if let refused = judgeWaiting(exchange, wait) {
            keepRest(client, bytes, count, isKept: isKept)
            return answer(exchange, refused: refused)
        }
        if !isKept, !client.pointee.input.append(bytes, count, from: &pointee.connections.buffers) {
            return closeClient(client)
        }
        let kept = client.pointee.input.bytes
        // Where the store cannot be asked, there is nothing to wait for.
        guard wait != .proof || askStore(exchange) else {
            return proceed(exchange, kept, client.pointee.input.count, isKept: true)
        }
        park(exchange, wait, kept)
        timeWaitingCall(exchange, kept)
    }

    /// Where the login begins that keeps the form which was posted without a session; nil where none does.
    ///
    /// The form's own address says where it goes: nothing in that address is a parameter of the login, whose query comes
    /// with it.
    private func loginOfForm(
        _ exchange: ExchangeRef, _ refused: Refused
    ) -> (endpoint: LoginRequest.Endpoint, query: [UInt8])? {
        guard refused.cause == .loginRequired, let pointer = refused.login, pointer.keepsForm,
            let login = loginOfRoute(exchange)
        else { return nil }
        return (.start(client: login), pointer.query)
    }
}
