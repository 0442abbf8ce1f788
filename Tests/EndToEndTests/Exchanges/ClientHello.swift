import TestSupport

/// The first message of a TLS 1.2 client that offers what no library would (RFC 5246 §7.4.1.2).
struct ClientHello {
    /// Methods of compression, the one liked best first.
    let compressions: [UInt8]

    static let deflate: UInt8 = 1

    /// What a server says to it.
    enum Answer: Equatable {
        case hello(compression: UInt8)
        case alert
    }

    /// The record as it is sent.
    var bytes: [UInt8] {
        // ECDHE-ECDSA-AES128-GCM-SHA256, P-256, and ECDSA with SHA-256: what certificates of the tests go with.
        let suites: [UInt8] = [0xC0, 0x2B]
        let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0, 0, 13, 0, 4, 0, 2, 4, 3]
        var body: [UInt8] = [3, 3] + (0..<32).map { _ in UInt8.random(in: 0...255) } + [0]
        body += Self.counted(suites) + [UInt8(compressions.count)] + compressions + Self.counted(extensions)
        let message = [1, 0] + Self.counted(body)
        return [22, 3, 1] + Self.counted(message)
    }

    /// Reads the first record of the server's.
    static func answer(from client: RawClient) throws -> Answer {
        let header = try client.bytes(5)
        let record = try client.bytes(Int(header[3]) << 8 | Int(header[4]))
        if header[0] == 21 { return .alert }
        // Type, length, version, random, session identifier, suite; then the method.
        guard header[0] == 22, record.count > 38, record[0] == 2, record.count > 41 + Int(record[38]) else {
            throw WireFailure.malformed("\(header + record)")
        }
        return .hello(compression: record[41 + Int(record[38])])
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}
