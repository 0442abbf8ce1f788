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

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
}
