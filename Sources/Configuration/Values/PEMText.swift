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

    /// A key that nobody could open: no passphrase is asked for.
    static let encrypted = "a private key under a passphrase"
    /// What to do with such a key.
    static let withoutPassphrase =
        "write it without one:  openssl pkey -in KEY -out NEW ; whoever reads NEW has the key"

    /// What is wrong with a file of a private key, or nil.
    static func fault(key bytes: [UInt8]) -> String? {
        guard holds("PRIVATE KEY", in: bytes) else { return "no private key in PEM" }
        // OpenSSL would ask the terminal for the passphrase, and wait.
        let isEncrypted =
            holds("ENCRYPTED PRIVATE KEY", in: bytes)
            || String(decoding: bytes, as: UTF8.self).contains("Proc-Type: 4,ENCRYPTED")
        return isEncrypted ? encrypted : nil
    }

    private static func boundary(_ line: Substring, _ prefix: String) -> Substring? {
        guard line.hasPrefix(prefix), line.hasSuffix("-----") else { return nil }
        return line.dropFirst(prefix.count).dropLast(5)
    }
}
