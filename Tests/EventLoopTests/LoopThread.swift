import EventLoop
import Foundation
import TestSupport

/// A loop that runs on a thread of its own until the test is done with it.
final class LoopThread: Sendable {
    let loop: EventLoop
    private let hasEnded = Gate()

    init() throws {
        loop = try EventLoop()
        start()
    }

    /// Runs the loop on a new thread, once more after a stop.
    func start() {
        Thread.detachNewThread { [loop, hasEnded] in
            loop.run()
            hasEnded.open()
        }
    }

    /// Stops the loop; false when its thread does not end.
    @discardableResult
    func stop() -> Bool {
        loop.stop()
        return hasEnded.wait()
    }
}

extension EventLoop {
    /// Serves events on the calling thread until `condition` holds; false when the deadline passes first.
    func turns(until condition: () -> Bool) -> Bool {
        let deadline = Deadline.patient
        let tick = LoopTimer(loop: self) {}
        while !condition() {
            if deadline.hasPassed { return false }
            tick.arm(milliseconds: 100)
            runOnce(blocking: true)
        }
        return true
    }
}

/// What only one thread touches at a time, in a box that closures share.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// The two ends of a pair of connected sockets.
struct SocketPair {
    let here: Int32
    let there: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw WireFailure.system("socketpair", errno) }
        (here, there) = (ends[0], ends[1])
    }

    func send(_ byte: UInt8 = 1) {
        var byte = byte
        _ = write(there, &byte, 1)
    }

    func close() {
        Glibc.close(here)
        Glibc.close(there)
    }
}
