import HTTP1
import HTTPMessage

/// A response head as an upstream sends it (RFC 9112 §4 … §6), read as the answer to GET and to HEAD.
enum ResponseHeadFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let toGET = HeadCuts.verdict(of: input, reader: ResponseReader(method: .get))
        let toHEAD = HeadCuts.verdict(of: input, reader: ResponseReader(method: .head))
        let strict = StrictResponse(input)
        guard case .complete(let reading) = toGET, case .complete(let withoutBody) = toHEAD else {
            hold(toGET == .incomplete ? toHEAD == .incomplete : toGET == toHEAD, "the method makes no head a good one")
            hold(toGET != .incomplete || strict == nil, "a head that is whole is not waited for")
            if let strict { hold(strict.fieldCount > HTTP1Limits().fieldCount, "what is strictly a response is taken") }
            return .refused
        }
        guard let strict else { fatalError("what is taken is strictly a response") }
        strict.hold(to: reading, answering: .get)
        strict.hold(to: withoutBody, answering: .head)
        hold(withoutBody.framing == .none, "an answer to HEAD has no body")
        return .accepted
    }
}

/// Everything that a response head was found to say.
struct ResponseReading: Equatable {
    let status: UInt16
    let minorVersion: UInt8
    let reason: [UInt8]
    let fields: [StrictHead.Field]
    let identifiers: [FieldID]
    let length: Int
    let framing: BodyFraming
    let keepAlive: Bool
    let isInterim: Bool
    let connectionNamesFields: Bool

    init(_ head: borrowing ResponseHead, _ bytes: [UInt8]) {
        status = head.status
        minorVersion = head.minorVersion
        reason = Array(bytes[head.reason.range])
        (fields, identifiers) = FieldReading.read(head.fields, bytes, end: head.length)
        length = head.length
        framing = head.framing
        keepAlive = head.keepAlive
        isInterim = head.isInterim
        connectionNamesFields = head.connectionNamesFields
    }
}

/// A parser for answers to one method, with one head that is used again and again.
struct ResponseReader: HeadReader {
    let method: MethodID

    func makeCut() -> (_ arrived: [UInt8]) -> HeadVerdict<ResponseReading> {
        var parser = ResponseHeadParser()
        return { [method] arrived in
            switch parser.parse(arrived.span, limits: HTTP1Limits(), answering: method, into: &Self.head) {
            case .incomplete: .incomplete
            case .refused(let refusal): .refused(refusal)
            case .complete: .complete(ResponseReading(Self.head, arrived))
            }
        }
    }

    nonisolated(unsafe) private static var head = ResponseHead()
}

/// A response as the second reader has it.
struct StrictResponse {
    private let head: StrictHead
    private let status: UInt16
    private let minorVersion: UInt8
    private let declared: (BodyFraming, isDeclared: Bool)

    var fieldCount: Int { head.fields.count }

    init?(_ bytes: [UInt8]) {
        // The reason is all of the line behind the second space, which stands there even before an empty one.
        // Without a reason the space before it may be missing too.
        guard let head = StrictHead(bytes, skippingEmptyLine: false), (2...3).contains(head.first.count),
            let minorVersion = StrictHead.minorVersion(head.first[0]), head.first[1].utf8.count == 3,
            let status = UInt16(head.first[1]), head.first[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            (100...599).contains(status), let declared = head.declaredFraming(minorVersion: minorVersion)
        else { return nil }
        self.head = head
        self.status = status
        self.minorVersion = minorVersion
        self.declared = declared
    }

    /// Holds what the parser read to what stands there.
    func hold(to reading: ResponseReading, answering method: MethodID) {
        Fuzzers.hold(reading.status == status && reading.minorVersion == minorVersion, "the line is what stands there")
        Fuzzers.hold(
            StrictRequest.latin1(reading.reason) == (head.first.count == 3 ? head.first[2] : ""),
            "the reason is what stands there")
        Fuzzers.hold(reading.fields == head.fields, "the fields are what stands there")
        Fuzzers.hold(reading.length == head.length, "the body begins behind the empty line")
        Fuzzers.hold(reading.isInterim == (status < 200), "an interim response is one")
        Fuzzers.hold(reading.framing == framing(answering: method), "the body ends where RFC 9112 §6.3 says")
        let options = head.members(of: "connection")
        let known: Set<String> = ["close", "keep-alive", "upgrade", "te"]
        if reading.keepAlive {
            Fuzzers.hold(minorVersion > 0 && !options.contains("close"), "a connection that closes is not kept")
            Fuzzers.hold(reading.framing != .untilClose, "a body that ends with its connection leaves none")
            Fuzzers.hold(head.connectionIsTokens, "what is no option closes")
            let saysBody = declared.isDeclared && declared.0 != .length(0)
            Fuzzers.hold(status >= 200 && status != 204 || !saysBody, "a body where there is none closes")
        }
        let others = options.filter { StrictHead.isToken($0) && !known.contains($0) }
        Fuzzers.hold(reading.connectionNamesFields == !others.isEmpty, "named fields are noticed")
    }

    private func framing(answering method: MethodID) -> BodyFraming {
        if status < 200 || status == 204 || status == 304 || method == .head { return .none }
        return declared.isDeclared ? declared.0 : .untilClose
    }
}
