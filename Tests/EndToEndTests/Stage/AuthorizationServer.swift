import Foundation
import TestSupport

/// A real authorization server (Debian's glewlwyd), run by `deploy/authorization-server` in a folder of its own.
final class AuthorizationServer: Sendable {
    let issuer: String
    let resource: String
    private let folder: String
    private let environment: [String: String]
    private let server = Watched<ChildProcess?>(nil)
    /// glewlwyd fails logins that overlap: whoever plays the user holds this meanwhile.
    let turn = Watched(())

    /// What it needs to serve https, and to know clients by their certificates.
    struct Certificates: Sendable {
        /// Who signed the server's certificate and the clients'.
        let authority: TestCertificate
        let server: TestCertificate
    }

    /// Starts and provisions it; with something in front, that is where everybody but its administrator goes.
    init(accessTokenSeconds: Int = 300, front: Relay? = nil, certificates: Certificates? = nil) throws {
        folder = TemporaryFolder.path(for: "authorization-server")
        var options = ["--access-token-seconds", "\(accessTokenSeconds)"]
        if let front { options += ["--front-port", "\(front.port)"] }
        if let certificates {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let files = [
                "server.crt": certificates.server.certificate, "server.key": certificates.server.key,
                "clients.crt": certificates.authority.certificate,
            ]
            for (name, text) in files {
                try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
            }
            options += ["--tls", folder]
            environment = ["SSL_CERT_FILE": folder + "/clients.crt"]
        } else {
            environment = [:]
        }
        let child = try ChildProcess(
            Self.program, ["serve", "--directory", folder] + options, environment: environment)
        server.withLock { $0 = child }
        let line = try Self.readyLine(of: child)
        issuer = line["issuer"] ?? ""
        resource = line["resource"] ?? ""
        let port = try described("base").split(separator: ":").last.flatMap { UInt16($0) }
        if let front, let port { front.lead(to: port) }
    }

    deinit {
        stop()
        TemporaryFolder.remove(folder)
    }

    /// Whether this machine has what it needs; `deploy/test` installs it.
    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/glewlwyd")
            && FileManager.default.isExecutableFile(atPath: program)
    }

    /// An access token for the user, through the authorization code grant.
    func token(_ options: String...) throws -> String { try command("token", options) }

    /// Ends the life of a token.
    func revoke(_ token: String) throws { _ = try command("revoke", [token]) }

    /// What the server's description says at this path, such as a client's secret.
    func described(_ path: String...) throws -> String {
        let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/as.json"))
        var value: Any? = try JSONSerialization.jsonObject(with: content)
        for name in path { value = (value as? [String: Any])?[name] }
        guard let text = value as? String else { throw WireFailure.malformed(path.joined(separator: ".")) }
        return text
    }

    /// A place for a file of a test's own, gone with the server.
    func place(_ name: String) -> String { folder + "/" + name }

    /// Signs with a new key from now on; the former one is forgotten on demand.
    func rotateKeys(_ options: String...) throws { _ = try command("rotate-keys", options) }

    /// Changes a setting of the running server.
    func set(_ assignments: String...) throws { _ = try command("set", assignments) }

    /// Registers a client for browser logins.
    func addClient(_ name: String, _ options: [String]) throws { _ = try command("add-client", [name] + options) }

    /// Ends the server; its folder stays.
    func stop() {
        guard let child = server.now else { return }
        child.signal(15)
        if child.waitForEnd() == nil { child.signal(9) }
        server.withLock { $0 = nil }
    }

    /// Starts it again as it was, on its former port.
    func start() throws {
        let child = try ChildProcess(Self.program, ["serve", "--directory", folder], environment: environment)
        server.withLock { $0 = child }
        _ = try Self.readyLine(of: child)
    }

    private static var program: String { tool("authorization-server") }

    /// A program of the folder `deploy`.
    static func tool(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("deploy/" + name).path
    }

    private static func readyLine(of child: ChildProcess) throws -> LogLine {
        _ = child.output.wait(within: .seconds(180)) { !$0.isEmpty || !child.isRunning }
        guard let line = child.output.now.compactMap({ LogLine($0) }).first else {
            throw WireFailure.timedOut("the authorization server: \(child.errors.now.joined(separator: "\n"))")
        }
        return line
    }

    private func command(_ name: String, _ options: [String]) throws -> String {
        let child = try ChildProcess(
            Self.program, [name, "--directory", folder] + options, environment: environment)
        guard child.waitForEnd(within: .seconds(180)) == .exited(0) else {
            throw WireFailure.closed("\(name): \(child.errors.now.joined(separator: "\n"))")
        }
        _ = child.outputToItsEnd()
        return child.output.now.first ?? ""
    }
}
