import Access
import Crypto
import Issuers
import JOSE
import Login
import OAuth
import Sessions
import Telemetry

/// What the keys and certificates of a configuration are, as far as it takes to see that one is another than before.
///
/// Digests: nothing here signs or opens anything, and those of secrets are shown to nobody.
struct KeyPrints: Sendable {
    /// What a key is for.
    enum Kind: String, Sendable, CaseIterable {
        case tlsCertificate = "tls_certificate"
        case sessionKeys = "session_keys"
        case ticketKeys = "ticket_keys"
        case nonceKeys = "nonce_keys"
        case assertionKeys = "assertion_keys"
        case clientKey = "client_key"
        case clientSecret = "client_secret"
    }

    struct Print: Sendable, Equatable {
        let kind: Kind
        /// Whose it is, by its name in the configuration; a certificate's file.
        let name: String
        let digest: SHA256Digest
    }

    let prints: [Print]

    init(_ settings: GatewaySettings) {
        var prints: [Print] = []
        func add(_ kind: Kind, _ name: String, _ keys: [Secret]) {
            guard !keys.isEmpty else { return }
            let all = keys.flatMap { SHA256.hash($0.reveal().span).bytes }
            prints.append(Print(kind: kind, name: name, digest: SHA256.hash(all.span)))
        }
        for file in Self.certificateFiles(settings) {
            guard let bytes = ServingReadings.Certificate.read(file) else { continue }
            prints.append(Print(kind: .tlsCertificate, name: file, digest: SHA256.hash(bytes.span)))
        }
        // Two listeners may have one URL: their keys are one print, for by its name none is told from the other.
        var tickets: [(url: String, keys: [Secret])] = []
        for listener in settings.listeners {
            let keys = listener.tls?.ticketKeys ?? []
            if let place = tickets.firstIndex(where: { $0.url == listener.publicURL }) {
                tickets[place].keys += keys
            } else {
                tickets.append((listener.publicURL, keys))
            }
        }
        for (url, keys) in tickets { add(.ticketKeys, url, keys) }
        for login in settings.logins { add(.sessionKeys, login.name, login.session.keys) }
        add(.nonceKeys, "dpop", settings.proofs.nonceKeys)
        add(.assertionKeys, "assertion_keys", settings.assertionKeys.keys)
        for client in settings.clients {
            switch client.credentials.method {
            case .secretBasic(let secret), .secretPost(let secret), .secretJWT(_, let secret):
                add(.clientSecret, client.name, [secret])
            case .privateKeyJWT(let key):
                prints.append(Print(kind: .clientKey, name: client.name, digest: key.published.thumbprint))
            case .tls, .selfSignedTLS, .publicClient: break
            }
        }
        self.prints = prints
    }

    /// Those that are others than before; what is new, or gone, is the configuration's to say.
    func changes(from before: KeyPrints) -> [Print] {
        prints.filter { print in
            before.prints.contains { $0.kind == print.kind && $0.name == print.name && $0.digest != print.digest }
        }
    }

    private static func certificateFiles(_ settings: GatewaySettings) -> [String] {
        var files = settings.listeners.flatMap { ($0.tls?.certificates ?? []).map(\.certificateFile) }
        files += settings.routes.compactMap { $0.upstream.clientCertificate?.certificateFile }
        files += settings.clients.compactMap { client in
            switch client.credentials.method {
            case .tls(let file, _), .selfSignedTLS(let file, _): file
            case .secretBasic, .secretPost, .secretJWT, .privateKeyJWT, .publicClient: nil
            }
        }
        var seen: Set<String> = []
        return files.filter { seen.insert($0).inserted }
    }
}
