import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport

@testable import StoreClient

/// A server on a port of 127.0.0.1 that answers each command with what the test says.
final class ScriptedRedis: Sendable {
    let port: UInt16
    private let listener: TestSupport.Socket
    /// All commands that it was asked, in their order.
    let asked = Watched<[[String]]>([])

    /// The script is given a command's words, in capitals the first of them, and answers in RESP; what it leaves to the server
    /// is answered as by a primary without data.
    init(_ script: @escaping @Sendable ([String], UInt16) -> String?) throws {
        let (listener, port) = try TestSupport.Socket.listen()
        self.port = port
        self.listener = listener
        Thread.detachNewThread { [asked] in
            while let connection = listener.accept() {
                Thread.detachNewThread {
                    try? ScriptedRedis.serve(connection, asked) { script($0, port) ?? ScriptedRedis.plain($0) }
                    connection.close()
                }
            }
        }
    }

    deinit { listener.stopListening() }

    var place: LinkServer.Place { .address(host: "127.0.0.1", port: port) }
    var address: StoreSettings.Address { .network(host: "127.0.0.1", port: port, isSecure: false) }

    /// How often a command of this name was asked.
    func count(_ name: String) -> Int { asked.now.count { $0.first == name } }

    static func plain(_ words: [String]) -> String {
        switch words.first {
        case "ROLE": "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
        case "GET": "$-1\r\n"
        case "PING": words.count == 2 ? Wire.bulk(words[1]) : "+PONG\r\n"
        case "SCRIPT": Wire.bulk(String(repeating: "0", count: 40))
        case "INFO": "$0\r\n\r\n"
        default: "+OK\r\n"
        }
    }

    private static func serve(
        _ connection: TestSupport.Socket, _ asked: Watched<[[String]]>, _ script: ([String]) -> String
    ) throws {
        var rest: [UInt8] = []
        while case .bytes(let bytes) = try connection.read(atMost: 65_536, until: .patient) {
            rest += bytes
            var reader = ReplyReader(limits: ReplyLimits(bytes: 4 << 20))
            var answer: [UInt8] = []
            while !rest.isEmpty {
                let received = rest
                guard let count = try reader.advance(received.span) else { break }
                guard let reply = Reply(received.span.extracting(..<count)),
                    case .array(let parts) = StoreReply(copying: reply)
                else { return }
                var words = parts.map(\.text)
                words[0] = words[0].uppercased()
                // What a link has the server say back is no question of anybody's.
                if words[0] != "PING" { asked.withLock { $0.append(words) } }
                let text = script(words)
                // Silence.
                if text == "hang" {
                    try connection.write(answer, until: .patient)
                    return connection.awaitEnd()
                }
                if text == "close" { return try connection.write(answer, until: .patient) }
                answer += Array(text.utf8)
                rest.removeFirst(count)
            }
            try connection.write(answer, until: .patient)
        }
    }
}

extension TestSupport.Socket {
    /// Reads until the peer has gone.
    func awaitEnd() {
        while true {
            guard case .bytes? = try? read(atMost: 65_536, until: .patient) else { return }
        }
    }
}

/// Words of RESP.
enum Wire {
    static func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }
    static func array(_ parts: [String]) -> String { "*\(parts.count)\r\n" + parts.joined() }

    /// One range of `CLUSTER SLOTS`.
    static func range(_ first: Int, _ last: Int, _ host: String, _ port: UInt16) -> String {
        array([
            ":\(first)\r\n", ":\(last)\r\n",
            array([bulk(host), ":\(port)\r\n", bulk(String(repeating: "a", count: 40))]),
        ])
    }

    /// What a Sentinel answers that names a server on this machine.
    static func named(_ port: UInt16) -> String { array([bulk("127.0.0.1"), bulk("\(port)")]) }
}
