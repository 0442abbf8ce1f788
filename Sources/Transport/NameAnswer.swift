import CResolver
import Glibc

/// How long name servers say that the addresses of a name are good.
///
/// `getaddrinfo` knows and does not tell. It stays the one that says where a name leads, with `/etc/hosts` and all else that
/// the system looks at; what is read here is a number, and a wrong one makes a name be asked for too often or too seldom within
/// `NameLifetime.bounds`.
///
/// Wraps `res_search`.
enum NameAnswer {
    private static let headerCount = 12
    /// As long as a message can be: glibc asks by TCP where the answer is longer than a datagram.
    private static let capacity = 65_536

    /// The least lifetime of what leads to the addresses of a name, in seconds, or nil where no server says any; blocks.
    static func lifetime(of host: String) -> UInt32? {
        // RFC 6761 §6.3: no name server is asked for these.
        let name = host.lowercased()
        guard name != "localhost", !name.hasSuffix(".localhost") else { return nil }
        let answer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { answer.deallocate() }
        var least: UInt32?
        for type in [RecordType.a, .aaaa] {
            let length = Int(portcullis_ask_name(host, Int32(type.rawValue), answer, Int32(capacity)))
            // The other question would find as little, and take as long.
            if length == noServer { break }
            // The length of an answer that had no room is that of the whole.
            let message = UnsafeBufferPointer(start: answer, count: max(0, min(length, capacity)))
            guard let found = leastLifetime(in: message) else { continue }
            least = min(least ?? found, found)
        }
        return least
    }

    private static let noServer = -2

    private enum RecordType: UInt16 {
        case a = 1
        case alias = 5
        case aaaa = 28
        case aliasOfTree = 39
    }

    /// The least lifetime of the addresses and aliases of an answer (RFC 1035 §4.1); nil where there are none, or the message
    /// is none.
    static func leastLifetime(in message: UnsafeBufferPointer<UInt8>) -> UInt32? {
        guard message.count >= headerCount else { return nil }
        var reader = Reader(message: message, place: 4)
        guard let questions = reader.number16(), let answers = reader.number16() else { return nil }
        reader.place = headerCount
        for _ in 0..<questions { guard reader.skipName(), reader.skip(4) else { return nil } }
        var least: UInt32?
        for _ in 0..<answers {
            guard reader.skipName(), let type = reader.number16(), let recordClass = reader.number16(),
                let lifetime = reader.number32(), let length = reader.number16(), reader.skip(Int(length))
            else { return nil }
            guard RecordType(rawValue: type) != nil, recordClass == 1 else { continue }
            // RFC 2181 §8: one with the highest bit set is none.
            let seconds = lifetime > UInt32(Int32.max) ? 0 : lifetime
            least = min(least ?? seconds, seconds)
        }
        return least
    }

    /// Reads a message front to back, and never behind its end.
    private struct Reader {
        let message: UnsafeBufferPointer<UInt8>
        var place: Int

        mutating func skip(_ count: Int) -> Bool {
            guard count <= message.count - place else { return false }
            place += count
            return true
        }

        mutating func number16() -> UInt16? {
            guard message.count - place >= 2 else { return nil }
            defer { place += 2 }
            return UInt16(message[place]) << 8 | UInt16(message[place + 1])
        }

        mutating func number32() -> UInt32? {
            guard let high = number16(), let low = number16() else { return nil }
            return UInt32(high) << 16 | UInt32(low)
        }

        /// Labels up to the root, or to where the rest of the name stands elsewhere, which nobody follows.
        mutating func skipName() -> Bool {
            while place < message.count {
                let length = Int(message[place])
                if length == 0 { return skip(1) }
                if length >= 0xC0 { return skip(2) }
                guard length < 0x40, skip(1 + length) else { return false }
            }
            return false
        }
    }
}

extension NameServer {
    /// Has this thread ask these servers, or without any those of `/etc/resolv.conf`.
    static func use(_ servers: [NameServer]) {
        let used = servers.prefix(most)
        let addresses = used.map { server in
            var address = in_addr()
            inet_pton(AF_INET, server.host, &address)
            return address.s_addr
        }
        _ = portcullis_ask_servers(addresses, used.map(\.port.bigEndian), Int32(used.count))
    }
}
