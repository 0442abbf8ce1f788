import Foundation
import TestSupport
import Transport

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

    /// What a server is told of its certificate for a name.
    struct Words {
        let settings: [(name: String, value: String)]
        /// As arguments of a server.
        var arguments: [String] { settings.flatMap { ["--" + $0.name, $0.value] } }
        /// As lines of a Sentinel's configuration.
        var lines: [String] { settings.map { $0.name + " " + $0.value } }
    }

    /// A server's certificate for a name, by which it speaks with its like too.
    func words(_ name: String) throws -> Words {
        let identity = try issue(name)
        return Words(settings: [
            ("tls-cert-file", identity.certificateFile), ("tls-key-file", identity.keyFile),
            ("tls-ca-cert-file", authorityFile), ("tls-auth-clients", "no"), ("tls-replication", "yes"),
        ])
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
}
