import EventLoop
import Glibc
import Transport

/// From a connection that is wanted to one that may be written to: name, TCP, TLS; none of it holds the loop (SH-14).
extension ServerLink {
    func beginAttempt() {
        switch server.place {
        case .unixSocket(let path):
            guard let address = SocketAddress(unixPath: path) else { return lose(.unreachable("no path of a socket")) }
            open(address)
        case .address(let host, let port):
            if let address = SocketAddress(literal: host, port: port) { return open(address) }
            resolve(host, port)
        }
    }

    /// Asks for the addresses of the name, unless that question is still open: then its answer serves this attempt too.
    private func resolve(_ host: String, _ port: UInt16) {
        guard !isResolving else { return }
        isResolving = true
        resolver.resolve(host, port: port, on: loop) { [weak self] addresses in self?.resolved(addresses) }
    }

    private func resolved(_ addresses: [SocketAddress]) {
        isResolving = false
        guard machine.phase == .opening, stream.descriptor < 0 else { return }
        guard !addresses.isEmpty else { return lose(.unresolved) }
        // One after the other: an address that leads nowhere costs one attempt.
        turn += 1
        open(addresses[turn % addresses.count])
    }

    private func open(_ address: SocketAddress) {
        var address = address
        let descriptor = Socket.connect(to: &address)
        guard descriptor >= 0 else { return lose(.unreachable(String(cString: strerror(errno)))) }
        if !address.isUnix { Socket.noticeDeadPeer(descriptor) }
        stream = ByteStream(descriptor: descriptor)
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(readEvent, loop.base, descriptor, [.read, .persistent], onLinkReadable, context)
        FileEvent.assign(writeEvent, loop.base, descriptor, [.write, .persistent], onLinkWritable, context)
        awaitWritable(true)
    }

    /// An attempt to connect has ended, well or not.
    func connected() {
        awaitWritable(false)
        let code = Socket.pendingError(of: stream.descriptor)
        guard code == 0 else { return lose(.unreachable(String(cString: strerror(code)))) }
        FileEvent.add(readEvent)
        guard let tls = server.tls else { return becameOpen() }
        guard let secured = tls.open(stream.descriptor, serverName: server.serverName) else {
            return lose(.tlsRefused("no TLS state"))
        }
        stream = secured
        isHandshaking = true
        handshake()
    }

    func handshake() {
        switch stream.handshake() {
        case 0:
            isHandshaking = false
            awaitWritable(false)
            becameOpen()
        case ByteStream.wantsRead: awaitWritable(false)
        case ByteStream.wantsWrite: awaitWritable(true)
        default:
            let failure = HandshakeFailure.take()
            lose(.tlsRefused(stream.certificateProblem ?? failure.wordsOfServer))
        }
    }

    private func becameOpen() {
        machine.opened(now: clock(), random: UInt64.random(in: 0...UInt64.max))
        let generation = generation
        flush()
        if generation == self.generation { tellIfOpened() }
    }
}

extension HandshakeFailure {
    /// Why the handshake with a server came to nothing, for whoever looks after it.
    var wordsOfServer: String {
        switch self {
        case .notTLS: "something that is no TLS"
        case .closed: "the end of the connection"
        case .version: "no version of TLS that both speak"
        case .cipher: "no cipher that both have"
        case .certificate: "a certificate that was not accepted"
        case .applicationProtocol, .other: "a failed handshake"
        case .alert: "an alert: it does not accept what it was shown, or wants a client certificate"
        }
    }
}
