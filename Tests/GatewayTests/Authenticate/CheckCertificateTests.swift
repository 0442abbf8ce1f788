@testable import Access
import Crypto
import HTTP1
import TestTraits
import Testing
import Transport

@testable import Gateway

/// A certificate as `Client-Cert` spells it; whatever is DER by its length is one to the field.
private let certificate: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x2A]
private let field = "Client-Cert: :MAMCASo=:"

private func thumbprint() -> SHA256Digest { SHA256.hash(certificate.span) }

/// A request on a connection, held against a token that is bound to the certificate above.
private struct BoundRequest {
    var fields: [String] = []
    var peer = "192.0.2.1"
    /// What the connection's own handshake showed, and was asked for before.
    var own: SHA256Digest?

    func judged(_ idle: IdleWorker) throws -> Refusal? { try refused(idle)?.cause }

    func refused(_ idle: IdleWorker) throws -> Refused? {
        let records = try TokenRecords(["cnf": #"{"x5t#S256":"\#(thumbprint().base64URL)"}"#])
        let record = records.make(TokenRecords.digest(1))
        defer { record.release() }
        #expect(record.isCertificateBound)
        let exchange = idle.worker.takeExchange()
        defer { idle.worker.giveBack(exchange) }
        let client = exchange.pointee.client
        client.pointee.peer = PeerAddress(try #require(SocketAddress(literal: peer, port: 443)))
        if let own { client.pointee.keepCertificate(own) }
        var bytes = Array(
            (["GET / HTTP/1.1", "Host: api.example"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
        let worker = idle.worker
        guard
            case .complete = client.pointee.parser.parse(
                bytes.span, limits: worker.pointee.policy.httpLimits, into: &worker.pointee.scratch.head.pointee)
        else {
            Issue.record("the head is complete")
            return nil
        }
        return bytes.withUnsafeMutableBufferPointer { buffer -> Refused? in
            guard let start = buffer.baseAddress else { return nil }
            return idle.refused { worker throws(Refused) in
                try worker.headView(start).checkCertificate(
                    of: record, ClientArrival(client: exchange.pointee.client, worker: worker))
            }
        }
    }
}

@Suite struct `a token that is bound to a certificate` {
    private func idle() throws -> IdleWorker { try IdleWorker(terminators: ["10.0.0.7/32"]) }

    @Test(.holds("MTLS-01")) func `is the connection's whose certificate it names`() throws {
        let idle = try idle()
        #expect(try BoundRequest(own: thumbprint()).judged(idle) == nil)
        let refused = try #require(try BoundRequest(own: TokenRecords.digest(1)).refused(idle))
        #expect(refused.cause == .certificateMismatch)
        #expect(refused.detail.expected == "x5t#S256 \(thumbprint().base64URL)")
        #expect(refused.detail.found == TokenRecords.digest(1).base64URL)
        for bit in 0..<256 {
            var changed = thumbprint().bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let other = SHA256Digest(changed.span) else { return #expect(Bool(false)) }
            #expect(try BoundRequest(own: other).judged(idle) == .certificateMismatch, "bit \(bit)")
        }
    }

    @Test(.refuses("MTLS-02")) func `is refused on a connection without one, plain or not`() throws {
        let idle = try idle()
        #expect(try BoundRequest().judged(idle) == .certificateMissing)
    }

    @Test(.refuses("MTLS-07")) func `is believed of a terminator, and of nobody else`() throws {
        let idle = try idle()
        #expect(try BoundRequest(fields: [field], peer: "10.0.0.7").judged(idle) == nil)
        for stranger in ["10.0.0.8", "192.0.2.1", "::1"] {
            #expect(
                try BoundRequest(fields: [field], peer: stranger).judged(idle) == .certificateMissing, "\(stranger)")
            #expect(
                try BoundRequest(fields: [field], peer: stranger, own: TokenRecords.digest(1)).judged(idle)
                    == .certificateMismatch)
        }
        #expect(
            try BoundRequest(fields: [field], peer: "10.0.0.7").judged(try IdleWorker()) == .certificateMissing,
            "nobody is a terminator by default")
    }

    @Test(.refuses("MTLS-07")) func `is not the terminator's own, whatever certificate that has`() throws {
        let own = thumbprint()
        #expect(try BoundRequest(peer: "10.0.0.7", own: own).judged(try idle()) == .certificateMissing)
    }

    @Test(
        .refuses("MTLS-07"),
        arguments: [
            [field, field], ["Client-Cert: "], ["Client-Cert: MAMCASo="], ["Client-Cert: :MAMC:"],
            ["Client-Cert: :MAMCASo=:, :MAMCASo=:"],
        ])
    func `is refused where a terminator says what is not one certificate`(fields: [String]) throws {
        #expect(
            try BoundRequest(fields: fields, peer: "10.0.0.7").judged(try idle()) == .clientCertFieldInvalid)
    }
}
