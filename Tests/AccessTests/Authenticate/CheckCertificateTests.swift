import Crypto
import OAuth
import TestTraits
import Testing

@testable import Access

/// A certificate as `Client-Cert` spells it; whatever is DER by its length is one to the field.
private let certificate: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x2A]
private let field = "Client-Cert: :MAMCASo=:"

private func thumbprint() -> SHA256Digest { SHA256.hash(certificate.span) }

/// A request on a connection, held against a token that is bound to the certificate above.
private struct BoundRequest {
    var fields: [String] = []
    /// The peer is a terminator that the operator trusts.
    var isFromTerminator = false
    /// What the connection's own handshake showed.
    var own: SHA256Digest?

    func judged() throws -> Refusal? { try refused()?.cause }

    func refused() throws -> Refused? {
        let records = TokenRecords(
            of: try userToken(binding: TokenBinding(certificateThumbprint: thumbprint())))
        let record = records.make(digest(1))
        defer { record.release() }
        #expect(record.isCertificateBound)
        var refused: Refused?
        let outcome = permitted(["GET / HTTP/1.1", "Host: api.example"] + fields) { head throws(Refused) in
            do throws(Refused) {
                try head.checkCertificate(
                    of: record,
                    JudgeRig.Connection(isFromTerminator: isFromTerminator, certificateDigest: own))
            } catch {
                refused = error
            }
        }
        #expect(outcome == .passed(true), "the head is complete")
        return refused
    }
}

@Suite struct `a token that is bound to a certificate` {
    @Test(.holds("MTLS-01")) func `is the connection's whose certificate it names`() throws {
        #expect(try BoundRequest(own: thumbprint()).judged() == nil)
        let refused = try #require(try BoundRequest(own: digest(1)).refused())
        #expect(refused.cause == .certificateMismatch)
        #expect(refused.detail.expected == "x5t#S256 \(thumbprint().base64URL)")
        #expect(refused.detail.found == digest(1).base64URL)
        for bit in 0..<256 {
            var changed = thumbprint().bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let other = SHA256Digest(changed.span) else { return #expect(Bool(false)) }
            #expect(try BoundRequest(own: other).judged() == .certificateMismatch, "bit \(bit)")
        }
    }

    @Test(.refuses("MTLS-02")) func `is refused on a connection without one, plain or not`() throws {
        #expect(try BoundRequest().judged() == .certificateMissing)
    }

    @Test(.refuses("MTLS-07")) func `is believed of a terminator, and of nobody else`() throws {
        #expect(try BoundRequest(fields: [field], isFromTerminator: true).judged() == nil)
        #expect(try BoundRequest(fields: [field]).judged() == .certificateMissing)
        #expect(try BoundRequest(fields: [field], own: digest(1)).judged() == .certificateMismatch)
    }

    @Test(.refuses("MTLS-07")) func `is not the terminator's own, whatever certificate that has`() throws {
        #expect(try BoundRequest(isFromTerminator: true, own: thumbprint()).judged() == .certificateMissing)
    }

    @Test(
        .refuses("MTLS-07"),
        arguments: [
            [field, field], ["Client-Cert: "], ["Client-Cert: MAMCASo="], ["Client-Cert: :MAMC:"],
            ["Client-Cert: :MAMCASo=:, :MAMCASo=:"],
        ])
    func `is refused where a terminator says what is not one certificate`(fields: [String]) throws {
        #expect(try BoundRequest(fields: fields, isFromTerminator: true).judged() == .clientCertFieldInvalid)
        // Of anybody else the field is not even read.
        #expect(try BoundRequest(fields: fields, own: thumbprint()).judged() == nil)
    }
}
