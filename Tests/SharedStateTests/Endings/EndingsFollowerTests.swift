import Crypto
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// A follower and what it was told, at a log that answers at once, or holds a question until a line comes.
private struct Following {
    var log = ModelLog()
    /// What the store has answered, and nobody has read yet.
    private var reply: StoreReply?
    var follower: EndingsFollower
    var now: Int64 = 0
    var question: StoreQuestion?
    /// The same as the store holds it.
    private var held: StoreQuestion?
    var lines: [StoreLogLine] = []
    var gaps: [EndingsFollower.Gap] = []

    init(recheck: Duration = .seconds(10)) throws {
        follower = EndingsFollower(try Sample.names(), recheck: recheck)
    }

    mutating func take(_ step: EndingsFollower.Step) {
        lines += step.lines
        if let gap = step.gap { gaps.append(gap) }
        question = step.question
        held = question.map { log.held($0) }
        reply = held.flatMap { log.answer($0) }
    }

    mutating func write(_ line: StoreLogLine) {
        log.write(line)
        if reply == nil { reply = held.flatMap { log.answer($0) } }
    }

    mutating func connect() { take(follower.connected(at: now)) }

    mutating func cut() {
        follower.lost()
        question = nil
        held = nil
        reply = nil
    }

    /// Whether a line has told it where it is, and no time.
    var knowsALine: Bool {
        guard let words = question?.arguments.map({ String(decoding: $0, as: UTF8.self) }) else { return false }
        return words[0] != "TIME" && !words.contains { $0.hasSuffix("-\(UInt64.max)") }
    }

    /// Answers what is asked, so often.
    mutating func answer(_ count: Int = 1) throws {
        for _ in 0..<count {
            guard let asked = held else { return }
            // What waited is read; a question that the store holds is answered by nothing after a while.
            take(try follower.answered(reply ?? log.answer(asked) ?? .null, at: now))
        }
    }

    var command: String? { question.map { String(decoding: $0.arguments[0], as: UTF8.self) } }
}

@Suite struct `the follower of endings` {
    private func line(_ kind: StoreLogLine.Kind = .ended) throws -> StoreLogLine {
        StoreLogLine(kind, of: try Sample.unusedName(), generation: 3)
    }

    /// One that has read a line, and reads on.
    private func settled() throws -> Following {
        var following = try Following()
        following.connect()
        try following.answer()
        following.write(try line())
        try following.answer()
        #expect(following.command == "XREAD")
        following.gaps = []
        following.lines = []
        return following
    }

    @Test(.holds("SH-39")) func `reads the lines that come, in their order, each once`() throws {
        var following = try Following()
        following.connect()
        #expect(following.command == "TIME")
        try following.answer()
        #expect(following.gaps == [.beginning])
        let lines = [try line(), try line(.refreshed), try line(.marked)]
        for line in lines {
            following.write(line)
            try following.answer(2)
        }
        try following.answer(4)
        #expect(following.lines == lines)
        #expect(following.gaps == [.beginning], "nothing was missed")
        #expect(following.follower.lag(at: 7) == 7)
    }

    /// Whoever may not read it connects again and again.
    @Test func `is the later the longer it is not let read, however often it connects`() throws {
        var following = try Following()
        #expect(following.follower.lag(at: 0) == nil)
        for second in 0..<5 as Range<Int64> {
            following.now = second * 1000
            following.connect()
            try following.answer()
            #expect(following.command == "XREAD")
            following.cut()
        }
        #expect(following.follower.lag(at: 5000) == 5000)
        following.connect()
        try following.answer(2)
        #expect(following.follower.lag(at: following.now) == 0)
    }

    @Test func `asks on a connection of its own, and lets the store hold the question`() throws {
        let following = try settled()
        let words = try #require(following.question).arguments.map { String(decoding: $0, as: UTF8.self) }
        #expect(words.prefix(7) == ["XREAD", "COUNT", "256", "BLOCK", "500", "STREAMS", "pc:e"])
        #expect(following.question?.changesNothing == true)
    }

    @Test func `reads lines that were written while it was cut off for a moment, and misses none`() throws {
        var following = try settled()
        following.cut()
        let lines = [try line(), try line()]
        lines.forEach { following.write($0) }
        following.now = 9000
        following.connect()
        try following.answer(4)
        #expect(following.lines == lines)
        #expect(following.gaps == [])
    }

    @Test(.refuses("SH-40"), .holds("SH-61")) func `does not rely on a store that lost the last line read`() throws {
        var following = try settled()
        following.cut()
        following.log.lose(1)
        following.connect()
        try following.answer(4)
        #expect(following.lines == [])
        #expect(following.gaps == [.lost])
        // And goes on.
        let next = try line()
        following.write(next)
        try following.answer(4)
        #expect(following.lines == [next])
        #expect(following.gaps == [.lost])
    }

    /// A store that came back from older data, and was written to before anybody looked.
    @Test(.refuses("SH-61")) func `does not take what came after for the line that the store lost`() throws {
        var following = try settled()
        following.log.lose(1)
        following.log.clock += 5
        let next = try line()
        following.write(next)
        try following.answer(2)
        #expect(following.lines == [next])
        #expect(following.gaps == [.lost])
    }

    @Test(.refuses("SH-40")) func `does not rely on what is left of a log that was trimmed while it slept`() throws {
        var following = try settled()
        let lines = try (0..<ReadLog.limit + 10).map { _ in try line() }
        lines.forEach { following.log.write($0) }
        following.log.trim(to: ReadLog.limit + 3)
        try following.answer(4)
        #expect(following.lines == lines.suffix(ReadLog.limit + 3))
        #expect(following.gaps == [.trimmed])
    }

    @Test(.refuses("SH-40")) func `that was cut off for longer than sessions go unasked missed something`() throws {
        var following = try settled()
        following.cut()
        following.now = 10_001
        following.connect()
        #expect(following.gaps == [.late])
        try following.answer(4)
        #expect(following.gaps == [.late])
    }

    @Test(.refuses("SH-40")) func `that was stopped for longer than sessions go unasked missed something`() throws {
        var following = try settled()
        following.now = 10_001
        try following.answer()
        #expect(following.gaps == [.late])
        try following.answer(3)
        #expect(following.gaps == [.late])
    }

    /// The store holds each question for half a second: that is no gap, whatever is configured.
    @Test(.holds("SH-40"), arguments: [Duration.zero, .milliseconds(100), .milliseconds(499), .milliseconds(999)])
    func `that waits for lines misses none, however often sessions are asked about`(recheck: Duration) throws {
        var follower = EndingsFollower(try Sample.names(), recheck: recheck)
        var now: Int64 = 0
        var gaps: [EndingsFollower.Gap] = []
        var step = follower.connected(at: now)
        func answer(after milliseconds: Int64) throws {
            let isWaiting = try #require(step.question).arguments[0] == "XREAD".bytes
            now += isWaiting ? milliseconds : 0
            step = try follower.answered(
                isWaiting ? .null : .array([.bytes("1800000000".bytes), .bytes("1".bytes)]), at: now)
            if let gap = step.gap { gaps.append(gap) }
        }
        for _ in 0..<20 { try answer(after: 520) }
        #expect(gaps == [.beginning])
        for _ in 0..<2 { try answer(after: 1600) }
        #expect(gaps == [.beginning, .late])
    }

    @Test(.refuses("SH-40")) func `that was cut off before it read any line missed something`() throws {
        var following = try Following()
        following.connect()
        try following.answer(2)
        following.cut()
        following.write(try line())
        following.log.trim(to: 0)
        following.connect()
        try following.answer(2)
        #expect(following.gaps == [.beginning, .trimmed])
    }

    @Test(.refuses("SH-40")) func `does not go by the log of a store that forgot`() throws {
        var following = try settled()
        following.follower.storeForgot()
        following.log.flush()
        following.log.clock -= 3_600_000
        let next = try line()
        try following.answer(3)
        following.write(next)
        try following.answer(2)
        #expect(following.gaps == [.otherEpoch])
        #expect(following.lines == [next], "its places are smaller than those of the log before")
    }

    @Test(.refuses("SH-61")) func `looks for its last line at another server, and says that it is lost`() throws {
        for isToldFirst in [true, false] {
            var following = try settled()
            following.cut()
            following.log.lose(1)
            if isToldFirst { following.follower.serverChanged() }
            following.connect()
            #expect(following.question?.arguments[4] == "1".bytes, "for no line that may come")
            try following.answer(2)
            if !isToldFirst { following.follower.serverChanged() }
            try following.answer(2)
            #expect(following.gaps.contains(.lost))
        }
    }

    @Test(.holds("SH-40")) func `asks about all sessions at another server that has its last line, and reads on`()
        throws
    {
        var following = try settled()
        following.cut()
        following.follower.serverChanged()
        following.connect()
        let next = try line()
        following.write(next)
        try following.answer(6)
        #expect(following.gaps == [.otherEpoch])
        #expect(following.lines == [next])
    }

    @Test(.refuses("SH-39")) func `takes a line in words it does not know for one it missed`() throws {
        var following = try settled()
        let known = try line()
        following.log.write(["k".bytes, "z".bytes, "n".bytes, known.suffix, "g".bytes, "1".bytes])
        following.write(known)
        try following.answer(2)
        #expect(following.gaps == [.notUnderstood])
        #expect(following.lines == [known])
        try following.answer(4)
        #expect(following.gaps == [.notUnderstood], "once")
    }

    @Test func `begins anew where the store's clock is set back and the log has nothing`() throws {
        var following = try Following()
        following.connect()
        try following.answer(1)
        following.log.clock -= 60_000
        try following.answer(2)
        #expect(following.gaps == [.beginning, .trimmed])
        let next = try line()
        following.write(next)
        try following.answer(1)
        #expect(following.lines == [next])
    }

    /// A line of 200 KB, or a key that is no log.
    @Test(.refuses("SH-40"), arguments: [true, false])
    func `goes on behind what cannot be read, and says that something was missed`(isRefused: Bool) throws {
        var following = try settled()
        let read = { (following: inout Following) in
            if isRefused {
                following.follower.failedToRead()
            } else {
                #expect(throws: StoreRefusal.self) { try following.follower.answered(.array([.integer(1)]), at: 0) }
            }
            following.cut()
            following.now += 1000
            following.connect()
        }
        read(&following)
        #expect(following.command == "XREAD" && !following.follower.isUnreadable, "once may be chance")
        #expect(following.gaps == [])
        read(&following)
        #expect(following.follower.isUnreadable)
        #expect(following.gaps == [.unreadable])
        #expect(following.question?.arguments.last == "$".bytes)
        try following.answer(3)
        #expect(following.gaps == [.unreadable], "once")
        #expect(!following.follower.isUnreadable)
        #expect(following.follower.lag(at: 9000) == 9000, "it is not read to its end")
        let next = [try line(), try line(.marked)]
        following.write(next[0])
        try following.answer()
        #expect(following.lines == [next[0]] && following.gaps == [.unreadable, .unreadable])
        #expect(following.follower.lag(at: following.now) == 0)
        following.write(next[1])
        try following.answer(4)
        #expect(following.lines == next && following.gaps.count == 2)
    }

    @Test(.refuses("SH-40")) func `says that it cannot read as long as that is so, whatever the clock says`() throws {
        var following = try Following()
        for second in 0..<10 as Range<Int64> {
            following.now = 1000 * second
            following.connect()
            if following.command == "TIME" { try following.answer() }
            #expect(following.command == "XREAD")
            following.follower.failedToRead()
            following.cut()
            #expect(following.follower.isUnreadable == (second > 0))
        }
        #expect(following.gaps == [.beginning, .trimmed, .unreadable])
        #expect(following.follower.lag(at: 9000) == 9000, "the clock is not the log")
    }

    @Test func `gives the connection up when an answer is none`() throws {
        let answers: [StoreReply] = [
            .error("NOPERM User portcullis has no permissions".bytes), .error("LOADING".bytes), .integer(1),
            .bytes("OK".bytes), .array([]), .array([.null]), .array([.array([.bytes("pc:e".bytes), .array([])])]),
            .array([.array([.bytes("other".bytes), .array([.array([.bytes("9-9".bytes), .array([])])])])]),
            .array([.array([.bytes("pc:e".bytes), .array([.array([.bytes("1-1".bytes), .array([])])])])]),
            .array([.array([.bytes("pc:e".bytes), .array([.array([.bytes("x".bytes), .array([])])])])]),
        ]
        for answer in answers {
            var following = try settled()
            #expect(throws: StoreRefusal.self, "\(answer)") { try following.follower.answered(answer, at: 0) }
            #expect(throws: StoreRefusal.self, "not asked") { try following.follower.answered(.null, at: 0) }
            following.cut()
            let next = try line()
            following.write(next)
            following.connect()
            try following.answer(4)
            #expect(following.lines == [next])
            #expect(following.gaps == [])
        }
    }

    /// However the lines fall into readings, the follower says the same.
    @Test func `reads the same lines at every split`() throws {
        let lines = try (0..<12).map { _ in try line() }
        for first in 0...lines.count {
            for second in first...lines.count {
                var following = try settled()
                for part in [lines[..<first], lines[first..<second], lines[second...]] {
                    part.forEach { following.write($0) }
                    try following.answer(2)
                }
                try following.answer(2)
                #expect(following.lines == lines)
                #expect(following.gaps == [])
            }
        }
    }

    /// What may happen to a log, in any order: of every line it is told, or, after it was written, of a gap.
    @Test(.holds("SH-40"), arguments: 0..<400 as Range<UInt64>)
    func `misses nothing without saying so`(seed: UInt64) throws {
        var random = Numbers(seed: seed)
        var following = try Following(recheck: .seconds(Int64(random.next() % 20)))
        var written: [(line: StoreLogLine, after: Int)] = []
        func ofWhich(_ count: UInt64) -> Int { Int(random.next() % count) }
        for _ in 0..<120 {
            following.log.clock += Int64(ofWhich(400))
            following.now += Int64(ofWhich(400))
            switch ofWhich(16) {
            case 0...5:
                let line = try line()
                written.append((line, following.gaps.count))
                following.write(line)
            // By hand, and so early, is what it cannot see.
            case 6 where following.knowsALine: following.log.trim(to: ofWhich(4))
            case 7:
                if !following.knowsALine { following.follower.storeForgot() }
                following.log.flush()
            case 8:
                following.cut()
                following.log.lose(ofWhich(3))
                // What nobody had read is lost without a trace in the log: the watch tells of a failover.
                following.follower.serverChanged()
                following.log.clock -= Int64(ofWhich(6000))
            case 9:
                if !following.knowsALine { following.follower.storeForgot() }
                following.log.flush()
                following.log.clock -= Int64(ofWhich(8_000_000))
            case 10: following.cut()
            default:
                if following.question == nil { following.connect() } else { try following.answer() }
            }
        }
        if following.question == nil { following.connect() }
        try following.answer(8)
        for (line, gaps) in written {
            #expect(following.lines.contains(line) || following.gaps.count > gaps)
        }
    }

    @Test func `reads a real log, waits for what comes, and finds what was taken away`() throws {
        let server = try RedisServer()
        let (reader, writer) = (try server.client(), try server.administrator())
        let names = try Sample.names()
        var follower = EndingsFollower(names, recheck: .seconds(10), wait: .milliseconds(10))
        var lines: [StoreLogLine] = []
        var gaps: [EndingsFollower.Gap] = []
        var question = follower.connected(at: 0).question
        func turn(_ count: Int) throws {
            for _ in 0..<count {
                let step = try follower.answered(try reader.send(try #require(question).arguments), at: 0)
                lines += step.lines
                if let gap = step.gap { gaps.append(gap) }
                question = step.question
            }
        }
        try turn(4)
        #expect(gaps == [.beginning] && lines.isEmpty)
        let written = [try line(), try line()]
        let client = try server.client()
        for line in written { _ = try client.ask(WriteLog(key: names.log, line: line)) }
        try turn(4)
        #expect(lines == written && gaps == [.beginning])
        try writer.expect(["XTRIM", "pc:e", "MAXLEN", "0"])
        try turn(4)
        #expect(gaps == [.beginning, .lost])
        try writer.expect(["FLUSHALL"])
        _ = try client.ask(WriteLog(key: names.log, line: written[0]))
        try turn(4)
        #expect(lines.last == written[0])
    }
}

@Suite struct `a place in the log` {
    @Test func `has one spelling`() {
        #expect(LogPlace("1526919030474-55".bytes) == LogPlace(milliseconds: 1_526_919_030_474, sequence: 55))
        #expect(LogPlace("0-0".bytes)?.text == "0-0".bytes)
        let greatest = "18446744073709551615-18446744073709551615"
        #expect(LogPlace(greatest.bytes)?.text == greatest.bytes)
        for text in [
            "", "-", "1", "1-", "-1", "1-2-3", "01-1", "1-01", "+1-1", "1 -1", "18446744073709551616-0", "x-1",
        ] {
            #expect(LogPlace(text.bytes) == nil, "\(text)")
        }
        for text in everyStart(of: "12-34".bytes) { #expect((LogPlace(text) != nil) == (text.count == 4)) }
    }

    @Test func `is behind all that was written before a time`() {
        #expect(LogPlace(before: 5) < LogPlace(milliseconds: 5, sequence: 0))
        #expect(LogPlace(before: 5) > LogPlace(milliseconds: 4, sequence: 99))
        #expect(LogPlace(before: .min) == LogPlace(milliseconds: 0, sequence: .max))
    }
}
