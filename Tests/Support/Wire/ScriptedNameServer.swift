internal import Foundation
internal import Glibc

/// A name server at 127.0.0.1 that says what a test has it say, by UDP and by TCP (RFC 1035 §4.2).
///
/// What it has no answer for does not exist.
package final class ScriptedNameServer: Sendable {
    /// What a question gets.
    package enum Answer: Sendable {
        /// These addresses of the family that is asked for, each good for so many seconds.
        case addresses([String], lifetime: UInt32)
        /// The same behind this alias, which is good for so many seconds itself.
        case alias(to: String, lifetime: UInt32, [String])
        /// The same, and by UDP nothing but that it is more than a datagram holds.
        case truncated([String], lifetime: UInt32)
        /// Neither addresses nor an error.
        case empty
        /// RCODE 3.
        case unknown
        /// RCODE 2.
        case failure
        /// Nothing.
        case silence
        /// A head without an error, of so many answers, then the question and these bytes.
        case raw(answers: UInt16, [UInt8])
    }

    package let port: UInt16
    /// The names that were asked for so far, each as often as it was.
    package let questions = Watched<[String]>([])
    private let answers = Watched<[String: Answer]>([:])
    private let datagrams: Int32
    private let listener: Socket

    /// Answers at a free port.
    package init() throws {
        // The same port for both: of those that are free for one, one that is for the other too.
        for _ in 0..<100 {
            let (listener, port) = try Socket.listen()
            let datagrams = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard datagrams >= 0 else { throw WireFailure.system("socket", errno) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(datagrams, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else {
                Glibc.close(datagrams)
                continue
            }
            (self.listener, self.port, self.datagrams) = (listener, port, datagrams)
            start()
            return
        }
        throw WireFailure.system("bind", EADDRINUSE)
    }

    deinit {
        shutdown(datagrams, Int32(SHUT_RDWR))
        listener.stopListening()
    }

    /// What this name leads to from now on.
    package func answer(_ name: String, with answer: Answer) { answers.withLock { $0[name] = answer } }

    /// How often a name was asked for.
    package func count(of name: String) -> Int { questions.now.count { $0 == name } }

    private func start() {
        let (datagrams, listener) = (datagrams, listener)
        Thread.detachNewThread { [weak self] in
            // Closed by the thread that reads it: nobody else is given its number meanwhile.
            defer { Glibc.close(datagrams) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                var peer = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutablePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(datagrams, &buffer, buffer.count, 0, $0, &length)
                    }
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0, let self else { return }
                guard let reply = self.reply(to: Array(buffer[..<count]), isDatagram: true) else { continue }
                _ = withUnsafePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(datagrams, reply, reply.count, 0, $0, length)
                    }
                }
            }
        }
        Thread.detachNewThread { [weak self] in
            while let connection = listener.accept() {
                guard let self else { return }
                self.serve(connection)
            }
        }
    }

    /// One connection: questions, of which several may come at once, and their answers.
    private func serve(_ connection: Socket) {
        var received: [UInt8] = []
        while true {
            while received.count < 2 || received.count < 2 + Int(received[0]) << 8 + Int(received[1]) {
                guard case .bytes(let bytes)? = try? connection.read(atMost: 4096, until: .patient) else { return }
                received += bytes
            }
            let end = 2 + Int(received[0]) << 8 + Int(received[1])
            let question = Array(received[2..<end])
            received.removeFirst(end)
            guard let reply = reply(to: question, isDatagram: false) else { return }
            try? connection.write([UInt8(reply.count >> 8), UInt8(reply.count & 0xFF)] + reply, until: .patient)
        }
    }

    private func reply(to question: [UInt8], isDatagram: Bool) -> [UInt8]? {
        guard let (name, type, end) = Self.read(question) else { return nil }
        questions.withLock { $0.append(name) }
        let asked = Array(question[12..<end])
        func message(_ code: UInt8 = 0, answers: UInt16 = 0, isTruncated: Bool = false, _ records: [UInt8] = [])
            -> [UInt8]
        {
            Array(question[..<2]) + [isTruncated ? 0x83 : 0x81, 0x80 | code, 0, 1] + Self.two(answers) + [0, 0, 0, 0]
                + asked + records
        }
        switch answers.now[name] ?? .unknown {
        case .silence: return nil
        case .unknown: return message(3)
        case .failure: return message(2)
        case .empty: return message()
        case .raw(let count, let bytes): return message(answers: count, bytes)
        case .truncated(let addresses, let lifetime):
            guard !isDatagram else { return message(isTruncated: true) }
            return Self.message(addresses, type, lifetime, owner: [0xC0, 12]) { message(answers: $0, $1) }
        case .addresses(let addresses, let lifetime):
            return Self.message(addresses, type, lifetime, owner: [0xC0, 12]) { message(answers: $0, $1) }
        case .alias(let target, let lifetime, let addresses):
            let encoded = Self.encoded(target)
            let record = [0xC0, 12] + Self.two(5) + Self.two(1) + Self.four(lifetime) + Self.two(UInt16(encoded.count))
            return Self.message(addresses, type, 3600, owner: encoded) {
                message(answers: $0 + 1, record + encoded + $1)
            }
        }
    }

    private static func message(
        _ addresses: [String], _ type: UInt16, _ lifetime: UInt32, owner: [UInt8], _ make: (UInt16, [UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let contents = addresses.compactMap { content(of: $0, type) }
        let records = contents.map {
            owner + two(type) + two(1) + four(lifetime) + two(UInt16($0.count)) + $0
        }
        return make(UInt16(contents.count), records.flatMap { $0 })
    }

    /// The bytes of an address, where it is of the family of this type of record.
    private static func content(of address: String, _ type: UInt16) -> [UInt8]? {
        var (four, six) = (in_addr(), in6_addr())
        if type == 1, inet_pton(AF_INET, address, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        if type == 28, inet_pton(AF_INET6, address, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
        return nil
    }

    private static func two(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private static func four(_ number: UInt32) -> [UInt8] { two(UInt16(number >> 16)) + two(UInt16(number & 0xFFFF)) }

    private static func encoded(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// The name and type of a question, and where it ends.
    private static func read(_ message: [UInt8]) -> (String, UInt16, Int)? {
        var (labels, place): ([String], Int) = ([], 12)
        while place < message.count, message[place] != 0 {
            let end = place + 1 + Int(message[place])
            guard end < message.count else { return nil }
            labels.append(text(Array(message[(place + 1)..<end])))
            place = end
        }
        guard place + 5 <= message.count else { return nil }
        let type = UInt16(message[place + 1]) << 8 | UInt16(message[place + 2])
        return (labels.joined(separator: "."), type, place + 5)
    }
}
