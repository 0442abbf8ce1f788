import TestSupport
import Testing

@testable import Gateway

@Suite struct `a probe that another process asks` {
    private func ask(_ port: UInt16, milliseconds: Int = 30_000) -> AskProbe.Answer {
        AskProbe.ask("/healthz", at: SocketAddressSettings(host: "127.0.0.1", port: port), milliseconds: milliseconds)
    }

    /// What a server answers that sends these bytes and closes.
    private func answer(to bytes: String) throws -> AskProbe.Answer {
        let server = try RecordingUpstream(fallback: .rawThenClose(bytes))
        return ask(server.port)
    }

    @Test(arguments: [200, 404, 421, 503]) func `has the status of the answer`(status: Int) throws {
        #expect(try answer(to: "HTTP/1.1 \(status) x\r\nContent-Length: 0\r\n\r\n") == .status(status))
    }

    @Test func `has the answer of a listener at a Unix socket, and of one at all addresses`() throws {
        let folder = try TemporaryFolder.make(for: "probe")
        defer { TemporaryFolder.remove(folder) }
        let unix = try RecordingUpstream(unixPath: folder + "/admin.sock")
        let address = SocketAddressSettings(unixPath: folder + "/admin.sock")
        #expect(AskProbe.ask("/healthz", at: address, milliseconds: 30_000) == .status(200))
        withExtendedLifetime(unix) {}
        let server = try RecordingUpstream()
        let all = SocketAddressSettings(host: "0.0.0.0", port: server.port)
        #expect(AskProbe.ask("/healthz", at: all, milliseconds: 30_000) == .status(200))
    }

    @Test func `has none where nobody answers in time, whatever comes until then`() throws {
        let (silent, port) = try Socket.listen()
        #expect(ask(port, milliseconds: 50) == .missing("no answer within 50 ms"))
        silent.close()
        let gate = Gate()
        let slow = try RecordingUpstream(fallback: WireScript(.text("HTTP/1.1"), .wait(gate)))
        #expect(ask(slow.port, milliseconds: 50) == .missing("no answer within 50 ms"))
        gate.open()
    }

    @Test func `has none where nobody listens, somebody closes, or speaks something else`() throws {
        let (taken, port) = try Socket.listen()
        taken.stopListening()
        taken.close()
        #expect(ask(port) == .missing("Connection refused"))
        #expect(try answer(to: "HTTP/1") == .missing("the connection was closed"))
        #expect(try answer(to: "SSH-2.0-OpenSSH_9.2\r\n") == .missing("the answer is not HTTP"))
        for line in ["1.1 2x0 ", "1.1 +20 ", "1.1 2000 OK", "1.1 2001", "1.1X200 OK", "1.x 200 OK", "1.1 200\r\n\r\n"] {
            #expect(try answer(to: "HTTP/\(line)\r\n\r\n") == .missing("the answer is not HTTP"))
        }
        let none = SocketAddressSettings(host: "example.com", port: 1)
        #expect(AskProbe.ask("/", at: none, milliseconds: 1) == .missing("example.com:1 is no address"))
    }
}
