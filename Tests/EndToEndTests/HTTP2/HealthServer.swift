import Foundation
import TestSupport

/// A server of gRPC that answers by itself: checks as it is told to, and every other call with 200 and its own name.
final class HealthServer: Sendable {
    /// What it answers checks.
    enum Answer: String, Sendable, CaseIterable {
        case serving
        case notServing
        case unimplemented
        /// SERVING in a message of another length than it says.
        case otherLength
        /// SERVING, and no status behind it.
        case withoutStatus
        /// SERVING, and a status of 14.
        case unavailable
        /// SERVING, and the end of the stream on its content.
        case withoutTrailers
        case reset
        case http1
        case nothing
    }

    /// A check that came: its fields and its message.
    struct Question: Sendable {
        let fields: [String]
        let message: [UInt8]
    }

    let port: UInt16
    private let listener: Socket
    private let answer: Watched<Answer>
    private let asked = Watched<[Question]>([])
    private let called = Watched(0)

    init(_ answer: Answer) throws {
        (listener, port) = try Socket.listen()
        self.answer = Watched(answer)
        Thread.detachNewThread { [listener, weak self] in
            while let socket = listener.accept() {
                guard let self else { return }
                Thread.detachNewThread { self.serve(socket) }
            }
        }
    }

    deinit { listener.stopListening() }

    var url: String { "http://127.0.0.1:\(port)" }
    /// The checks that came.
    var questions: [Question] { asked.now }
    /// How many other calls came.
    var calls: Int { called.now }

    func answer(_ answer: Answer) { self.answer.withLock { $0 = answer } }

    private func serve(_ socket: Socket) {
        if answer.now == .http1 {
            let client = RawClient(over: socket)
            try? client.send("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nContent-Length: 0\r\n\r\n")
            _ = try? client.bytesToEnd()
            return
        }
        guard let client = try? FrameClient(serving: socket) else { return }
        var messages: [UInt32: [UInt8]] = [:]
        while let frame = try? client.next(within: .seconds(600)) {
            if frame.type == FrameClient.Frame.data { messages[frame.stream, default: []] += frame.payload }
            guard frame.ends else { continue }
            let fields = client.fields[frame.stream] ?? []
            guard fields.contains(":path: /grpc.health.v1.Health/Check") else {
                called.withLock { $0 += 1 }
                try? client.client.send(
                    FrameClient.section(frame.stream, [(":status", "200"), ("x-server", "\(port)")], ends: true))
                continue
            }
            asked.withLock { $0.append(Question(fields: fields, message: messages[frame.stream] ?? [])) }
            try? client.client.send(frames(frame.stream))
        }
    }

    private func frames(_ stream: UInt32) -> [UInt8] {
        let fields = [(":status", "200"), ("content-type", "application/grpc")]
        let head = FrameClient.section(stream, fields, ends: false)
        func message(_ status: UInt8, length: UInt8 = 2, ends: Bool = false) -> [UInt8] {
            FrameClient.frame(0, flags: ends ? 1 : 0, stream: stream, [0, 0, 0, 0, length, 0x08, status])
        }
        func trailers(_ fields: [(String, String)]) -> [UInt8] { FrameClient.section(stream, fields, ends: true) }
        let ok = trailers([("grpc-status", "0")])
        return switch answer.now {
        case .serving: head + message(1) + ok
        case .notServing: head + message(2) + ok
        case .unimplemented: FrameClient.section(stream, fields + [("grpc-status", "12")], ends: true)
        case .otherLength: head + message(1, length: 3) + ok
        case .withoutStatus: head + message(1) + trailers([("grpc-message", "ok")])
        case .unavailable: head + message(1) + trailers([("grpc-status", "14")])
        case .withoutTrailers: head + message(1, ends: true)
        case .reset: head + message(1) + FrameClient.reset(stream)
        case .http1, .nothing: []
        }
    }
}
