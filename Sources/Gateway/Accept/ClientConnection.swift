import Access
import Crypto
import EventLoop
import Glibc
import HTTP1
import Transport

typealias WorkerRef = UnsafeMutablePointer<Worker>
typealias ClientRef = UnsafeMutablePointer<ClientConnection>
typealias ExchangeRef = UnsafeMutablePointer<Exchange>
typealias UpstreamRef = UnsafeMutablePointer<UpstreamConnection>

/// One client's connection: its socket, what was read and not yet understood, what is written and not yet taken.
///
///     awaitingProxyHeader ──header──▶ awaitingHead
///
///     awaitingHead ──head──▶ exchanging ──response sent──▶ awaitingHead
///          │                     ├── 101 ──▶ tunnelling ──▶ closed
///          └────────refused──────┴── body left over ──▶ discardingBody ──▶ awaitingHead
///                                └── must close ──▶ lingering ──▶ closed
///
/// Lives in a worker's slab and never moves; its events point back at it. Each is a value of its own, of which nothing is
/// left for the next one in that place. There are thousands of it that wait for a next request: what only a few of them
/// need at a time is borrowed for that time, and fields are in an order without gaps.
struct ClientConnection {
    enum State: UInt8 {
        /// It is over: its place is free in the loop's next turn.
        case closed
        /// What is read first is a header of the PROXY protocol, and nothing is the client's yet.
        case awaitingProxyHeader
        /// Between messages, or with part of a head.
        case awaitingHead
        /// An exchange is in progress; what arrives is its body, or waits.
        case exchanging
        /// The answer was given early; the rest of a small body is read away so that the connection can go on.
        case discardingBody
        /// The last answer was sent; what still arrives is read away for a moment, so that the close does not reset it.
        case lingering
        /// Bytes pass both ways until one side ends (after 101).
        case tunnelling
        /// Its messages are those of its streams (HTTP/2), each of which stands for a connection of its own.
        case multiplexing
    }

    var readEvent = FileEvent()
    /// Borrowed while something waits to be written, which for nearly all connections is nearly never.
    var writeEvent: UnsafeMutablePointer<FileEvent>?
    var timeout = Timeout(of: .client)
    var stream: ByteStream
    let worker: WorkerRef
    var exchange: ExchangeRef?
    /// What it needs beside its socket, if anything.
    var part = ClientPart.none
    /// The digest of its certificate, in memory of its own; nil when it has none, or was not asked for it.
    private(set) var certificate: UnsafeMutablePointer<SHA256Digest>?
    var input = Buffer()
    /// Bytes read away while lingering.
    var lingered: Int32 = 0
    var output = Buffer()
    /// How long it may take nothing of its answer, in milliseconds: as its last route says.
    var patience: Int32 = 0
    /// Body bytes behind those of `output` that wait inside the kernel; open only while there are any.
    var pipe = Pipe()
    var parser = RequestHeadParser()
    var listener: UInt16
    var state = State.awaitingHead
    var isReading = false
    var peer: PeerAddress
    /// The clock for the head in progress runs.
    var isHeadTimed = true
    /// `runInput` is at work further up the stack.
    var isRunning = false
    var clearText = ClearText.served
    /// The peer has ended its side.
    var sawEnd = false
    /// Closed as soon as `output` is empty.
    var closesAfterOutput = false
    /// Then read away what still comes before closing.
    var lingers = false
    /// Its next request is its last: what its handshake proved is to be proved anew.
    var endsSoon = false
    /// Counts among its client's connections.
    var isCounted = false
    /// Counts among its client's TLS handshakes.
    var isHandshaking = false
    /// It came after SIGTERM, in this round of `LateClients`.
    var isLate = false
    /// How fast it sends its body, or takes its answer.
    var pace = Pace()
    /// Bytes that the kernel has taken of an answer since the client fell behind.
    var handed: Int64 = 0

    /// A connection that was just taken: its first head is awaited.
    init(
        _ worker: WorkerRef, _ stream: ByteStream = ByteStream(), of peer: PeerAddress = PeerAddress(),
        at listener: UInt16 = 0
    ) {
        self.worker = worker
        self.stream = stream
        self.peer = peer
        self.listener = listener
    }

    /// Whether something waits to be taken by the client.
    var hasOutput: Bool { !output.isEmpty || pipe.isOpen }

    /// Remembers whose certificate the connection's handshake showed.
    mutating func keepCertificate(_ digest: SHA256Digest) {
        forgetCertificate()
        let place = UnsafeMutablePointer<SHA256Digest>.allocate(capacity: 1)
        place.initialize(to: digest)
        certificate = place
    }

    /// Gives its memory back; before the connection is over.
    mutating func forgetCertificate() {
        certificate?.deallocate()
        certificate = nil
    }
}

extension ClientRef {
    var readEvent: UnsafeMutablePointer<FileEvent> { withUnsafeMutablePointer(to: &pointee.readEvent) { $0 } }
    var timeout: UnsafeMutablePointer<Timeout> { withUnsafeMutablePointer(to: &pointee.timeout) { $0 } }

    /// The connection whose socket and handshake it is: itself, or the one that its stream is of.
    var carrier: ClientRef { pointee.part.stream?.pointee.connection ?? self }
}

/// A client's address in the few bytes that every connection can afford; `unix` for one without.
struct PeerAddress {
    /// The address as the kernel has it, IPv4 in the first four bytes.
    private(set) var octets: (UInt64, UInt64) = (0, 0)
    private(set) var isIPv6 = false
    /// Of a Unix socket: who it is, the permissions of its file decided.
    private(set) var isUnix = false
    private(set) var port: UInt16 = 0

    init() {}

    /// An address without a port.
    init(octets: (UInt64, UInt64), isIPv6: Bool) {
        self.octets = octets
        self.isIPv6 = isIPv6
        unmap()
    }

    init(_ address: SocketAddress) {
        if address.isUnix {
            isUnix = true
            return
        }
        port = address.port
        isIPv6 = address.family == AF_INET6
        withUnsafeBytes(of: address.storage) { bytes in
            if isIPv6 {
                octets.0 = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                octets.1 = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            } else {
                octets.0 = UInt64(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            }
        }
        unmap()
    }

    /// An IPv4 address that is written as IPv6, as at a listener for both, is that IPv4 address (RFC 4291 §2.5.5.2): one
    /// client must not count as two, nor be two to lists, logs and upstreams.
    private mutating func unmap() {
        guard isIPv6, octets.0 == 0, UInt32(truncatingIfNeeded: octets.1).littleEndian == 0xffff_0000 else { return }
        octets = (octets.1.littleEndian >> 32, 0)
        isIPv6 = false
    }

    /// The address in 128 bits, IPv4 as IPv6 maps it.
    var bits: UInt128 {
        isIPv6
            ? UInt128(UInt64(bigEndian: octets.0)) << 64 | UInt128(UInt64(bigEndian: octets.1))
            : 0xFFFF_0000_0000 | UInt128(UInt32(bigEndian: UInt32(truncatingIfNeeded: octets.0)))
    }

    /// What tells one subscriber from another: an IPv4 address, or the /64 of another.
    var networkWords: (UInt64, UInt64) { isIPv6 ? (octets.0, 1) : octets }

    /// The address as text, for cold lines.
    var text: String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 46) { text in
            guard let start = text.baseAddress else { return "" }
            return String(decoding: UnsafeBufferPointer(start: start, count: write(into: start)), as: UTF8.self)
        }
    }

    /// Writes the address as text into at least 46 bytes and returns how many.
    func write(into buffer: UnsafeMutablePointer<UInt8>) -> Int {
        if isUnix {
            let word: StaticString = "unix"
            buffer.update(from: word.utf8Start, count: 4)
            return 4
        }
        var octets = octets
        return withUnsafeBytes(of: &octets) { bytes in
            if isIPv6 {
                return buffer.withMemoryRebound(to: CChar.self, capacity: 46) { text in
                    inet_ntop(AF_INET6, bytes.baseAddress, text, 46) == nil ? 0 : strlen(text)
                }
            }
            var count = 0
            for index in 0..<4 {
                let octet = bytes[index]
                if octet >= 100 { buffer[count] = 48 + octet / 100; count += 1 }
                if octet >= 10 { buffer[count] = 48 + octet / 10 % 10; count += 1 }
                buffer[count] = 48 + octet % 10
                count += 1
                if index < 3 { buffer[count] = 46; count += 1 }
            }
            return count
        }
    }
}
