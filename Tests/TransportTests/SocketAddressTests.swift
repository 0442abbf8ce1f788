import Glibc
import Testing
import TestSupport
import Transport

@Suite struct `a socket address` {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("9.10.99.100", "9.10.99.100"), ("1.20.109.200", "1.20.109.200"), ("::", "::"), ("::1", "::1"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("fe80::1", "fe80::1"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func `is what a literal says`(literal: String, canonical: String) throws {
        let address = try #require(SocketAddress(literal: literal, port: 8443))
        let isSix = literal.contains(":")
        #expect(address.host == canonical)
        #expect(address.port == 8443)
        #expect(address.family == (isSix ? AF_INET6 : AF_INET))
        #expect(Int(address.length) == (isSix ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size))
        #expect(address.description == (isSix ? "[\(canonical)]:8443" : "\(canonical):8443"))
    }

    @Test(arguments: [
        "", "localhost", "127.0.0", "127.1", "127.0.0.1.", "256.0.0.1", "127.0.0.01x", " 127.0.0.1", "127.0.0.1 ",
        "0x7f.0.0.1", "[::1]", "::1%lo", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "g::", "127.0.0.1:80",
    ])
    func `is not made of what is no literal`(text: String) {
        #expect(SocketAddress(literal: text, port: 80) == nil)
    }

    @Test func `is written as the library writes it, whatever its octets`() throws {
        for octet in 0...255 {
            let text = "\(octet).\(255 - octet).\(octet / 2).\((octet * 7) % 256)"
            let address = try #require(SocketAddress(literal: text, port: 1))
            #expect(address.host == text)
        }
    }

    @Test func `of no family is empty`() {
        let address = SocketAddress()
        #expect(address.host == "")
        #expect(address.port == 0)
        #expect(address.length == 0)
    }
}

@Suite struct `a listening socket` {
    @Test(arguments: ["127.0.0.1", "::1"])
    func `takes connections and says where it is and from where they come`(host: String) throws {
        let address = try #require(SocketAddress(literal: host, port: 0))
        let listener = try Transport.Socket.listen(at: address)
        defer { close(listener) }
        var local = Transport.Socket.localAddress(of: listener)
        #expect(local.host == host)
        #expect(local.port != 0)
        var peer = SocketAddress()
        #expect(Transport.Socket.accept(from: listener, peer: &peer) == -1)
        #expect(errno == EAGAIN)
        let client = Transport.Socket.connect(to: &local)
        defer { close(client) }
        #expect(client >= 0)
        var accepted: Int32 = -1
        let came = eventually {
            accepted = Transport.Socket.accept(from: listener, peer: &peer)
            return accepted >= 0
        }
        #expect(came)
        defer { close(accepted) }
        #expect(peer.host == host)
        #expect(peer.port == Transport.Socket.localAddress(of: client).port)
        #expect(Transport.Socket.pendingError(of: client) == 0)
        for descriptor in [listener, client, accepted] {
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test func `shares its port with another worker's`() throws {
        let first = try Transport.Socket.listen(at: try #require(SocketAddress(literal: "127.0.0.1", port: 0)))
        defer { close(first) }
        let second = try Transport.Socket.listen(at: Transport.Socket.localAddress(of: first))
        defer { close(second) }
        #expect(Transport.Socket.localAddress(of: second).port == Transport.Socket.localAddress(of: first).port)
    }

    @Test func `is told from one that nobody has, until it is closed`() throws {
        let listener = try Transport.Socket.listen(at: try #require(SocketAddress(literal: "127.0.0.1", port: 0)))
        let address = Transport.Socket.localAddress(of: listener)
        let failure = #expect(throws: Transport.Socket.Failure.self) { try Transport.Socket.refuseTaken(address) }
        #expect(failure == Transport.Socket.Failure(call: "bind", code: EADDRINUSE))
        close(listener)
        try Transport.Socket.refuseTaken(address)
    }

    @Test func `is not opened at an address that is not ours`() throws {
        // TEST-NET-1 (RFC 5737): nobody's.
        let address = try #require(SocketAddress(literal: "192.0.2.1", port: 0))
        let failure = #expect(throws: Transport.Socket.Failure.self) {
            close(try Transport.Socket.listen(at: address))
        }
        #expect(failure?.call == "bind")
        #expect(failure?.code == EADDRNOTAVAIL)
        #expect(failure?.reason.isEmpty == false)
    }

    @Test func `that is gone refuses the connection`() throws {
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
        let listener = try Transport.Socket.listen(at: address)
        var local = Transport.Socket.localAddress(of: listener)
        close(listener)
        let client = Transport.Socket.connect(to: &local)
        defer { if client >= 0 { close(client) } }
        if client < 0 {
            #expect(errno == ECONNREFUSED)
        } else {
            var code: Int32 = 0
            let refused = eventually {
                code = Transport.Socket.pendingError(of: client)
                return code != 0
            }
            #expect(refused)
            #expect(code == ECONNREFUSED)
        }
    }
}
