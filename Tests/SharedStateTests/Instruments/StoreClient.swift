import Synchronization
import TestSupport

@testable import SharedState

/// One connection that asks and waits for the answer.
final class StoreClient: Sendable {
    fileprivate struct Wire {
        let socket: Socket
        var received: [UInt8] = []
    }

    private let wire: Mutex<Wire>
    private let scripts: StoreScripts
    /// Another connection, whose user may ask what a gateway's may not.
    private let observer: StoreClient?

    init(_ path: String, observer: StoreClient? = nil) throws {
        self.observer = observer
        let socket = try Socket.connect(unixPath: path)
        wire = Mutex(Wire(socket: socket))
        scripts = try StoreScripts()
    }

    /// What the store makes of a command.
    func ask<Command: StoreCommand>(_ command: Command) throws -> Command.Outcome {
        try command.outcome(of: send(command.arguments(scripts)))
    }

    /// The answer to a command of one's own.
    func send(_ words: String...) throws -> StoreReply { try send(words.map(\.bytes)) }

    /// A command that must not be refused.
    func expect(_ words: [String]) throws {
        let reply = try send(words.map(\.bytes))
        if case .error(let text) = reply { throw WireFailure.closed(String(decoding: text, as: UTF8.self)) }
    }

    var isAnswering: Bool {
        guard let reply = try? send("PING") else { return false }
        if case .error(let text) = reply { return text.starts(with: "NOAUTH".utf8) }
        return reply == .status("PONG".bytes)
    }

    /// Milliseconds that a key has left; -1 for one without an end, -2 for none.
    func timeToLive(of key: StoreName) throws -> Int64 {
        try (observer ?? self).send(["PTTL".bytes, key.bytes]).number ?? -3
    }

    func send(_ arguments: [[UInt8]]) throws -> StoreReply {
        var request = "*\(arguments.count)\r\n".bytes
        for argument in arguments { request += "$\(argument.count)\r\n".bytes + argument + "\r\n".bytes }
        return try wire.withLock { wire in
            try wire.socket.write(request, until: .patient)
            return try wire.reply()
        }
    }
}

extension StoreClient.Wire {
    fileprivate mutating func reply() throws -> StoreReply {
        let line = try line()
        let rest = String(decoding: line.dropFirst(), as: UTF8.self)
        switch line.first {
        case UInt8(ascii: "+"): return .status(rest.bytes)
        case UInt8(ascii: "-"): return .error(rest.bytes)
        case UInt8(ascii: ":"): return .integer(Int64(rest) ?? 0)
        case UInt8(ascii: "$"):
            guard let count = Int(rest), count >= 0 else { return .null }
            return .bytes(try take(count))
        case UInt8(ascii: "*"):
            guard let count = Int(rest), count >= 0 else { return .null }
            var replies: [StoreReply] = []
            for _ in 0..<count { replies.append(try reply()) }
            return .array(replies)
        default: throw WireFailure.malformed("a reply that begins with \(line.prefix(16))")
        }
    }

    private mutating func line() throws -> [UInt8] {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = Array(received[..<max(0, end - 1)])
                received.removeFirst(end + 1)
                return line
            }
            try receive()
        }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        while received.count < count + 2 { try receive() }
        defer { received.removeFirst(count + 2) }
        return Array(received[..<count])
    }

    private mutating func receive() throws {
        switch try socket.read(atMost: 65_536, until: .patient) {
        case .bytes(let bytes): received += bytes
        case .end, .reset: throw WireFailure.closed("the store")
        case .nothingYet: throw WireFailure.timedOut("an answer of the store")
        }
    }
}
