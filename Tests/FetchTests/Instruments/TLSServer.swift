import Foundation

/// `openssl s_server` on a free port of 127.0.0.1, with a certificate of its own making for `localhost`.
final class TLSServer: @unchecked Sendable {
    let port: Int
    /// The PEM file of the certificate, which vouches for itself.
    let certificateFile: String
    private let folder: URL
    private let process: ChildProcess

    init(_ options: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fetch-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificateFile = folder.appending(path: "certificate.pem").path
        let keyFile = folder.appending(path: "key.pem").path
        let maker = try ChildProcess([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", keyFile, "-out",
            certificateFile,
        ])
        guard maker.wait() == 0 else { throw SpawnFailure(program: "openssl req", code: -1) }
        // Its standard input stays open: at its end the server would leave.
        process = try ChildProcess(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificateFile, "-key", keyFile, "-www"]
                + options)
        // Printed once the server listens: ACCEPT 127.0.0.1:port
        guard let port = process.line(beginning: "ACCEPT")?.split(separator: ":").last.flatMap({ Int($0) }) else {
            process.stop()
            throw SpawnFailure(program: "openssl s_server", code: -1)
        }
        self.port = port
    }

    func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
