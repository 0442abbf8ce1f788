import Access
import Bytes
import HTTP2
import Crypto
import HTTPMessage
import Login
import Pages

/// The content of refusals: pages for people, problems for programs that ask for them. Not on the hot path.
extension WorkerRef {
    /// Answers with a refusal whose fields are made, and with what its reader can use.
    func answerRefusal(_ exchange: ExchangeRef, _ refusal: Refusal, fields: [(String, String)]) {
        let isSignedIn = exchange.pointee.findings.token?.session != nil
        switch refusal.content(for: exchange.pointee.reader, isSignedIn: isSignedIn) {
        case .nothing: answer(exchange, status: refusal.status, fields: fields)
        case .problem:
            answer(
                exchange, status: refusal.status,
                fields: fields + Problem.fields,
                content: content(exchange, problem(exchange, refusal)))
        case .sentence:
            let sentence = "Plain HTTP is not served here: use \(publicURL(exchange))/\n"
            answer(
                exchange, status: refusal.status,
                fields: fields + [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
                content: content(exchange, Array(sentence.utf8)))
        case .callStatus(let status, let call):
            answer(
                exchange, status: 200, fields: fields + callFields(exchange, refusal, status, call, beside: fields),
                loggedAs: refusal.status)
        case .page(let topic):
            answerPage(exchange, status: refusal.status, topic, ways(exchange, refusal), fields: fields)
        }
    }

    /// How a call of gRPC ended, for its client (H2-86): what it shows, and when it may try again.
    private func callFields(
        _ exchange: ExchangeRef, _ refusal: Refusal, _ status: GRPCStatus, _ call: GRPCContentType,
        beside others: [(String, String)]
    ) -> [(String, String)] {
        var message: [UInt8] = []
        PercentEncoding.append(refusal.callMessage.utf8Span.span, to: &message)
        let seconds = others.first { $0.0 == "Retry-After" }.flatMap { Int($0.1) }
        var fields = [
            ("Content-Type", call.mediaType), ("Grpc-Status", "\(status.rawValue)"),
            ("Grpc-Message", String(decoding: message, as: UTF8.self)),
        ]
        // A page reads of an answer what it is told it may.
        if call == .web, case .rules? = exchange.pointee.findings.route?.pointee.settings.cors {
            fields.append(("Access-Control-Expose-Headers", "Grpc-Status, Grpc-Message"))
        }
        if let seconds { fields.append(("Grpc-Retry-Pushback-Ms", "\(seconds * 1000)")) }
        return fields
    }

    /// Answers with a page; one of an outage comes back by itself, unless it answers what somebody sent (ECO-88), and never
    /// before the time that an upstream said.
    func answerPage(
        _ exchange: ExchangeRef, status: UInt16, _ topic: PageTopic, _ ways: [ErrorPage.Way],
        fields: [(String, String)], notBefore: Int = 0
    ) {
        let isGet = exchange.pointee.method == .get
        let comesBack = status == 503 && isGet && notBefore <= 600
        var text = ErrorPage(
            status: status, topic: topic, requestID: exchange.pointee.id.text, ways: ways,
            leadsToStart: leadsToStart(status, topic), comesBack: comesBack,
            answersForm: exchange.pointee.method == .post && status >= 500)
        text.decisionID = exchange.decisionID.text
        let page = pages(for: exchange).error(text)
        var fields = fields + pageFields(page)
        if comesBack { fields.append(("Refresh", "\(notBefore + nextRefresh())")) }
        answer(exchange, status: status, fields: fields, content: content(exchange, page.bytes))
    }

    /// The document about a refusal, with what logs call the request and its decision.
    func problem(_ exchange: ExchangeRef, _ refusal: Refusal, login: String? = nil) -> [UInt8] {
        Problem.document(
            refusal, requestID: exchange.pointee.id.text, decisionID: exchange.decisionID.text, login: login)
    }

    /// In how many seconds a page of an outage comes back.
    func nextRefresh() -> Int {
        let random = RandomBytes.fill(2)
        return pointee.upstreams.outage.seconds(
            at: clock.microseconds(), random: Int(random[0]) << 8 | Int(random[1]))
    }

    /// The pages in the language of whoever reads the answer.
    func pages(for exchange: ExchangeRef) -> PageWriter {
        pointee.policy.pages.pages(in: Int(exchange.pointee.reader.language))
    }

    /// What every page is sent with.
    func pageFields(_ page: RenderedPage) -> [(String, String)] {
        [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Language", page.language),
            ("Content-Security-Policy", page.contentSecurityPolicy), ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ]
    }

    /// Not for HEAD, whose answer says its length alone.
    private func content(_ exchange: ExchangeRef, _ bytes: [UInt8]) -> AnswerContent {
        AnswerContent(bytes: bytes, isSent: exchange.pointee.method != .head)
    }

    /// Where its reader can go on; nothing of the request is in it.
    private func ways(_ exchange: ExchangeRef, _ refusal: Refusal) -> [ErrorPage.Way] {
        let origin = publicURL(exchange)
        let landing = pointee.policy.pages.settings.landing
        // What is wrong with that address is its scheme: the site itself is there, wherever in it the app begins.
        if refusal == .plainHTTP, !origin.utf8.contains(UInt8(ascii: "*")) {
            return [.site(url: origin + (landing ?? "/"))]
        }
        switch refusal.status {
        // Nobody is led from one refusal to the next, where nothing is known to be at the start.
        case 421: return landing.map { [.site(url: origin + $0)] } ?? []
        case 403: return waysToOtherAccounts(exchange, refusal)
        // Of a message that is not understood: the same again would end alike.
        case 501, 505: return []
        case 408, 429, 500...: return exchange.pointee.method == .get ? [.sameAgain] : []
        default: return []
        }
    }

    /// Whoever is signed in as the wrong one needs a way out.
    private func waysToOtherAccounts(_ exchange: ExchangeRef, _ refusal: Refusal) -> [ErrorPage.Way] {
        guard refusal != .crossSiteRequest, exchange.pointee.findings.token?.session != nil,
            let route = exchange.pointee.findings.route, let login = loginOfRoute(exchange),
            pointee.policy.logins.indices.contains(login)
        else { return [] }
        let name = pointee.policy.logins[login].name
        // The route's own path, as the operator wrote it, and not the request's.
        let own = route.pointee.settings.path
        // One with wildcards is no place to come back to.
        let path = LoginPointer.escaped(SegmentedPath(own).hasWildcard ? "/" : own)
        return [
            .signInAsSomebodyElse(path: "\(ReservedPath.prefix)/login/\(name)?return_to=\(path)&other=1"),
            .signOut(path: "\(ReservedPath.prefix)/logout/\(name)"),
        ]
    }

    /// Not where a moment's patience is what helps, nor from another host.
    private func leadsToStart(_ status: UInt16, _ topic: PageTopic) -> Bool {
        switch status {
        case 501, 505: topic == .badRequest
        case 408, 421, 429, 500...: false
        default: topic != .plainHTTP
        }
    }
}

/// When pages of an outage come back: later the longer it lasts, and not all at once (ECO-88).
///
/// Nothing has to be remembered of any browser: whoever comes back finds that more time has gone by.
struct OutageBackoff {
    private var began: UInt64 = 0
    private var last: UInt64 = 0

    /// Without a page for so long it was another outage, in microseconds; longer than any page waits.
    static let silence: UInt64 = 120_000_000
    static let longest = 60

    /// From half to one and a half of half the time that the outage has lasted, which is taken to be 8 s at least and
    /// two minutes at most.
    mutating func seconds(at now: UInt64, random: Int) -> Int {
        if last == 0 || now < last || now - last > OutageBackoff.silence { began = now }
        last = now
        let middle = min(max(4, Int((now - began) / 2_000_000)), OutageBackoff.longest)
        return middle / 2 + random % (middle + 1)
    }
}
