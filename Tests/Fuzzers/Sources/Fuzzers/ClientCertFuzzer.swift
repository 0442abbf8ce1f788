import HTTPMessage

/// The certificate of a Client-Cert field (RFC 9440 §2.2).
enum ClientCertFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let first = read(input)
        hold(first == read(input), "the same field is the same certificate, or refused for the same reason")
        guard case .success(let certificate) = first else { return .refused }
        hold(certificate.count <= ClientCertField.maximumBytes, "no certificate is beyond the limit")
        hold(isSequence(certificate), "what is taken for a certificate is one DER SEQUENCE, length and all")
        // A second spelling of the same certificate could be one certificate here and another one elsewhere.
        let text = Array((":" + SerialisedItem.base64(certificate) + ":").utf8)
        hold(input.drop { $0 == UInt8(ascii: " ") }.starts(with: text), "a certificate has one spelling")
        hold(read(text) == first, "the certificate alone is the same certificate")
        guard case .failure = read(input + Array(",".utf8) + text) else { fatalError("two certificates are none") }
        return .accepted
    }

    private static func read(_ field: [UInt8]) -> Result<[UInt8], ClientCertField.Refusal> {
        Result { () throws(ClientCertField.Refusal) in try ClientCertField.parse(field.span) }
    }

    /// X.690 §8.1.3 and §10.1, read from the other end: the length that the content has, as it must be written.
    private static func isSequence(_ bytes: [UInt8]) -> Bool {
        for header in 2...4 where bytes.count > header {
            let count = bytes.count - header
            let written: [UInt8] =
                switch count {
                case ..<0x80: [UInt8(count)]
                case ..<0x100: [0x81, UInt8(count)]
                default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
                }
            if written.count + 1 == header, Array(bytes[..<header]) == [0x30] + written { return true }
        }
        return false
    }
}
