import Access
import ProxyProtocol
import Telemetry
import Transport

/// Connections whose client a proxy in front names, by a header of the PROXY protocol before the first of their own bytes
/// (ECO-76).
///
/// Until it is read the connection is the proxy's: it has a place among all connections, and none among those of one
/// client, which a proxy is not. From then on its client is whom the header names, for limits, networks, logs, upstreams
/// and `trusted_proxies` alike; the socket's own address is forgotten.
extension WorkerRef {
    /// Gives a new connection the time for its header, unless nobody there may send one.
    func awaitProxyHeader(
        _ stream: ByteStream, of peer: PeerAddress, at listener: UnsafeMutablePointer<ListenerSocket>
    ) {
        var stream = stream
        guard listener.pointee.headerSenders.contains(peer) else {
            sayProxyHeaderRefused(peer, .unnamedSender)
            return stream.close()
        }
        if let refusal = refusalForWantOfRoom(peer) {
            sayWithoutRoom(stream, refusal, at: listener)
            return stream.close()
        }
        var connection = connection(over: stream, of: peer, at: listener)
        connection.state = .awaitingProxyHeader
        watch(connection, within: proxyHeaderTime)
    }

    /// How long a proxy may take for its header, in milliseconds: it has nothing to wait for.
    ///
    /// It is part of the time for the first head, and no further one.
    private var proxyHeaderTime: Int { min(3000, pointee.policy.timeouts.requestHead) }

    /// Takes the header off the socket and nothing behind it: those bytes are the client's, or its TLS handshake's.
    func readProxyHeader(_ client: ClientRef) {
        let kept = client.pointee.input.count
        // What comes in pieces is short, and its memory is to be.
        let room = min(ProxyHeader.mostBytes - kept, kept > 0 ? 1024 : .max)
        if kept > 0, !client.pointee.input.reserve(room, from: &pointee.connections.buffers) {
            return closeClient(client)
        }
        let bytes = kept > 0 ? client.pointee.input.bytes : pointee.scratch.read
        let stream = client.pointee.stream
        let count = stream.peek(into: bytes + kept, capacity: room)
        guard count > 0 else {
            if count != ByteStream.wantsRead { refuseProxyHeader(client, kept == 0 ? .nothing : .part) }
            return
        }
        let header: ProxyHeader?
        do throws(ProxyHeaderRefusal) {
            header = try ProxyHeader.read(UnsafeBufferPointer(start: bytes, count: kept + count).span)
        } catch {
            return refuseProxyHeader(client, .malformed(error))
        }
        let taken = (header?.length ?? kept + count) - kept
        // What was looked at is there, and in the same place.
        guard stream.read(into: bytes + kept, capacity: taken) == taken else { return closeClient(client) }
        if let header {
            dropInput(client)
            return admit(client, header.client)
        }
        if kept > 0 {
            client.pointee.input.end += taken
        } else if !client.pointee.input.append(bytes, taken, from: &pointee.connections.buffers) {
            closeClient(client)
        }
    }

    /// Lets the client in that the header names, if it may have one more connection; what it sends is read from now on.
    private func admit(_ client: ClientRef, _ named: ProxyHeader.Client) {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        var isCounted = false
        if let address = PeerAddress(named) {
            client.pointee.peer = address
            if let refusal = refusal(of: address, at: listener) {
                sayWithoutRoom(client.pointee.stream, refusal, at: listener)
                return closeClient(client)
            }
            isCounted = self.isCounted(address, at: listener)
        }
        client.pointee.state = .awaitingHead
        guard begin(&client.pointee, isCounted: isCounted, at: listener) else { return closeClient(client) }
        let unused = Int(client.pointee.timeout.deadline &- pointee.connections.wheel.now)
        let rest = pointee.policy.timeouts.requestHead - proxyHeaderTime
        setTimeout(client.timeout, max(0, unused) * TimeoutWheel.tickMilliseconds + rest)
    }

    /// No header, or part of one, and the time is over.
    func proxyHeaderTimedOut(_ client: ClientRef) {
        refuseProxyHeader(client, .late(hasBegun: !client.pointee.input.isEmpty, milliseconds: proxyHeaderTime))
    }

    private func refuseProxyHeader(_ client: ClientRef, _ fault: ProxyHeaderFault) {
        sayProxyHeaderRefused(client.pointee.peer, fault)
        closeClient(client)
    }

    /// Counts a connection that ends before it has begun, and tells the operator why.
    private func sayProxyHeaderRefused(_ peer: PeerAddress, _ fault: ProxyHeaderFault) {
        let refusal = Refusal.proxyHeaderRefused
        pointee.journal.metrics.countRefusal(route: UnroutedRequests.none.slot, cause: Int(refusal.rawValue))
        // Who comes and goes without a word is a probe of the port.
        let level: LogLevel = fault == .nothing ? .debug : .info
        guard pointee.journal.operatorLog.writes(level), let suppressed = admitLine(of: refusal) else { return }
        let fields = [
            LogField(.cause, "\(refusal.word)"), LogField(.check, "\(refusal.check)"),
            LogField(.blame, refusal.blame.rawValue), LogField(.client, peer.text),
            LogField(.expected, fault.expected), LogField(.found, fault.found),
        ]
        pointee.journal.operatorLog.write(level, .refused, fields.with(suppressed: suppressed))
    }
}

/// Why a connection ends before its client is known.
private enum ProxyHeaderFault: Equatable {
    case unnamedSender
    /// The connection's end, before a header or within one.
    case nothing, part
    case late(hasBegun: Bool, milliseconds: Int)
    case malformed(ProxyHeaderRefusal)

    var expected: String {
        switch self {
        case .unnamedSender: "an address in proxy_protocol.from of the listener"
        case .late(_, let milliseconds): "a header of the PROXY protocol within \(milliseconds) ms"
        case .nothing, .part, .malformed: "a header of the PROXY protocol"
        }
    }

    var found: String {
        switch self {
        case .unnamedSender: "another"
        case .nothing: "the connection's end"
        case .part: "the connection's end within one"
        case .late(let hasBegun, _): hasBegun ? "part of one" : "nothing"
        case .malformed(let refusal): refusal.words
        }
    }
}

extension ProxyHeaderRefusal {
    fileprivate var words: String {
        switch self {
        case .noHeader: "other bytes"
        case .lineTooLong: "a line of more than 107 bytes"
        case .lineBroken: "a line that does not end with CR LF"
        case .familyUnknown: "a family of addresses that no connection is of"
        case .wordsMissing: "a line without two addresses and two ports"
        case .addressMalformed: "a malformed address"
        case .portMalformed: "a malformed port"
        case .versionUnknown: "an unknown version"
        case .commandUnknown: "an unknown command"
        case .tooLarge: "a header of more than \(ProxyHeader.mostBytes) bytes"
        case .addressesCut: "a header that ends within its addresses"
        case .valueCut: "a value that ends behind the header"
        case .valueMalformed: "a malformed value"
        case .valueRepeated: "a value twice"
        case .checksumWrong: "a wrong checksum"
        }
    }
}

extension PeerAddress {
    /// The client that a header names; nil where it names none.
    fileprivate init?(_ named: ProxyHeader.Client) {
        switch named {
        case .unsaid: return nil
        case .ipv4(let address): self.init(octets: (UInt64(address.bigEndian), 0), isIPv6: false)
        case .ipv6(let address):
            let high = UInt64(truncatingIfNeeded: address >> 64)
            let low = UInt64(truncatingIfNeeded: address)
            self.init(octets: (high.bigEndian, low.bigEndian), isIPv6: true)
        }
    }
}
