import Crypto
import HTTPMessage
import TestSupport
import TestTraits
import Testing

@Suite struct `the Client-Cert field` {
    /// RFC 9440 Appendix A.
    static let example =
        ":MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEl"
        + "udGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQY"
        + "IKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo"
        + "9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAw"
        + "wCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4"
        + "/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:"
    /// The certificate of RFC 8705 Appendix A, and its x5t#S256.
    static let bound =
        ":MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAxODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzEN"
        + "MAsGA1UEAwwEbXRsczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ/Au08/co"
        + "ZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwIDSQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWU"
        + "VeORWz83AiEA5x2eXZOVbUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=:"
    static let thumbprint = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"

    private func parse(_ value: String) throws(ClientCertField.Refusal) -> [UInt8] {
        let bytes = Array(value.utf8)
        return try ClientCertField.parse(bytes.span)
    }

    @Test(.holds("MTLS-07")) func `a certificate is taken from the field of RFC 9440 as it stands there`() throws {
        let certificate = try parse(Self.example)
        #expect(certificate.count == 428)
        #expect(SHA256.hash(certificate.span).base64URL == "v68ffgcPn6jdYpBfFY2nP4ShE2Yk-6_Mk5PI9yh6aes")
        for spelling in [" \(Self.example)", "\(Self.example)  ", "\(Self.example);a;b=1;  c=\"x\""] {
            #expect(try parse(spelling) == certificate)
        }
    }

    @Test(.holds("MTLS-01")) func `the digest of the certificate of RFC 8705 is its thumbprint`() throws {
        let certificate = try parse(Self.bound)
        #expect(SHA256.hash(certificate.span).base64URL == Self.thumbprint)
    }

    @Test(.refuses("MTLS-07")) func `a field that is cut anywhere is refused`() {
        let bytes = Array(Self.example.utf8)
        for end in bytes.indices {
            #expect(throws: ClientCertField.Refusal.self) { try ClientCertField.parse(bytes.span.extracting(..<end)) }
        }
        let inner = bytes.dropFirst().dropLast()
        for end in stride(from: inner.startIndex, to: inner.endIndex, by: 4) {
            let cut = [0x3a] + inner[..<end] + [0x3a]
            #expect(throws: ClientCertField.Refusal.notDER) { try ClientCertField.parse(cut.span) }
        }
    }

    @Test(.refuses("MTLS-07")) func `no changed octet is read as the same certificate`() throws {
        let bytes = Array(Self.example.utf8)
        let certificate = try ClientCertField.parse(bytes.span)
        for place in bytes.indices {
            for flip in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(flip)
                let found = try? ClientCertField.parse(changed.span)
                if found == certificate { Issue.record("bit \(flip) of octet \(place)") }
            }
        }
    }

    @Test(
        .refuses("MTLS-07"),
        arguments: [
            ("", ClientCertField.Refusal.malformed(.noItem)), ("::", .notDER), (":MAA=:", .notDER), (":MQEA:", .notDER),
            (":MIEBAA==:", .notDER), (":MIIAAQA=:", .notDER), (":MIAAAA==:", .notDER), ("token", .notBytes),
            ("\"string\"", .notBytes), ("?1", .notBytes), ("1", .notBytes),
            (":MAEA:, :MAEA:", .malformed(.trailingBytes)),
            (":MAEA:,", .malformed(.trailingBytes)), (":MAEA:;", .malformed(.parameterName)),
            (":MAEA::", .malformed(.trailingBytes)), ("MAEA", .notBytes),
            ("-----BEGIN CERTIFICATE-----", .malformed(.number)), ("%2D%2D", .malformed(.noItem)),
        ])
    func `what is no single certificate is refused`(value: String, refusal: ClientCertField.Refusal) throws {
        #expect(try parse(":MAEA:") == [0x30, 1, 0], "the smallest SEQUENCE that has something in it")
        #expect(throws: refusal) { try parse(value) }
    }

    @Test(.holds("MTLS-07"), .refuses("MTLS-07")) func `a certificate is of bounded size`() throws {
        func field(_ length: Int) -> [UInt8] {
            let der = [0x30, 0x82, UInt8(length >> 8), UInt8(length & 0xff)] + [UInt8](repeating: 0, count: length)
            return [0x3a] + Self.base64(der) + [0x3a]
        }
        let limit = ClientCertField.maximumBytes
        #expect(try ClientCertField.parse(field(limit - 4).span).count == limit)
        #expect(throws: ClientCertField.Refusal.tooLarge) { try ClientCertField.parse(field(limit - 3).span) }
        #expect(throws: ClientCertField.Refusal.malformed(.tooLong)) {
            try ClientCertField.parse([UInt8](repeating: 0x20, count: StructuredItem.maximumBytes + 1).span)
        }
    }

    @Test(.holds("MTLS-07"), .refuses("MTLS-07"))
    func `a field that stands there twice is refused, were both the same`() throws {
        let line = Array("Client-Cert: \(Self.example)\r\n".utf8)
        func fields(_ count: Int) -> FieldList {
            var list = FieldList()
            for index in 0..<count {
                let start = index * line.count
                list.append(
                    FieldSlot(
                        line: ByteRange(from: start, to: start + line.count),
                        name: ByteRange(from: start, to: start + 11),
                        value: ByteRange(from: start + 13, to: start + line.count - 2),
                        id: FieldID.identify(line.span.extracting(first: 11))))
            }
            return list
        }
        let twice = line + line
        #expect(try ClientCertField.find(in: fields(0), of: twice.span) == nil)
        #expect(try ClientCertField.find(in: fields(1), of: twice.span) == parse(Self.example))
        #expect(throws: ClientCertField.Refusal.repeated) { try ClientCertField.find(in: fields(2), of: twice.span) }
    }

    /// base64 with padding.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return stride(from: 0, to: bytes.count, by: 3).flatMap { start -> [UInt8] in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            return (0..<4).map { $0 <= group.count ? letters[Int(bits >> UInt32(18 - 6 * $0)) & 63] : 0x3d }
        }
    }
}
