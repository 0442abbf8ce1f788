import Access
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the nonce that an answer carries` {
    private func line(_ idle: IdleWorker) -> String {
        var writer = HeadWriter(idle.worker.pointee.scratch.write, capacity: Scratch.writeCapacity)
        idle.worker.putNonce(into: &writer)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count), as: UTF8.self)
    }

    @Test(.holds("DPOP-13"), .refuses("DPOP-13")) func `is one line, and none where no route asks for nonces`() throws {
        let text = line(try IdleWorker(nonce: .required))
        #expect(text.wholeMatch(of: #/DPoP-Nonce: [A-Za-z0-9_-]{54}\r\n/#) != nil, "\(text)")
        #expect(line(try IdleWorker(nonce: .off)) == "")
    }
}
