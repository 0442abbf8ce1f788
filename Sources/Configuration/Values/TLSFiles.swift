// SPDX-License-Identifier: Apache-2.0
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
