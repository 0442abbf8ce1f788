/// Whether a text holds a PEM block (RFC 7468) of some kind: enough to catch swapped and truncated files by name.
enum PEMText {
    /// Whether a complete block is there whose label is `label` or ends with it (`EC PRIVATE KEY`).
    static func holds(_ label: String, in bytes: [UInt8]) -> Bool {
        var open: Substring?
        var hasBody = false
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if let begun = boundary(line, "-----BEGIN ") {
                (open, hasBody) = (begun, false)
            } else if let ended = boundary(line, "-----END ") {
                if ended == open, hasBody, ended == label || ended.hasSuffix(" \(label)") { return true }
                open = nil
            } else {
                hasBody = true
            }
        }
        return false
    }

    /// What is wrong with a file of certificates, or nil.
    static func fault(chain bytes: [UInt8]) -> String? {
        holds("CERTIFICATE", in: bytes) ? nil : "no certificate in PEM"
    }

    /// What is wrong with a file of a private key, or nil.
    static func fault(key bytes: [UInt8]) -> String? {
        guard holds("PRIVATE KEY", in: bytes) else { return "no private key in PEM" }
        // OpenSSL would ask the terminal for the passphrase, and wait.
        let isEncrypted =
            holds("ENCRYPTED PRIVATE KEY", in: bytes)
            || String(decoding: bytes, as: UTF8.self).contains("Proc-Type: 4,ENCRYPTED")
        return isEncrypted ? "a private key under a passphrase" : nil
    }

    private static func boundary(_ line: Substring, _ prefix: String) -> Substring? {
        guard line.hasPrefix(prefix), line.hasSuffix("-----") else { return nil }
        return line.dropFirst(prefix.count).dropLast(5)
    }
}
