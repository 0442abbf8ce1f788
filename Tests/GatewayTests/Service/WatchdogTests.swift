import EventLoop
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the watchdog's sign of life` {
    /// A loop that turns on a thread of its own.
    private final class Turning: Sendable {
        let loop: EventLoop
        private let hasEnded = Gate()

        init() throws {
            loop = try EventLoop()
            Thread.detachNewThread { [loop, hasEnded] in
                loop.run()
                hasEnded.open()
            }
        }

        func stop() {
            loop.stop()
            hasEnded.wait()
        }
    }

    /// What the control loop has, which is this thread's.
    private final class Control {
        let loop: EventLoop
        var beats = 0

        init() throws { loop = try EventLoop() }

        /// Turns until a timer has fired so often that any sign of life would have come.
        func turn(times: Int) {
            var left = times
            let timer = LoopTimer(loop: loop) { left -= 1 }
            while left > 0 {
                timer.arm(milliseconds: 1)
                loop.runOnce(blocking: true)
            }
        }

        /// Turns until there are so many signs of life; false where they do not come.
        func turn(untilBeats count: Int) -> Bool {
            let deadline = Deadline.patient
            while beats < count {
                if deadline.hasPassed { return false }
                turn(times: 1)
            }
            return true
        }
    }

    @Test(.holds("ECO-41"), .refuses("ECO-41"), arguments: [0, 1, 2])
    func `comes as long as every loop turns, and stays away while one is blocked`(blocked: Int) throws {
        let workers = try (0..<3).map { _ in try Turning() }
        defer { for worker in workers { worker.stop() } }
        let control = try Control()
        let watchdog = Watchdog(control: control.loop, workers: workers.map(\.loop), milliseconds: 1) {
            control.beats += 1
        }
        watchdog.start()
        #expect(control.turn(untilBeats: 5))

        let (isBlocked, gate) = (Gate(), Gate())
        defer { gate.open() }
        workers[blocked].loop.execute {
            isBlocked.open()
            gate.wait()
        }
        #expect(isBlocked.wait())
        // What the others had been asked before is on its way.
        control.turn(times: 20)
        let before = control.beats
        control.turn(times: 200)
        #expect(control.beats <= before + 1, "the one that may have been under way")
        let during = control.beats
        control.turn(times: 200)
        #expect(control.beats == during)

        gate.open()
        #expect(control.turn(untilBeats: during + 5))
    }
}
