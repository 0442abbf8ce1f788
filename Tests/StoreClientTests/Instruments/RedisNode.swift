import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport

@testable import StoreClient

/// One server (see `StoreProgram`) on a port of 127.0.0.1 and a Unix socket, in a folder of its own.
final class RedisNode {
    let folder: String
    let port: UInt16
    private let arguments: [String]
    private let network: PrivateNetwork?
    private(set) var process: ChildProcess

    private let isSecure: Bool

    /// Started, and ready to accept connections; with a certificate its port takes TLS alone.
    init(
        _ arguments: [String] = [], needsBus: Bool = false, certificate: CertificateFiles.Words? = nil,
        in network: PrivateNetwork? = nil
    ) throws {
        isSecure = certificate != nil
        var attempts = 0
        while true {
            let folder = try TemporaryFolder.make(for: "store")
            let port = try RedisNode.freePort()
            var all = [
                "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", folder + "/s", "--dir", folder, "--save",
                "", "--appendonly", "no", "--daemonize", "no", "--enable-debug-command", "yes",
                "--repl-diskless-sync-delay", "0",
            ]
            if needsBus { all += ["--cluster-port", "\(try RedisNode.freePort())"] }
            if let certificate { all += ["--port", "0", "--tls-port", "\(port)"] + certificate.arguments }
            all += arguments
            do {
                process = try RedisNode.start(all, in: network)
                self.network = network
                self.folder = folder
                self.port = port
                self.arguments = all
                return
            } catch {
                // A port that is free for a moment is somebody else's by chance.
                TemporaryFolder.remove(folder)
                attempts += 1
                if attempts == 5 { throw error }
            }
        }
    }

    deinit {
        process.signal(SIGKILL)
        _ = process.waitForEnd()
        TemporaryFolder.remove(folder)
    }

    static func freePort() throws -> UInt16 {
        let (listener, port) = try TestSupport.Socket.listen()
        listener.close()
        return port
    }

    var address: StoreSettings.Address { .network(host: "127.0.0.1", port: port, isSecure: isSecure) }
    var place: LinkServer.Place { .address(host: "127.0.0.1", port: port) }

    /// Ends the process at once, as a crash does.
    func kill() {
        process.signal(SIGKILL)
        _ = process.waitForEnd()
    }

    /// Starts another process with the same settings, and what data the folder has.
    func restart(_ more: [String] = [], isAwaited: Bool = true) throws {
        process = try RedisNode.start(arguments + more, isAwaited: isAwaited, in: network)
    }

    /// A connection that the test asks by.
    func admin() throws -> RedisAdmin { try RedisAdmin(unixPath: folder + "/s") }

    @discardableResult
    func ask(_ words: String...) throws -> StoreReply { try admin().ask(words) }

    /// One line of `INFO`, behind its colon.
    func information(_ name: String) throws -> String {
        guard case .bytes(let bytes) = try ask("INFO", "everything") else { return "" }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        return lines.first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 1)) } ?? ""
    }

    /// How often it was asked a command.
    func calls(_ command: String) throws -> Int {
        let line = try information("cmdstat_" + command)
        return line.split(separator: ",").first.flatMap { Int($0.dropFirst("calls=".count)) } ?? 0
    }

    private static func start(
        _ arguments: [String], isAwaited: Bool = true, in network: PrivateNetwork?
    ) throws -> ChildProcess {
        let process = try StoreProgram.start(arguments, in: network)
        guard isAwaited else { return process }
        let isReady = process.output.wait {
            $0.contains { $0.contains("eady to accept connections") } || !process.isRunning
        }
        guard isReady, process.isRunning else { throw WireFailure.timedOut("redis-server: \(process.output.now)") }
        return process
    }
}

/// A connection of the test's own, which waits for each answer.
final class RedisAdmin {
    private let socket: TestSupport.Socket
    private var rest: [UInt8] = []

    init(unixPath: String) throws { socket = try TestSupport.Socket.connect(unixPath: unixPath) }
    init(port: UInt16) throws { socket = try TestSupport.Socket.connect(port: port) }

    @discardableResult
    func ask(_ words: [String]) throws -> StoreReply {
        var bytes: [UInt8] = []
        Command.words(words).write(to: &bytes)
        try socket.write(bytes, until: .patient)
        var reader = ReplyReader(limits: ReplyLimits(bytes: 4 << 20, elements: 100_000))
        while true {
            let received = rest
            if let count = try reader.advance(received.span) {
                guard let reply = Reply(received.span.extracting(..<count)) else {
                    throw WireFailure.malformed("reply")
                }
                let copied = StoreReply(copying: reply)
                rest.removeFirst(count)
                return copied
            }
            guard case .bytes(let more) = try socket.read(atMost: 65_536, until: .patient) else {
                throw WireFailure.closed("redis")
            }
            rest += more
        }
    }

    @discardableResult
    func ask(_ words: String...) throws -> StoreReply { try ask(words) }
}

extension StoreReply {
    var text: String {
        switch self {
        case .status(let bytes), .bytes(let bytes), .error(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let number): "\(number)"
        case .null: "null"
        case .array(let replies): replies.map(\.text).joined(separator: " ")
        }
    }
}

/// Settings of a store with these servers.
func settings(_ nodes: RedisNode..., change: (inout StoreSettings) -> Void = { _ in }) -> StoreSettings {
    var settings = StoreSettings(addresses: nodes.map(\.address))
    change(&settings)
    return settings
}
