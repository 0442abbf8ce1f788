import HTTP2
import TestTraits
import Testing

/// What a server answers a check, in its parts.
struct HealthAnswer: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var head = "HTTP/1.1 200 \r\ncontent-type: application/grpc\r\n\r\n"
    var content: [UInt8] = [0, 0, 0, 0, 2, 0x08, 0x01]
    var trailers = "grpc-status: 0\r\n"

    init(_ name: String, _ change: (inout HealthAnswer) -> Void = { _ in }) {
        testDescription = name
        change(&self)
    }

    /// One message of these bytes.
    static func message(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, 0, UInt8(bytes.count)] + bytes }

    /// What is made of it, its content in these pieces.
    func judged(in pieces: [[UInt8]]? = nil) -> Bool {
        var answer = GRPCHealthAnswer()
        give(Array(head.utf8)) { answer.head($0) }
        for piece in pieces ?? [content] { give(piece) { answer.content($0) } }
        if !trailers.isEmpty { give(Array(trailers.utf8)) { answer.trailers($0) } }
        return answer.isServing
    }

    private func give(_ bytes: [UInt8], _ take: (Span<UInt8>) -> Void) { take(bytes.span) }
}

@Suite struct `a check by gRPC` {
    static let serving = [
        HealthAnswer("SERVING"),
        HealthAnswer("a coding and parameters of the type") {
            $0.head = "HTTP/1.1 200 \r\nserver: a\r\ncontent-type: application/grpc+proto; a=b\r\n\r\n"
        },
        HealthAnswer("a message of the status") { $0.trailers = "grpc-message: all well\r\ngrpc-status: 0\r\n" },
        HealthAnswer("said last") { $0.content = HealthAnswer.message([0x08, 0x02, 0x08, 0x01]) },
        HealthAnswer("a number longer than need be") { $0.content = HealthAnswer.message([0x08, 0x81, 0x00]) },
        HealthAnswer("fields that nobody knows yet") {
            $0.content = HealthAnswer.message(
                [0x12, 0x02, 0x61, 0x62, 0x08, 0x01, 0x18, 0x07, 0x25, 1, 2, 3, 4, 0x29, 1, 2, 3, 4, 5, 6, 7, 8])
        },
    ]

    static let others = [
        HealthAnswer("NOT_SERVING") { $0.content = HealthAnswer.message([0x08, 0x02]) },
        HealthAnswer("SERVICE_UNKNOWN") { $0.content = HealthAnswer.message([0x08, 0x03]) },
        HealthAnswer("UNKNOWN") { $0.content = HealthAnswer.message([0x08, 0x00]) },
        HealthAnswer("an empty message") { $0.content = HealthAnswer.message([]) },
        HealthAnswer("no message") { $0.content = [] },
        HealthAnswer("half a message") { $0.content = [0, 0, 0, 0, 2, 0x08] },
        HealthAnswer("more than the message") { $0.content += [0] },
        HealthAnswer("two messages") { $0.content += [0, 0, 0, 0, 2, 0x08, 0x01] },
        HealthAnswer("another length") { $0.content[4] = 3 },
        HealthAnswer("a length of gigabytes") { $0.content[1] = 0xFF },
        HealthAnswer("a compressed message") { $0.content[0] = 1 },
        HealthAnswer("a number without its end") { $0.content = HealthAnswer.message([0x08, 0x81]) },
        HealthAnswer("a number of eleven bytes") {
            $0.content = HealthAnswer.message([0x08] + [UInt8](repeating: 0x81, count: 10) + [0x00])
        },
        HealthAnswer("2^32 + 1") { $0.content = HealthAnswer.message([0x08, 0x81, 0x80, 0x80, 0x80, 0x10]) },
        HealthAnswer("a status that is a text") { $0.content = HealthAnswer.message([0x0A, 0x01, 0x01]) },
        HealthAnswer("a text that is longer than all") {
            $0.content = HealthAnswer.message([0x08, 0x01, 0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
        },
        HealthAnswer("a group") { $0.content = HealthAnswer.message([0x08, 0x01, 0x1B, 0x1C]) },
        HealthAnswer("a field without a number") { $0.content = HealthAnswer.message([0x08, 0x01, 0x00, 0x00]) },
        HealthAnswer("the number of another field") { $0.content = HealthAnswer.message([0x10, 0x01]) },
        HealthAnswer("UNIMPLEMENTED") {
            $0.content = []
            $0.trailers = "grpc-status: 12\r\n"
        },
        HealthAnswer("SERVING, and then UNAVAILABLE") { $0.trailers = "grpc-status: 14\r\n" },
        HealthAnswer("two statuses") { $0.trailers = "grpc-status: 0\r\ngrpc-status: 0\r\n" },
        HealthAnswer("no status") { $0.trailers = "grpc-message: ok\r\n" },
        HealthAnswer("no trailers") { $0.trailers = "" },
        HealthAnswer("a status that begins with 0") { $0.trailers = "grpc-status: 00\r\n" },
        HealthAnswer("an empty status") { $0.trailers = "grpc-status: \r\n" },
        HealthAnswer("503") { $0.head = "HTTP/1.1 503 \r\ncontent-type: application/grpc\r\n\r\n" },
        HealthAnswer("no type") { $0.head = "HTTP/1.1 200 \r\n\r\n" },
        HealthAnswer("a page") { $0.head = "HTTP/1.1 200 \r\ncontent-type: text/html\r\n\r\n" },
        HealthAnswer("gRPC-Web") { $0.head = "HTTP/1.1 200 \r\ncontent-type: application/grpc-web\r\n\r\n" },
        HealthAnswer("two types") {
            $0.head = "HTTP/1.1 200 \r\ncontent-type: application/grpc\r\ncontent-type: application/grpc\r\n\r\n"
        },
        HealthAnswer("a status in the head") {
            $0.head = "HTTP/1.1 200 \r\ncontent-type: application/grpc\r\ngrpc-status: 0\r\n\r\n"
        },
        HealthAnswer("no head") { $0.head = "" },
        HealthAnswer("without an end") {
            $0.content = [0, 0, 0, 8, 0] + [UInt8](repeating: 0, count: 2048)
        },
    ]

    @Test(.holds("H2-92"), arguments: serving) func `is passed by a server that says SERVING, however that comes`(
        answer: HealthAnswer
    ) {
        #expect(answer.judged())
        for cut in answer.content.indices {
            #expect(answer.judged(in: [Array(answer.content[..<cut]), Array(answer.content[cut...])]), "\(cut)")
        }
        #expect(answer.judged(in: answer.content.map { [$0] }))
    }

    @Test(.refuses("H2-92"), arguments: others) func `is failed by one that says anything else, however that comes`(
        answer: HealthAnswer
    ) {
        #expect(!answer.judged())
        for cut in answer.content.indices where cut < 64 {
            #expect(!answer.judged(in: [Array(answer.content[..<cut]), Array(answer.content[cut...])]), "\(cut)")
        }
        #expect(!answer.judged(in: answer.content.map { [$0] }))
    }

    @Test(.refuses("H2-92")) func `is failed by an answer of which a part is yet to come`() {
        let whole = HealthAnswer("whole")
        for count in whole.content.indices {
            #expect(!HealthAnswer("part") { $0.content = Array(whole.content[..<count]) }.judged(), "\(count)")
        }
        for count in 0..<whole.trailers.utf8.count - 2 {
            #expect(!HealthAnswer("part") { $0.trailers = String(whole.trailers.prefix(count)) }.judged(), "\(count)")
        }
    }

    @Test(.holds("H2-92")) func `asks about a service, or about the server as a whole`() {
        #expect(GRPCHealthAnswer.question(about: "") == [0, 0, 0, 0, 0])
        #expect(GRPCHealthAnswer.question(about: "a.B") == [0, 0, 0, 0, 5, 0x0A, 3, 0x61, 0x2E, 0x42])
        let long = String(repeating: "a", count: 200)
        let question = GRPCHealthAnswer.question(about: long)
        #expect(question.prefix(8) == [0, 0, 0, 0, 203, 0x0A, 0xC8, 0x01])
        #expect(question.dropFirst(8).allSatisfy { $0 == 0x61 } && question.count == 208)
    }
}
