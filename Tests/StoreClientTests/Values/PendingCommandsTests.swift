import Bytes
import RESP
import TestTraits
import Testing

@testable import StoreClient

/// Commands that were taken and not answered.
@Suite struct `pending commands` {
    private func take(_ pending: inout PendingCommands, _ ticket: UInt64) -> Int {
        let taken = pending.take(
            Command("GET"), ticket: ticket, slot: 1, at: 3, deadline: 100, changesNothing: true)
        #expect(taken.linkTicket == pending.linkTicket(taken.place))
        return taken.place
    }

    @Test(.refuses("SH-80")) func `are not found by the number of one that was there before`() {
        var pending = PendingCommands()
        let place = take(&pending, 7)
        let old = pending.linkTicket(place)
        #expect(pending.place(of: old) == place)
        #expect(pending.release(place) == (ticket: 7, takenAt: 3))
        #expect(pending.place(of: old) == nil)
        #expect(take(&pending, 8) == place)
        #expect(pending.place(of: old) == nil)
        #expect(pending.place(of: pending.linkTicket(place)) == place)
        for odd in [UInt64.max, NodeLink.guidance, NodeLink.lastScript, NodeLink.replication, 5] {
            #expect(pending.place(of: odd) == nil)
        }
        #expect(pending.count == 1)
    }

    @Test func `wait in their order, each until its moment, and are no link's meanwhile`() {
        var pending = PendingCommands()
        let places = (0..<4).map { take(&pending, UInt64($0)) }
        for (place, moment) in zip(places, [30, 10, 20, 10] as [UInt64]) { pending.wait(place, until: moment) }
        #expect(pending.nextMoment == 10)
        #expect(pending.place(of: pending.linkTicket(places[0])) == nil)
        var due: [Int] = []
        pending.takeDue(now: 9, into: &due)
        #expect(due.isEmpty && pending.nextMoment == 10)
        pending.takeDue(now: 20, into: &due)
        #expect(due == [places[1], places[2], places[3]] && pending.nextMoment == 30)
        #expect(pending.place(of: pending.linkTicket(places[1])) == nil, "as long as nobody has begun it")
        let begun = due.map { pending.begin($0) }
        #expect(begun == [true, true, true])
        #expect(pending.place(of: pending.linkTicket(places[1])) == places[1])
        pending.wait(places[1], until: 25)
        #expect(pending.nextMoment == 25)
    }

    @Test(.refuses("SH-17")) func `that were ended while they were due are not begun, nor whoever has their place`() {
        var pending = PendingCommands()
        let place = take(&pending, 1)
        pending.wait(place, until: 5)
        var due: [Int] = []
        pending.takeDue(now: 5, into: &due)
        _ = pending.release(place)
        var isBegun = pending.begin(place)
        #expect(!isBegun)
        #expect(take(&pending, 2) == place)
        isBegun = pending.begin(place)
        #expect(!isBegun)
    }

    @Test func `are all taken where everything stops`() {
        var pending = PendingCommands()
        let places = (0..<3).map { take(&pending, UInt64($0)) }
        pending.wait(places[1], until: 5)
        #expect(pending.takeAll() == places)
        for place in places { _ = pending.release(place) }
        #expect(pending.count == 0 && pending.nextMoment == .max)
        var due: [Int] = []
        pending.takeDue(now: .max, into: &due)
        #expect(due.isEmpty)
    }
}

/// When a command is sent again.
@Suite struct `the rules of sending again` {
    private func decide(_ text: String, tries: Int = 1, redirects: Int = 0) -> RetryRules.Decision {
        RetryRules.decide(ServerRefusal(Array(text.utf8).span), tries: tries, redirects: redirects)
    }

    @Test(
        .holds("SH-17"),
        arguments: ["TRYAGAIN x", "CLUSTERDOWN x", "LOADING x", "READONLY x", "MASTERDOWN x", "BUSY x"])
    func `have what was not executed wait, twice as long each time`(text: String) {
        #expect(decide(text) == .after(10_000))
        #expect(decide(text, tries: 2) == .after(20_000))
        #expect(decide(text, tries: 6) == .after(320_000))
        #expect(decide(text, tries: 1_000_000) == .after(320_000))
        #expect(RetryRules.pause(Int.min) == 10_000)
    }

    @Test(.holds("SH-04"), arguments: ["MOVED 1 a:1", "ASK 1 a:1"]) func `follow three redirects`(text: String) {
        #expect(decide(text, redirects: 2) == .now)
        #expect(decide(text, redirects: 3) == .tell)
    }

    @Test(
        .refuses("SH-17"),
        arguments: [
            "ERR x", "OOM x", "WRONGTYPE x", "NOAUTH x", "NOPERM x", "CROSSSLOT x", "NOREPLICAS x", "MISCONF x", "x",
            "",
            "LOADING in script", "READONLY script: f_1", "ERR max number of clients reached",
        ])
    func `tell of everything else`(text: String) {
        #expect(decide(text) == .tell)
    }

    @Test func `send a script's call again while the server may be missing it, and no longer`() {
        #expect(decide("NOSCRIPT x") == .now)
        #expect(decide("NOSCRIPT x", tries: 3) == .now)
        #expect(decide("NOSCRIPT x", tries: 4) == .tell)
    }
}

/// Answers that are held until a replica has what they are about.
@Suite struct `held answers` {
    @Test(
        .holds("SH-60"),
        arguments: [
            "+OK\r\n", ":0\r\n", ":-9223372036854775808\r\n", "$-1\r\n", "$0\r\n\r\n", "$5\r\na\r\nbc\r\n", "*0\r\n",
            "*2\r\n:1\r\n*1\r\n$1\r\nx\r\n",
        ])
    func `are what the server sent`(text: String) {
        var held = HeldAnswers()
        for round in 0..<3 {
            for ticket in 0..<3 as Range<UInt64> {
                let bytes = Array(text.utf8)
                if let reply = Reply(bytes.span) { held.hold(ticket, reply) }
            }
            #expect(held.count == 3 && held.ticket(2) == 2)
            for place in 0..<3 {
                let isSame = held.withReply(place) { reply in
                    guard let reply else { return false }
                    let bytes = Array(text.utf8)
                    guard let sent = Reply(bytes.span) else { return false }
                    return reply.kind == sent.kind && reply.integer == sent.integer
                        && [UInt8](copying: reply.bytes) == [UInt8](copying: sent.bytes)
                }
                #expect(isSame, "\(round)")
            }
            held.removeAll()
            #expect(held.count == 0)
        }
    }
}
