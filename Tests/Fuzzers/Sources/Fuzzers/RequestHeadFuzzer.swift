import HTTP1
import HTTPMessage

/// A request head as a client sends it (RFC 9112 §2 … §6).
enum RequestHeadFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let verdict = HeadCuts.verdict(of: input, reader: RequestReader(limits: HTTP1Limits()))
        let strict = StrictRequest(input)
        guard case .complete(let reading) = verdict else {
            hold(verdict != .incomplete || strict == nil, "a head that is whole is not waited for")
            // Only a bound refuses what another strict reader takes, and no input is as long as the bounds are.
            if let strict { hold(strict.fieldCount > HTTP1Limits().fieldCount, "what is strictly a request is taken") }
            return .refused
        }
        guard let strict else { fatalError("what is taken is strictly a request") }
        strict.hold(to: reading)
        holdTightly(input, reading)
        return .accepted
    }

    /// Bounds refuse; they never make a head say something else.
    private static func holdTightly(_ input: [UInt8], _ reading: RequestReading) {
        var limits = HTTP1Limits()
        (limits.requestLine, limits.headerSection, limits.fieldLine, limits.fieldCount) = (48, 160, 64, 5)
        switch HeadCuts.verdict(of: input, reader: RequestReader(limits: limits)) {
        case .complete(let tight): hold(tight == reading, "a head says the same within tighter bounds")
        case .refused(let refusal):
            hold(
                [.requestLineTooLong, .headerSectionTooLarge, .fieldLineTooLong, .tooManyFields].contains(refusal),
                "tighter bounds refuse for being tight")
        case .incomplete: fatalError("tighter bounds do not wait for more")
        }
    }
}

/// Everything that a request head was found to say.
struct RequestReading: Equatable {
    var method: [UInt8] = []
    var methodID = MethodID.other
    var target: [UInt8] = []
    var form = TargetForm.origin
    var path: [UInt8] = []
    var query: [UInt8]?
    var authority: [UInt8] = []
    var scheme = TargetScheme.none
    var minorVersion: UInt8 = 1
    var fields: [StrictHead.Field] = []
    var identifiers: [FieldID] = []
    var length = 0
    var framing = BodyFraming.none
    var keepAlive = false
    var expectContinue = false
    var offersWebSocket = false
    var connectionNamesFields = false
    var authorizationIndex = -1
    var authorizationCount = 0

    init(_ head: borrowing RequestHead, _ bytes: [UInt8]) {
        method = Array(bytes[head.method.range])
        methodID = head.methodID
        target = Array(bytes[head.target.range])
        form = head.targetForm
        path = Array(bytes[head.path.range])
        query = head.hasQuery ? Array(bytes[head.query.range]) : nil
        authority = Array(bytes[head.authority.range])
        scheme = head.scheme
        minorVersion = head.minorVersion
        (fields, identifiers) = FieldReading.read(head.fields, bytes, end: head.length)
        length = head.length
        framing = head.framing
        keepAlive = head.keepAlive
        expectContinue = head.expectContinue
        offersWebSocket = head.offersWebSocket
        connectionNamesFields = head.connectionNamesFields
        authorizationIndex = head.authorizationIndex
        authorizationCount = head.authorizationCount
    }
}

/// A parser, one head that is used again and again as a worker's is, and the bounds.
struct RequestReader: HeadReader {
    let limits: HTTP1Limits

    func makeCut() -> (_ arrived: [UInt8]) -> HeadVerdict<RequestReading> {
        var parser = RequestHeadParser()
        return { [limits] arrived in
            switch parser.parse(arrived.span, limits: limits, into: &Self.head) {
            case .incomplete: .incomplete
            case .refused(let refusal): .refused(refusal)
            case .complete: .complete(RequestReading(Self.head, arrived))
            }
        }
    }

    nonisolated(unsafe) private static var head = RequestHead()
}

/// A request as the second reader has it.
struct StrictRequest {
    private let head: StrictHead
    private let method: String
    private let target: String
    private let minorVersion: UInt8
    private let framing: BodyFraming

    var fieldCount: Int { head.fields.count }

    init?(_ bytes: [UInt8]) {
        guard let head = StrictHead(bytes, skippingEmptyLine: true), head.first.count == 3,
            StrictHead.isToken(head.first[0]), head.first[0] != "PRI",
            let minorVersion = StrictHead.minorVersion(head.first[2]),
            let (framing, _) = head.declaredFraming(minorVersion: minorVersion)
        else { return nil }
        self.head = head
        self.minorVersion = minorVersion
        self.framing = framing
        method = head.first[0]
        target = head.first[1]
        guard Self.isTarget(target, of: method) else { return nil }
        let hosts = head.values(of: "host")
        guard hosts.count <= 1, minorVersion == 0 || hosts.count == 1,
            hosts.allSatisfy({ StrictAuthority.isValid($0) }),
            head.connectionIsTokens, Self.reserved.isDisjoint(with: head.members(of: "connection")),
            minorVersion == 0 || head.values(of: "expect").allSatisfy({ StrictHead.lowercase($0) == "100-continue" })
        else { return nil }
    }

    /// Holds what the parser read to what stands there.
    func hold(to reading: RequestReading) {
        Fuzzers.hold(Self.latin1(reading.method) == method, "the method is what stands there")
        Fuzzers.hold(Self.latin1(reading.target) == target, "the target is what stands there")
        Fuzzers.hold(reading.fields == head.fields, "the fields are what stands there")
        Fuzzers.hold(reading.length == head.length, "the next message begins behind the empty line")
        Fuzzers.hold(reading.framing == framing, "the body ends where its one framing field says")
        Fuzzers.hold(reading.minorVersion == minorVersion, "the version is what stands there")
        let options = head.members(of: "connection")
        Fuzzers.hold(reading.keepAlive == (minorVersion > 0 && !options.contains("close")), "close is heard")
        let known: Set<String> = ["close", "keep-alive", "upgrade", "te"]
        Fuzzers.hold(reading.connectionNamesFields == !known.isSuperset(of: options), "named fields are noticed")
        let expects = minorVersion > 0 && !head.values(of: "expect").isEmpty
        Fuzzers.hold(reading.expectContinue == expects, "an expectation is noticed")
        let credentials = head.fields.indices.filter { head.fields[$0].name == "authorization" }
        Fuzzers.hold(
            reading.authorizationCount == credentials.count && reading.authorizationIndex == credentials.first ?? -1,
            "credentials are counted")
        Fuzzers.hold(reading.offersWebSocket == offersWebSocket, "a WebSocket is offered by five fields and no body")
        holdTarget(of: reading)
    }

    /// RFC 6455 §4.1, by what frames the message; the rest of the handshake is between client and upstream.
    var offersWebSocket: Bool {
        method == "GET" && minorVersion > 0 && framing == .none
            && head.members(of: "connection").contains("upgrade")
            && head.values(of: "upgrade").map(StrictHead.lowercase) == ["websocket"]
    }

    private func holdTarget(of reading: RequestReading) {
        let parts = StrictHead.split(target, at: "?", most: 1)
        let query = parts.count == 2 ? parts[1] : nil
        Fuzzers.hold(
            reading.form == .authority || reading.query.map(Self.latin1) == query, "a query is behind the first ?")
        let host = head.values(of: "host").first ?? ""
        switch reading.form {
        case .origin:
            Fuzzers.hold(
                Self.latin1(reading.path) == parts[0] && parts[0].hasPrefix("/"), "a path is before the first ?")
            Fuzzers.hold(Self.latin1(reading.authority) == host, "the authority is Host's")
        case .asterisk:
            Fuzzers.hold(target == "*" && method == "OPTIONS" && reading.path.isEmpty, "* is for OPTIONS")
            Fuzzers.hold(Self.latin1(reading.authority) == host, "the authority is Host's")
        case .authority:
            Fuzzers.hold(method == "CONNECT" && Self.latin1(reading.authority) == target, "an authority is for CONNECT")
        case .absolute:
            let scheme = reading.scheme == .https ? "https://" : "http://"
            let path = Self.latin1(reading.path)
            Fuzzers.hold(
                StrictHead.lowercase(parts[0]) == StrictHead.lowercase(scheme + Self.latin1(reading.authority) + path)
                    && parts[0].hasSuffix(path) && (path.isEmpty || path.hasPrefix("/")),
                "an absolute target is its parts")
            // RFC 9112 §3.2.2: Host is not looked at, whatever it says.
            Fuzzers.hold(StrictAuthority.isValid(Self.latin1(reading.authority)), "an authority is a host and a port")
        }
    }

    /// RFC 9112 §3.2, each form where it may stand.
    private static func isTarget(_ target: String, of method: String) -> Bool {
        let parts = StrictHead.split(target, at: "?", most: 1)
        let octets = { (text: String, alsoHigh: Bool) in
            text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar.value < 0x7f && scalar != "#" || alsoHigh && scalar.value >= 0x80
            }
        }
        guard !target.isEmpty, octets(parts[0], true), parts.count == 1 || octets(parts[1], false) else { return false }
        if method == "CONNECT" { return StrictAuthority.isValid(target, needsPort: true) }
        if target == "*" { return method == "OPTIONS" }
        if target.hasPrefix("/") { return true }
        let pieces = StrictHead.split(parts[0], at: "/", most: 3)
        return pieces.count >= 3 && ["http:", "https:"].contains(StrictHead.lowercase(pieces[0])) && pieces[1].isEmpty
            && StrictAuthority.isValid(pieces[2])
    }

    static func latin1(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Fields that nobody on the way may be told to drop (HTTP-44).
    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "authorization", "cookie", "dpop", "expect", "content-type",
        "content-encoding", "cache-control", "origin", "via", "max-forwards", "forwarded", "x-forwarded-for",
        "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port",
    ]
}
