internal import Foundation
internal import Glibc

/// The built binary, running `portcullis run` on a configuration of the test's own.
package final class GatewayProcess: Sendable {
    /// How far the start must have come before a test goes on.
    package enum Milestone: Sendable {
        /// Nothing is awaited: for configurations that must not start.
        case started
        /// Every listener is bound.
        case listening
        /// The admin listener says that it is ready.
        case ready
    }

    package let process: ChildProcess
    /// The temporary folder with the configuration, removed with this object.
    package let folder: String
    private let listeners: Int
    private let bound = Watched<[UInt16]>([])

    /// Writes `yaml` (and files beside it, by name) and starts the gateway, with the sockets that are `handedOver`; as one
    /// volume, where Kubernetes would.
    package init(
        _ yaml: String, files: [String: String] = [:], isMounted: Bool = false, listeners: Int = 1,
        environment: [String: String] = [:], handedOver: [NamedDescriptor] = [], until milestone: Milestone = .ready
    ) throws {
        folder = try Self.write(yaml, files: files, isMounted: isMounted)
        self.listeners = listeners
        let arguments = ["run", folder + "/gateway.yaml"]
        process =
            handedOver.isEmpty
            ? try ChildProcess(Self.binary, arguments, environment: environment)
            : try Self.activated(arguments, environment, handedOver)
        switch milestone {
        case .started: break
        case .listening: try awaitListening()
        case .ready:
            try awaitListening()
            guard eventually({ !process.isRunning || (try? status("/readyz")) == 200 }), process.isRunning else {
                throw WireFailure.timedOut("the gateway never became ready:\n\(diagnosis)")
            }
        }
    }

    /// A descriptor with the name by which a service manager hands it over.
    package struct NamedDescriptor: Sendable {
        package let name: String
        package let descriptor: Int32

        package init(_ name: String, _ descriptor: Int32) {
            self.name = name
            self.descriptor = descriptor
        }
    }

    /// As a service manager starts it: only the process itself knows its number.
    private static func activated(
        _ arguments: [String], _ environment: [String: String], _ handedOver: [NamedDescriptor]
    ) throws -> ChildProcess {
        var variables = environment
        variables["LISTEN_FDS"] = "\(handedOver.count)"
        variables["LISTEN_FDNAMES"] = handedOver.map(\.name).joined(separator: ":")
        return try ChildProcess(
            "/bin/sh", ["-c", "export LISTEN_PID=$$; exec \"$0\" \"$@\"", Self.binary] + arguments,
            environment: variables, inherited: handedOver.map(\.descriptor))
    }

    deinit {
        process.signal(SIGKILL)
        TemporaryFolder.remove(folder)
    }

    /// The built binary: beside the test bundle, or where `PORTCULLIS_BINARY` says.
    package static var binary: String {
        if let named = ProcessInfo.processInfo.environment["PORTCULLIS_BINARY"] { return named }
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("portcullis").path
    }

    /// Ports of the public listeners, in the order of the configuration.
    package var ports: [UInt16] { bound.now.isEmpty ? Self.ports(in: operatorLog, of: "public") : bound.now }
    /// The first public listener's port.
    package var port: UInt16 { ports.first ?? 0 }
    /// The admin listener's port.
    package var adminPort: UInt16 { Self.ports(in: operatorLog, of: "admin").first ?? 0 }

    /// Lines of the access log so far.
    package var accessLog: [LogLine] { process.output.now.compactMap { LogLine($0) } }
    /// Lines of the operator log so far.
    package var operatorLog: [LogLine] { process.errors.now.compactMap { LogLine($0) } }
    /// Everything written to both logs, as it stands.
    package var allLogText: String { (process.output.now + process.errors.now).joined(separator: "\n") }

    /// The first access log line that fulfils a condition, waiting for it.
    package func accessLine(
        within limit: Duration = Deadline.patience, where predicate: (LogLine) -> Bool
    ) -> LogLine? {
        Self.line(in: process.output, within: limit, where: predicate)
    }

    /// The first operator log line that fulfils a condition, waiting for it.
    package func operatorLine(
        within limit: Duration = Deadline.patience, where predicate: (LogLine) -> Bool
    ) -> LogLine? {
        Self.line(in: process.errors, within: limit, where: predicate)
    }

    /// A new client of the first public listener.
    package func client(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// Sends one request on a connection of its own and reads its response.
    package func exchange(_ request: String, method: String = "GET") throws -> WireResponse {
        let client = try client()
        try client.send(request)
        return try client.response(to: method)
    }

    /// GET on the admin listener.
    package func admin(_ path: String) throws -> WireResponse {
        let client = try RawClient(port: adminPort, speaking: .http1)
        try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(adminPort)\r\nConnection: close\r\n\r\n")
        return try client.response()
    }

    /// The status that the admin listener answers for a path.
    package func status(_ path: String) throws -> Int { try admin(path).status }

    /// Sends SIGTERM.
    package func terminate() { process.signal(SIGTERM) }

    /// What to print when a start fails.
    package var diagnosis: String {
        (process.errors.now + process.output.now).suffix(40).joined(separator: "\n")
    }

    private func awaitListening() throws {
        let isBound = process.errors.wait { lines in
            let known = lines.compactMap { LogLine($0) }
            return !self.process.isRunning
                || (Self.ports(in: known, of: "public").count >= self.listeners
                    && !Self.ports(in: known, of: "admin").isEmpty)
        }
        guard isBound, process.isRunning else {
            throw WireFailure.timedOut("the gateway never listened:\n\(diagnosis)")
        }
        // The log grows; reading it again for each client would be most of a test's time.
        let ports = Self.ports(in: operatorLog, of: "public")
        bound.withLock { $0 = ports }
    }

    private static func line(
        in lines: Watched<[String]>, within limit: Duration, where predicate: (LogLine) -> Bool
    ) -> LogLine? {
        var seen = 0
        var found: LogLine?
        _ = lines.wait(within: limit) { lines in
            while seen < lines.count, found == nil {
                if let line = LogLine(lines[seen]), predicate(line) { found = line }
                seen += 1
            }
            return found != nil
        }
        return found
    }

    private static func ports(in log: [LogLine], of listener: String) -> [UInt16] {
        var ports: [UInt16] = []
        for line in log where line["event"] == "listening" && line["listener"] == listener {
            guard let port = line["address"]?.split(separator: ":").last.flatMap({ UInt16($0) }), port > 0,
                !ports.contains(port)
            else { continue }
            ports.append(port)
        }
        return ports
    }

    private static func write(_ yaml: String, files: [String: String], isMounted: Bool) throws -> String {
        let folder = try TemporaryFolder.make(for: "gateway")
        if isMounted {
            var files = files
            files["gateway.yaml"] = yaml.replacingOccurrences(of: "$FOLDER", with: folder)
            try KubernetesVolume.put(files, in: folder)
            return folder
        }
        for (name, content) in files {
            let path = folder + "/" + name
            try content.write(toFile: path, atomically: false, encoding: .utf8)
            chmod(path, 0o600)
        }
        // `$FOLDER` lets a configuration name the files beside it.
        try yaml.replacingOccurrences(of: "$FOLDER", with: folder)
            .write(toFile: folder + "/gateway.yaml", atomically: false, encoding: .utf8)
        return folder
    }
}
