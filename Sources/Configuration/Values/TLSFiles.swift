import Access
import Gateway
import Transport

/// Files of TLS, judged by the code that loads them when the gateway starts.
enum TLSFiles {
    /// What is wrong with a certificate chain and its key, or nil.
    static func fault(_ chain: ConfigurationSources.File, _ key: ConfigurationSources.File) -> String? {
        do throws(TLSFailure) {
            let identity = ServerTLS.Identity(certificateFile: chain.path, keyFile: key.path)
            _ = try ServerTLS(identities: [identity], minimumVersion: .tls12)
            return nil
        } catch {
            return error.words
        }
    }

    /// What is wrong with a file of certification authorities, or nil.
    static func fault(_ certificates: ConfigurationSources.File) -> String? {
        do throws(TLSFailure) {
            _ = try ClientTLS(certificateAuthorityFile: certificates.path)
            return nil
        } catch {
            return error.words
        }
    }

    /// What is wrong with revocation lists for clients of a listener with this certificate, or nil.
    static func fault(
        revocationLists lists: ConfigurationSources.File, authorities: String, _ listener: TLSSettings.Certificate
    ) -> String? {
        let identity = ServerTLS.Identity(certificateFile: listener.certificateFile, keyFile: listener.keyFile)
        let clients = ClientCertificates(
            request: .optional, trust: .authorities(file: authorities, revocationListFile: lists.path))
        do throws(TLSFailure) {
            _ = try ServerTLS(identities: [identity], minimumVersion: .tls12, clientCertificates: clients)
            return nil
        } catch .revocationList(let file, let words) {
            return TLSFailure.revocationList(file: file, words).words
        } catch {
            // The other files have been judged where they are named.
            return nil
        }
    }
}

extension TLSFailure {
    /// What OpenSSL said; the place in the configuration says which file.
    fileprivate var words: String {
        switch self {
        case .library(let words): words
        case .noCertificate: "no certificate"
        case .certificate(_, let words): "a certificate that OpenSSL refuses (\(words))"
        case .key(_, let words): "a key that OpenSSL refuses or that fits another certificate (\(words))"
        case .authorities(_, let words): "authorities that OpenSSL refuses (\(words))"
        case .revocationList(_, let words): "revocation lists that OpenSSL refuses (\(words))"
        }
    }
}
