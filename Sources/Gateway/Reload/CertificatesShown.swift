import Access
import Glibc
import Issuers
import OAuth
import Telemetry
import Transport

extension ServingReadings.Certificate {
    /// Every certificate that a configuration has the gateway show, each file once for each use; one that cannot be read is not
    /// among them.
    ///
    /// Of a chain the first certificate counts, which is the one that is renewed. Read once: a file that changes is a reload.
    static func shown(by settings: GatewaySettings) -> [Self] {
        var files: [(use: Use, file: String)] = settings.listeners.flatMap { listener in
            (listener.tls?.certificates ?? []).map { (use: Use.listener, file: $0.certificateFile) }
        }
        files += settings.routes.compactMap { route in
            route.upstream.clientCertificate.map { (use: Use.upstream, file: $0.certificateFile) }
        }
        files += settings.clients.compactMap { client in
            switch client.credentials.method {
            case .tls(let file, _), .selfSignedTLS(let file, _): (use: Use.client, file: file)
            case .secretBasic, .secretPost, .secretJWT, .privateKeyJWT, .publicClient: nil
            }
        }
        var seen: Set<String> = []
        return files.compactMap { use, file in
            guard seen.insert("\(use.rawValue) \(file)").inserted, let pem = read(file),
                let facts = CertificateFacts(pem: pem, hosts: [])
            else { return nil }
            return Self(use, file: file, notAfter: facts.notAfter)
        }
    }

    /// The beginning of a file, in which the first certificate is.
    static func read(_ file: String) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(descriptor, $0 + count, buffer.count - count) } ?? -1
            }
            guard more > 0 else { break }
            count += more
        }
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}
