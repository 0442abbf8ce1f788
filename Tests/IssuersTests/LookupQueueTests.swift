// SPDX-License-Identifier: Apache-2.0
import Crypto
import TestSupport
import Testing

@testable import Issuers

private typealias Lookup = LookupQueue.Lookup

private func lookup(_ number: Int, lane: Int = 0) -> Lookup {
    let name = Array("token \(number)".utf8)
    return Lookup(
        key: .init(lane: lane, digest: SHA256.hash(name.span)), token: Secret(name), tokenExpiresAt: .max, askedAt: 0)
}

extension LookupQueue.Admission {
    fileprivate var word: String {
        switch self {
        case .start: "start"
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }
}

@Suite struct `questions to a server` {
    @Test func `INT-06 are one for a token, however many workers ask, each of which is told once`() {
        var queue = LookupQueue(lanes: 1)
        #expect(queue.ask(lookup(1), for: 0).word == "start")
        #expect(queue.ask(lookup(1), for: 3).word == "wait")
        #expect(queue.ask(lookup(1), for: 0).word == "wait")
        #expect(queue.concurrent == 1)
        let end = queue.end(lookup(1).key)
        #expect(end.workers == [0, 3])
        #expect(end.next == nil)
        #expect(queue.concurrent == 0)
    }

    @Test func `INT-06 that have ended are asked anew`() {
        var queue = LookupQueue(lanes: 1)
        _ = queue.ask(lookup(1), for: 0)
        _ = queue.end(lookup(1).key)
        #expect(queue.ask(lookup(1), for: 1).word == "start")
        #expect(queue.end(lookup(1).key).workers == [1])
        #expect(queue.end(lookup(1).key).workers == [])
    }

    @Test func `are so many at a time, then so many in a queue, and no more`() {
        var queue = LookupQueue(lanes: 1, concurrent: 2, waiting: 3)
        let words = (0..<7).map { queue.ask(lookup($0), for: 0).word }
        #expect(words == ["start", "start", "wait", "wait", "wait", "refuse", "refuse"])
        #expect((queue.concurrent, queue.waiting) == (2, 3))
        // Who waits for a question that is in already takes no room.
        #expect(queue.ask(lookup(4), for: 1).word == "wait")
        #expect(queue.ask(lookup(0), for: 1).word == "wait")
    }

    @Test func `that wait are asked in their order, each in the place of one that ended`() {
        var queue = LookupQueue(lanes: 1, concurrent: 2, waiting: 9)
        for number in 0..<5 { _ = queue.ask(lookup(number), for: number) }
        _ = queue.ask(lookup(3), for: 9)
        #expect(queue.end(lookup(1).key).next?.key == lookup(2).key)
        #expect(queue.concurrent == 2)
        #expect(queue.end(lookup(0).key).next?.key == lookup(3).key)
        let third = queue.end(lookup(3).key)
        #expect(third.workers == [3, 9])
        #expect(third.next?.key == lookup(4).key)
        #expect(queue.end(lookup(2).key).next == nil)
        #expect(queue.end(lookup(4).key).next == nil)
        #expect((queue.concurrent, queue.waiting) == (0, 0))
    }

    @Test func `of one lane take no room in another, even about the same token`() {
        var queue = LookupQueue(lanes: 2, concurrent: 1, waiting: 0)
        #expect(queue.ask(lookup(1, lane: 0), for: 0).word == "start")
        #expect(queue.ask(lookup(2, lane: 0), for: 0).word == "refuse")
        #expect(queue.ask(lookup(1, lane: 1), for: 5).word == "start")
        #expect(queue.end(lookup(1, lane: 1).key).workers == [5])
    }

    @Test func `of a lane that does not exist are refused`() {
        var queue = LookupQueue(lanes: 1)
        #expect(queue.ask(lookup(1, lane: 1), for: 0).word == "refuse")
        #expect(queue.ask(lookup(1, lane: -1), for: 0).word == "refuse")
        #expect(queue.end(lookup(1, lane: 1).key).next == nil)
    }

    @Test func `that are given up are handed back with everyone who asked`() {
        var queue = LookupQueue(lanes: 1, concurrent: 1)
        _ = queue.ask(lookup(1), for: 0)
        _ = queue.ask(lookup(2), for: 1)
        #expect(queue.clear().map(\.workers).sorted { $0[0] < $1[0] } == [[0], [1]])
        #expect((queue.concurrent, queue.waiting) == (0, 0))
        #expect(queue.end(lookup(1).key).workers == [])
        #expect(queue.concurrent == 0)
    }

    @Test func `hold the token so that nothing prints it`() {
        #expect(!"\(lookup(1))".contains("token 1"))
        var dumped = ""
        dump(lookup(1), to: &dumped)
        #expect(!dumped.contains("token 1"))
    }
}
