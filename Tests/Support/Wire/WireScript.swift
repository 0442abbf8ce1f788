import Bytes
import Crypto

/// What the recording upstream does with one request, step by step.
package struct WireScript: Sendable {
    /// One thing to do.
    package enum Step: Sendable {
        case bytes([UInt8])
        /// Reads the request's body to its end.
        case readBody
        /// Reads so many further bytes of the body, then goes on.
        case readSome(Int)
        /// Answers 200 with what was received as JSON: method, target, headers, body.
        case echo
        /// Sends what the test makes of the request, whose body is as far as it was read.
        case reply(@Sendable (WireRequest) -> [UInt8])
        /// Sends so many bytes of a fixed pattern, counting them.
        case pattern(Int)
        /// Waits until the test opens the gate, or the client goes away.
        case wait(Gate)
        /// Opens a gate: the kernel has taken all that comes before.
        case open(Gate)
        /// Sends back every byte received until the peer closes.
        case tunnel
        case close
        /// Closes with RST.
        case reset
        /// Closes without an answer when this is the connection with the given number.
        case closeIf(connection: Int)
    }

    package var steps: [Step]

    /// Reads the body first, then does these steps, then waits for the next request.
    package init(_ steps: Step...) { self.steps = [.readBody] + steps }

    /// Does exactly these steps; the body is read only when one says so.
    package init(exactly steps: [Step]) { self.steps = steps }

    /// Sends a text as it is.
    package static func raw(_ text: String) -> WireScript { WireScript(.bytes(Array(text.utf8))) }

    /// Sends a text and closes.
    package static func rawThenClose(_ text: String) -> WireScript { WireScript(.bytes(Array(text.utf8)), .close) }

    /// Answers with a status, a plain body and its length.
    package static func answer(_ status: Int, _ body: String = "ok", fields: [String] = []) -> WireScript {
        let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)"] + fields
        return raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Dies without an answer on one connection and answers on every other.
    package static func closing(on connection: Int) -> WireScript {
        WireScript(.closeIf(connection: connection), .echo)
    }

    /// Answers 200 with what was received, as JSON.
    package static var echo: WireScript { WireScript(.echo) }

    /// Takes up a WebSocket by the key of its handshake, whoever made that (RFC 6455 §4.2.2), and sends back every byte.
    package static var switching: WireScript {
        WireScript(
            .reply { request in
                let key = (request.fields.only("sec-websocket-key") ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                guard let hash = SHA1.hash(Array(key.utf8).span) else { return [] }
                let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                return Array((head + "Sec-WebSocket-Accept: \(Base64.encode(hash.span))\r\n\r\n").utf8)
            }, .tunnel)
    }
}

extension WireScript.Step {
    /// Sends a text as it is.
    package static func text(_ text: String) -> WireScript.Step { .bytes(Array(text.utf8)) }
}
