import Glibc
import TestSupport
import TestTraits
import Testing
import Transport

private typealias Stream = Transport.ByteStream

@Suite struct `a plain stream` {
    @Test func `reads what was written, then waits, then ends`() throws {
        let pair = try SocketPair()
        var (here, there) = (Stream(descriptor: pair.here), Stream(descriptor: pair.there))
        defer { here.close() }
        #expect(here.receive().outcome == Stream.wantsRead)
        #expect(there.send([1, 2, 3]) == 3)
        #expect(here.receive(2).bytes == [1, 2])
        #expect(here.receive(2).bytes == [3])
        #expect(here.receive().outcome == Stream.wantsRead)
        Inheritance.whileNothingIsSpawned { there.close() }
        #expect(here.receive().outcome == 0)
        #expect(here.receive().outcome == 0)
        #expect(!here.isHandshaking)
        #expect(!here.hasBufferedBytes)
        #expect(here.handshake() == 0)
    }

    @Test func `takes no more than the peer has room for, and goes on when it has`() throws {
        let pair = try SocketPair()
        var (here, there) = (Stream(descriptor: pair.here), Stream(descriptor: pair.there))
        defer {
            here.close()
            there.close()
        }
        let block = [UInt8](repeating: 7, count: 65_536)
        var sent = 0
        var outcome = here.send(block)
        while outcome > 0, sent < 64 << 20 {
            sent += outcome
            outcome = here.send(block)
        }
        #expect(outcome == Stream.wantsWrite)
        var received = 0
        while received < sent {
            let count = there.receive().outcome
            guard count > 0 else { break }
            received += count
        }
        #expect(received == sent)
        #expect(here.send([1]) == 1)
    }

    @Test func `that finished writing still reads`() throws {
        let pair = try SocketPair()
        var (here, there) = (Stream(descriptor: pair.here), Stream(descriptor: pair.there))
        defer {
            here.close()
            there.close()
        }
        here.finishWriting()
        #expect(there.receive().outcome == 0)
        #expect(there.send([5]) == 1)
        #expect(here.receive().bytes == [5])
        #expect(here.send([1]) == Stream.failed)
    }

    @Test(.holds("HTTP-31", "HTTP-41"), .refuses("HTTP-31", "HTTP-41")) func `that is reset fails, it does not end`()
        throws
    {
        let listener = try Transport.Socket.listen(at: try #require(SocketAddress(literal: "127.0.0.1", port: 0)))
        defer { close(listener) }
        var local = Transport.Socket.localAddress(of: listener)
        for resets in [true, false] {
            var client = Stream(descriptor: Transport.Socket.connect(to: &local))
            var peer = SocketAddress()
            var server = Stream()
            let came = eventually {
                server.descriptor = Transport.Socket.accept(from: listener, peer: &peer)
                return server.descriptor >= 0
            }
            #expect(came)
            if resets { Transport.Socket.resetOnClose(server.descriptor) }
            server.close()
            var outcome = Stream.wantsRead
            let ended = eventually {
                outcome = client.receive().outcome
                return outcome != Stream.wantsRead
            }
            #expect(ended)
            #expect(outcome == (resets ? Stream.failed : 0))
            client.close()
        }
    }

    @Test func `closes once and then stands for no connection`() throws {
        let pair = try SocketPair()
        defer { close(pair.there) }
        var stream = Stream(descriptor: pair.here)
        Inheritance.whileNothingIsSpawned { stream.close() }
        #expect(stream.descriptor == -1)
        // Asked at the other end: the number may be another test's by now.
        var byte: UInt8 = 0
        #expect(recv(pair.there, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
        stream.close()
        #expect(stream.receive().outcome == Stream.failed)
        #expect(stream.send([1]) == Stream.failed)
        #expect(Stream().descriptor == -1)
    }
}
