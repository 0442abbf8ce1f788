import Foundation
import StoreLink
import TestSupport
import Transport

/// A server (see `StoreProgram`), without persistence, at a Unix socket in a temporary folder.
final class RedisServer {
    let folder: String
    private let arguments: [String]
    private(set) var process: ChildProcess

    /// Started, and ready to accept connections.
    init(_ arguments: String..., port: UInt16 = 0) throws {
        folder = try TemporaryFolder.make(for: "store")
        self.arguments =
            [
                "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", folder + "/s", "--save", "", "--appendonly",
                "no", "--dir", folder, "--daemonize", "no",
            ] + arguments
        process = try Self.start(self.arguments)
    }

    deinit {
        process.signal(SIGKILL)
        _ = process.waitForEnd()
        TemporaryFolder.remove(folder)
    }

    var place: LinkServer { LinkServer(.unixSocket(path: folder + "/s")) }

    /// Ends the process at once, as a crash does.
    func kill() {
        process.signal(SIGKILL)
        _ = process.waitForEnd()
    }

    /// Starts another process with the same settings, and no data.
    func restart() throws { process = try Self.start(arguments) }

    private static func start(_ arguments: [String]) throws -> ChildProcess {
        let process = try StoreProgram.start(arguments)
        let isReady = process.output.wait { $0.contains { $0.contains("eady to accept connections") } }
        guard isReady else { throw WireFailure.timedOut("redis-server: \(process.output.now)") }
        return process
    }
}

/// A server that does with each connection what the test says.
final class ScriptedServer: Sendable {
    private let folder: String
    private let listener: TestSupport.Socket
    /// How many connections there have been.
    let connections = Watched(0)

    /// The script is given a connection and its number, counted from 1, on a thread of its own; it closes at its end.
    init(_ script: @escaping @Sendable (TestSupport.Socket, Int) throws -> Void) throws {
        folder = try TemporaryFolder.make(for: "store")
        listener = try TestSupport.Socket.listen(unixPath: folder + "/s")
        Thread.detachNewThread { [listener, connections] in
            while let connection = listener.accept() {
                let number = connections.withLock { count in
                    count += 1
                    return count
                }
                Thread.detachNewThread {
                    try? script(connection, number)
                    connection.close()
                }
            }
        }
    }

    deinit {
        listener.stopListening()
        TemporaryFolder.remove(folder)
    }

    var place: LinkServer { LinkServer(.unixSocket(path: folder + "/s")) }
}

extension TestSupport.Socket {
    /// Reads until something has come.
    func awaitCommand() throws { _ = try read(atMost: 65_536, until: .patient) }

    /// Reads until the peer has gone.
    func awaitEnd() {
        while true {
            guard case .bytes? = try? read(atMost: 65_536, until: .patient) else { return }
        }
    }

    func say(_ text: String) throws { try write(Array(text.utf8), until: .patient) }

    /// Reads until it is asked for an echo, and says it behind `text`.
    func answer(_ text: String) throws {
        var heard = ""
        while true {
            guard case .bytes(let bytes) = try read(atMost: 65_536, until: .patient) else { return }
            heard += String(decoding: bytes, as: UTF8.self)
            if let asked = heard.firstMatch(of: #/\$4\r\nPING\r\n(\$32\r\n[0-9a-f]{32}\r\n)/#) {
                return try say(text + asked.1)
            }
        }
    }
}

/// Certificates in files, removed with the folder.
final class CertificateFiles {
    let authority: TestCertificate
    let folder: String

    init() throws {
        authority = try TestCertificate.authority(named: "Test authority")
        folder = try TemporaryFolder.make(for: "store")
        try write("authority.pem", authority.certificate)
    }

    deinit { TemporaryFolder.remove(folder) }

    var authorityFile: String { folder + "/authority.pem" }

    /// Files of a certificate for a name, and of its key.
    func issue(_ name: String) throws -> ServerTLS.Identity {
        let issued = try authority.issue(names: [name])
        try write(name + ".pem", issued.certificate)
        try write(name + ".key", issued.key)
        return ServerTLS.Identity(certificateFile: "\(folder)/\(name).pem", keyFile: "\(folder)/\(name).key")
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
}
