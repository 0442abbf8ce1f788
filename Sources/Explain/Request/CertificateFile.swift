import Bytes
package import Crypto

/// A client certificate in a file.
package enum CertificateFile {
    /// SHA-256 of the first certificate of a PEM text, in DER, as `x5t#S256` has it; nil when there is none.
    package static func thumbprint(_ pem: [UInt8]) -> SHA256Digest? {
        let lines = pem.split { $0 == 0x0A || $0 == 0x0D }
        guard let start = lines.firstIndex(where: { $0.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) }) else {
            return nil
        }
        var text: [UInt8] = []
        for line in lines[(start + 1)...] {
            if line.first == UInt8(ascii: "-") { break }
            for byte in line where byte != UInt8(ascii: "=") && byte != 0x20 {
                text.append(byte == UInt8(ascii: "+") ? 0x2D : byte == UInt8(ascii: "/") ? 0x5F : byte)
            }
        }
        guard !text.isEmpty, let der = Base64URL.decode(text.span) else { return nil }
        return SHA256.hash(der.span)
    }
}
