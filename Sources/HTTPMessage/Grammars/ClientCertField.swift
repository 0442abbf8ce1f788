import Bytes

/// The Client-Cert field, by which a TLS terminator passes its client's certificate on (RFC 9440 §2.2).
///
/// Whether the field may be believed is for the caller to know: any client can send one (RFC 9440 §4, MTLS-07).
public enum ClientCertField {
    /// The largest certificate that is taken; those in use have one or two thousand bytes.
    public static let maximumBytes = 16 << 10

    /// Why a field does not carry a certificate.
    public enum Refusal: Error, Sendable, Equatable {
        /// It stands there twice: RFC 9440 §2.2 makes it a singleton.
        case repeated
        /// It is no structured item.
        case malformed(StructuredFieldRefusal)
        /// It is an item, but no byte sequence.
        case notBytes
        /// The certificate is longer than `maximumBytes`.
        case tooLarge
        /// The bytes are not one DER SEQUENCE from end to end, as a certificate is.
        case notDER
    }

    /// The certificate in a head's field, in DER; nil when the head has no such field.
    ///
    /// `bytes` are those of the head that `fields` was made of.
    public static func find(in fields: borrowing FieldList, of bytes: Span<UInt8>) throws(Refusal) -> [UInt8]? {
        let index = fields.firstIndex(of: .clientCert)
        guard index >= 0 else { return nil }
        guard fields.count(of: .clientCert) == 1 else { throw .repeated }
        return try parse(bytes.extracting(fields[index].value))
    }

    /// The certificate in a field's value, in DER.
    ///
    /// Parameters are read and ignored: RFC 9440 defines none, and RFC 9651 §2 has unknown ones ignored. The certificate
    /// itself is not judged: the terminator saw the proof of possession of its key, and a token binds its digest.
    public static func parse(_ value: Span<UInt8>) throws(Refusal) -> [UInt8] {
        let item: StructuredItem
        do throws(StructuredFieldRefusal) {
            item = try StructuredItem(value)
        } catch {
            throw .malformed(error)
        }
        guard case .bytes(let certificate) = item.value else { throw .notBytes }
        guard certificate.count <= maximumBytes else { throw .tooLarge }
        guard isOneSequence(certificate.span) else { throw .notDER }
        return certificate
    }

    /// Whether the bytes are a SEQUENCE whose length, in its shortest form, reaches to the last of them.
    ///
    /// An empty field or one cut short must not pass for a certificate whose digest some token might name.
    private static func isOneSequence(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
        let first = Int(bytes[1])
        if first < 0x80 { return first > 0 && bytes.count == 2 &+ first }
        let octets = first & 0x7f
        guard octets == 1 || octets == 2, bytes.count >= 2 &+ octets else { return false }
        let length = octets == 1 ? Int(bytes[2]) : Int(bytes[2]) << 8 | Int(bytes[3])
        guard length >= (octets == 1 ? 0x80 : 0x100) else { return false }
        return bytes.count == 2 &+ octets &+ length
    }
}
