import Access
import HTTP1
import HTTPMessage
import Login
import Telemetry
import Transport

/// A request to one of the paths of logins, on its way to where those are answered.
struct LoginRequestInFlight {
    var request: LoginRequest
    /// Names the answer among all that this worker waits for.
    let ticket: UInt64
    /// Where it is answered: by the configuration that its endpoint is of, whichever serves when its body is complete.
    let ask: @Sendable (_ request: LoginRequest, _ ticket: UInt64) -> Void
    /// The name of the client that a session's document is asked of.
    let clientName: String
    /// Whether it is one of the logins under way: from the end of its body on.
    var isAsked = false
    /// Which of the shares of its client it takes from.
    let kind: LoginKind
    /// Whose share; nil for clients that nobody can tell apart.
    let network: (UInt64, UInt64)?
    /// Bytes of it that are counted as held.
    var heldBytes = 0
    /// Whether those of its head are among them.
    var isHeadCounted = false
    /// Whether it is one of those that wait for a place.
    var isQueued = false
    /// A refusal of it that is held back.
    var heldAnswer: (fields: [(String, String)], retry: String?)?

    static func make(_ loginInFlight: LoginRequestInFlight) -> UnsafeMutablePointer<LoginRequestInFlight> {
        let place = UnsafeMutablePointer<LoginRequestInFlight>.allocate(capacity: 1)
        place.initialize(to: loginInFlight)
        return place
    }

    static func free(_ place: UnsafeMutablePointer<LoginRequestInFlight>) {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}

/// Logins are answered elsewhere, as values (`LoginService`): this carries a request there with its small body, and the
/// answer back.
extension WorkerRef {
    /// Takes the head in `pointee.scratch.head` for a login's, reads its body, and asks; with another query than the head's
    /// where one is given.
    func receiveLoginRequest(
        _ exchange: ExchangeRef, _ endpoint: LoginRequest.Endpoint, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int,
        isKept: Bool, query: [UInt8]? = nil
    ) {
        let client = exchange.pointee.client
        pointee.questions.underWay.tickets += 1
        let kind = LoginKind(endpoint, hasQuery: pointee.scratch.head.pointee.hasQuery)
        let network = countedNetwork(exchange)
        // First of all: what is refused here costs no more than its head.
        let refusal = judgeShare(exchange, endpoint, kind, network)
        var request =
            refusal == nil
            ? loginRequest(exchange, endpoint, bytes, isPeerMany: network == nil)
            : LoginRequest(endpoint: endpoint, publicURL: publicURL(exchange))
        if let query { request.query = query }
        let name = endpoint.client.map { pointee.policy.logins[$0].name } ?? ""
        exchange.pointee.loginInFlight = LoginRequestInFlight.make(
            LoginRequestInFlight(
                request: request, ticket: pointee.questions.underWay.tickets, ask: pointee.questions.askLogin,
                clientName: name, kind: kind,
                network: network))
        if let refusal {
            keepRest(client, bytes, count, isKept: isKept)
            return answer(exchange, refused: refusal)
        }
        let isBodyAnnounced = !exchange.pointee.request.isComplete
        if case .length(let size) = pointee.scratch.head.pointee.framing, size > Int64(LoginRequest.bodyLimit) {
            keepRest(client, bytes, count, isKept: isKept)
            return answer(
                exchange,
                refused: Refused(
                    .requestBodyTooLarge, expected: "at most \(LoginRequest.bodyLimit) bytes", found: "\(size)"))
        }
        keepRest(client, bytes, count, isKept: isKept)
        guard client.pointee.state == .exchanging else { return }
        // It may take all the time there is for its body, and thousands may.
        if isBodyAnnounced, let loginInFlight = exchange.pointee.loginInFlight,
            let refusal = keepHead(exchange, loginInFlight)
        {
            return answer(exchange, refused: refusal)
        }
        if isBodyAnnounced, exchange.pointee.expectsContinue, client.pointee.input.isEmpty {
            let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
            sendToClient(client, text.utf8Start, text.utf8CodeUnitCount)
            guard client.pointee.state == .exchanging else { return }
        }
        exchange.pointee.expectsContinue = false
        // For all of it: forms are small, and whoever sends one byte at a time would hold it for days.
        setTimeout(client.timeout, pointee.policy.timeouts.requestBody)
        collectLoginBody(client, exchange)
    }

    /// Reads what is there of a login's body; asks when it is complete.
    func readLoginBody(_ client: ClientRef, _ exchange: ExchangeRef) {
        guard client.pointee.input.reserve(4096, from: &pointee.connections.buffers) else { return abortClient(client) }
        let input = client.pointee.input
        let count = client.read(into: input.space, capacity: min(input.room, Scratch.readCapacity))
        switch count {
        case 1...:
            client.pointee.input.end += count
            collectLoginBody(client, exchange)
        case ByteStream.wantsRead: return
        case ByteStream.wantsWrite: client.startWriting()
        case 0 where exchange.pointee.request.kind == .untilClose:
            exchange.pointee.request.end()
            collectLoginBody(client, exchange)
        default: abortClient(client)
        }
    }

    private func collectLoginBody(_ client: ClientRef, _ exchange: ExchangeRef) {
        guard let loginInFlight = exchange.pointee.loginInFlight else { return }
        while !exchange.pointee.request.isComplete, !client.pointee.input.isEmpty {
            let input = client.pointee.input
            let span = UnsafeBufferPointer(start: input.bytes, count: input.count).span
            switch exchange.pointee.request.next(in: span) {
            case .content(let offset, let count):
                append(UnsafeBufferPointer(start: input.bytes + offset, count: count), to: loginInFlight)
                client.pointee.input.consume(offset + count, to: &pointee.connections.buffers)
            case .framing(let used), .end(let used):
                client.pointee.input.consume(used, to: &pointee.connections.buffers)
            case .refused:
                dropInput(client)
                return answer(
                    exchange, refused: Refused(.malformedMessage, expected: "chunks", found: "something else"))
            }
            guard loginInFlight.pointee.request.body.count <= LoginRequest.bodyLimit else {
                return answer(
                    exchange,
                    refused: Refused(
                        .requestBodyTooLarge, expected: "at most \(LoginRequest.bodyLimit) bytes", found: "more"))
            }
            if let refusal = judgeBytes(exchange, loginInFlight) {
                dropContent(loginInFlight)
                return answer(exchange, refused: refusal)
            }
        }
        guard exchange.pointee.request.isComplete else { return client.startReading() }
        exchange.pointee.requestBytes = Int64(loginInFlight.pointee.request.body.count)
        parkLogin(client, exchange, loginInFlight)
    }

    private func append(
        _ bytes: UnsafeBufferPointer<UInt8>, to loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>
    ) {
        loginInFlight.pointee.request.body.append(contentsOf: bytes)
        countBytes(loginInFlight, bytes.count)
    }

    /// Forgets the login's request when its exchange ends; somebody who waits has its place.
    func dropLoginRequest(_ exchange: ExchangeRef) {
        guard let loginInFlight = exchange.pointee.loginInFlight else { return }
        let hadPlace = leavePlace(loginInFlight)
        countQueued(loginInFlight, isQueued: false)
        countBytes(loginInFlight, -loginInFlight.pointee.heldBytes)
        LoginRequestInFlight.free(loginInFlight)
        exchange.pointee.loginInFlight = nil
        if hadPlace { giveFreePlace() }
    }

    /// It is answered, or nobody waits for its answer; whether somebody else can have its place.
    func leavePlace(_ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>) -> Bool {
        guard loginInFlight.pointee.isAsked else { return false }
        loginInFlight.pointee.isAsked = false
        countUnderWay(loginInFlight, -1)
        return true
    }

    private func parkLogin(
        _ client: ClientRef, _ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>
    ) {
        // Counted only now: who sends half a form, and the rest of it never, would keep others from logging in.
        if hasRoom(loginInFlight.pointee.kind, loginInFlight.pointee.network) {
            return ask(client, exchange, loginInFlight)
        }
        queue(client, exchange, loginInFlight)
    }

    /// Has the request answered: it has a place.
    func ask(_ client: ClientRef, _ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>)
    {
        countUnderWay(loginInFlight, 1)
        loginInFlight.pointee.isAsked = true
        var request = loginInFlight.pointee.request
        let ticket = loginInFlight.pointee.ticket
        // Held by whoever answers from now on: a code, a token or a cookie in it is not kept here too.
        dropContent(loginInFlight)
        park(exchange, .login(ticket: ticket), pointee.scratch.read)
        request.trace = outboundParent(exchange)
        setTimeout(client.timeout, Questions.loginTimeout)
        loginInFlight.pointee.ask(request, ticket)
    }

    /// The answer to a login's request; through the loop's inbox.
    func loginAnswered(_ answer: LoginAnswer, ticket: UInt64) {
        guard let exchange = parkedLogin(ticket) else { return }
        unpark(exchange)
        exchange.pointee.phase = .awaitingResponse
        let client = exchange.pointee.client
        clearTimeout(client.timeout)
        client.pointee.isRunning = true
        writeLoginAnswer(exchange, answer)
        client.pointee.isRunning = false
        runInput(client)
    }

    private func parkedLogin(_ ticket: UInt64) -> ExchangeRef? {
        var exchange = pointee.waiting.first
        while let one = exchange {
            if one.pointee.wait == .login(ticket: ticket) { return one }
            exchange = one.pointee.nextParked
        }
        return nil
    }

    /// What of the head logins have a use for.
    private func loginRequest(
        _ exchange: ExchangeRef, _ endpoint: LoginRequest.Endpoint, _ bytes: UnsafeMutablePointer<UInt8>,
        isPeerMany: Bool
    ) -> LoginRequest {
        let head = pointee.scratch.head
        let query = head.pointee.query
        var request = LoginRequest(
            endpoint: endpoint, method: LoginRequest.Method(exchange.pointee.method),
            query: head.pointee.hasQuery ? copy(query, bytes) : [],
            publicURL: publicURL(exchange), peer: exchange.pointee.address.text)
        request.isPeerMany = isPeerMany
        request.client = askingClient(exchange)
        request.names.requestID = exchange.pointee.id.text
        request.names.decisionID = exchange.decisionID.text
        request.names.proxyRequestID = proxyIDText(exchange) ?? ""
        request.names.traceID = traceIDText(exchange) ?? ""
        request.isNavigation = headView(bytes).isNavigation(otherwise: true)
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            switch slot.id {
            case .cookie:
                if !request.cookies.isEmpty { request.cookies += [0x3B, 0x20] }
                request.cookies += copy(slot.value, bytes)
            // Said twice, it says nothing that could be trusted.
            case .contentType: request.contentType = request.contentType == nil ? copyText(slot.value, bytes) : ""
            case .origin: request.origin = request.origin == nil ? copyText(slot.value, bytes) : "null"
            case .secFetchSite:
                request.fetchSite = request.fetchSite == nil ? copyText(slot.value, bytes) : "cross-site"
            case .secFetchMode: request.fetchMode = copyText(slot.value, bytes)
            case .secFetchDest: request.fetchDestination = copyText(slot.value, bytes)
            default: continue
            }
        }
        request.hasRequestedBy = headView(bytes).hasField("x-requested-by")
        return request
    }

    private func copy(_ range: ByteRange, _ bytes: UnsafeMutablePointer<UInt8>) -> [UInt8] {
        Array(UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count)))
    }

    private func copyText(_ range: ByteRange, _ bytes: UnsafeMutablePointer<UInt8>) -> String {
        String(
            decoding: UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count)), as: UTF8.self)
    }
}

extension LoginRequest.Method {
    init(_ method: MethodID) {
        switch method {
        case .get: self = .get
        case .head: self = .head
        case .post: self = .post
        case .other, .put, .delete, .patch, .options, .connect, .trace, .track: self = .other
        }
    }
}
