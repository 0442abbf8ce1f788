import Glibc
import TestSupport
import TestTraits
import Testing
import Transport

@Suite struct `a Unix socket` {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder.make(for: "unix")
        defer { TemporaryFolder.remove(folder) }
        try body("\(folder)/a.sock")
    }

    private func permissions(_ path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private func connects(_ path: String) throws -> Bool {
        var address = try #require(SocketAddress(unixPath: path))
        let descriptor = Transport.Socket.connect(to: &address)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    @Test(arguments: [0o660, 0o600, 0o666] as [UInt32])
    func `has the permissions it was given, whatever the umask`(mode: UInt32) throws {
        try inFolder { path in
            let listener = try UnixListener(at: path, permissions: mode)
            #expect(permissions(path) == mode)
            #expect(try connects(path))
            #expect(Transport.Socket.localAddress(of: listener.descriptor).description == "unix:\(path)")
            listener.removeFile()
            close(listener.descriptor)
            #expect(permissions(path) == nil)
        }
    }

    @Test(.holds("OPS-07"), .refuses("OPS-07"))
    func `gets other permissions in place, unless the file is another's by now`() throws {
        try inFolder { path in
            let listener = try UnixListener(at: path, permissions: 0o600)
            defer { close(listener.descriptor) }
            try listener.setPermissions(0o666)
            #expect(permissions(path) == 0o666)
            unlink(path)
            #expect(throws: Transport.Socket.Failure.self) { try listener.setPermissions(0o600) }
            let other = try UnixListener(at: path, permissions: 0o660)
            defer { close(other.descriptor) }
            #expect(throws: Transport.Socket.Failure.self) { try listener.setPermissions(0o600) }
            #expect(permissions(path) == 0o660)
        }
    }

    @Test func `that a process left behind is replaced`() throws {
        try inFolder { path in
            let left = try UnixListener(at: path, permissions: 0o660)
            Inheritance.whileNothingIsSpawned { _ = close(left.descriptor) }
            #expect(try !connects(path))
            let next = try UnixListener(at: path, permissions: 0o600)
            #expect(try connects(path))
            #expect(permissions(path) == 0o600)
            close(next.descriptor)
        }
    }

    @Test func `that somebody listens at is not taken away`() throws {
        try inFolder { path in
            let first = try UnixListener(at: path, permissions: 0o660)
            #expect(throws: Transport.Socket.Failure(call: "bind", code: EADDRINUSE)) {
                try UnixListener(at: path, permissions: 0o660)
            }
            #expect(try connects(path))
            close(first.descriptor)
        }
    }

    @Test func `does not replace a file of another kind`() throws {
        try inFolder { path in
            let file = try #require(fopen(path, "w"))
            fclose(file)
            #expect(throws: Transport.Socket.Failure(call: "bind", code: EADDRINUSE)) {
                try UnixListener(at: path, permissions: 0o660)
            }
            #expect(permissions(path) != nil)
        }
    }

    @Test func `removes its own file and no successor's`() throws {
        try inFolder { path in
            let first = try UnixListener(at: path, permissions: 0o660)
            unlink(path)
            let second = try UnixListener(at: path, permissions: 0o660)
            first.removeFile()
            #expect(try connects(path))
            close(first.descriptor)
            close(second.descriptor)
        }
    }

    @Test func `gives each connection to one of its descriptors`() throws {
        try inFolder { path in
            let listener = try UnixListener(at: path, permissions: 0o660)
            let copy = try Socket.duplicate(listener.descriptor)
            defer {
                close(listener.descriptor)
                close(copy)
            }
            var address = try #require(SocketAddress(unixPath: path))
            let client = Transport.Socket.connect(to: &address)
            #expect(client >= 0)
            var peer = SocketAddress()
            let taken = Transport.Socket.accept(from: copy, peer: &peer)
            #expect(taken >= 0)
            #expect(peer.isUnix && peer.host == "unix" && peer.port == 0)
            #expect(Transport.Socket.accept(from: listener.descriptor, peer: &peer) == -1)
            #expect(errno == EAGAIN)
            close(taken)
            close(client)
        }
    }

    @Test func `has a path that the kernel takes`() {
        #expect(SocketAddress(unixPath: "/" + String(repeating: "a", count: 106))?.unixPath.utf8.count == 107)
        #expect(SocketAddress(unixPath: "/" + String(repeating: "a", count: 107)) == nil)
        #expect(SocketAddress(unixPath: "") == nil)
        #expect(SocketAddress(unixPath: "/a\0b") == nil)
    }
}
