import EventLoop
import Foundation

/// An event loop on a thread of its own, stopped when the test lets go of it.
final class LoopThread: @unchecked Sendable {
    let loop: EventLoop
    private let ended = DispatchSemaphore(value: 0)

    init() throws {
        final class Box: @unchecked Sendable {
            var loop: EventLoop?
        }
        let (box, started, ended) = (Box(), DispatchSemaphore(value: 0), self.ended)
        Thread.detachNewThread {
            let loop = try? EventLoop()
            box.loop = loop
            started.signal()
            loop?.run()
            ended.signal()
        }
        started.wait()
        guard let loop = box.loop else { throw EventLoopFailure.noEventBase }
        self.loop = loop
    }

    /// Stops the loop and waits for its thread.
    func stop() {
        loop.stop()
        ended.wait()
    }
}
