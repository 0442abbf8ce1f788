import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

@Suite struct `a command to the store` {
    private let scripts: StoreScripts
    private let name: StoreName
    private let life = TimeToLive(seconds: 60)

    init() throws {
        scripts = try StoreScripts()
        name = try Sample.unusedName()
    }

    @Test(.holds("SH-49")) func `that is a script is called by forty digits, with one key`() {
        let commands: [any StoreCommand] = [
            KeepSession(key: name, generation: 1, value: [0], timeToLive: life),
            BeginRefresh(key: name, generation: 1, lease: life),
            CommitRefresh(key: name, fence: 1, leased: 1, generation: 2, value: [0], timeToLive: life),
            PutBackRefresh(key: name, fence: 1, pause: life), EndSession(key: name, tombstone: life),
            MarkEnded(key: name, until: 1, timeToLive: life),
            EnrollSession(key: name, session: name, timeToLive: life),
            HostRequestObject(key: name, value: [0], timeToLive: life), FetchRequestObject(key: name, limit: 5),
            WriteLog(key: name, line: StoreLogLine(.ended, of: name)),
        ]
        for command in commands {
            let arguments = command.arguments(scripts)
            #expect(arguments[0] == "EVALSHA".bytes && arguments[1].count == 40)
            #expect(arguments[1].allSatisfy { "0123456789abcdef".utf8.contains($0) })
            #expect(arguments[2] == "1".bytes && arguments[3] == command.key.bytes)
        }
    }

    /// Every answer that a server could give, to every command: an outcome or a refusal, and no trap.
    @Test func `takes no answer that is another command's`() {
        let answers: [StoreReply] = [
            .integer(-1), .integer(3), .integer(.max), .bytes("PONG".bytes), .status("OK".bytes), .array([]),
            .array([.null, .null, .null]),
            .array([.integer(9)]), .array([.integer(1)]), .array([.integer(4), .bytes("x".bytes)]),
            .array([.integer(4), .bytes("0".bytes)]), .array([.integer(2), .integer(-5)]),
            .array([.integer(1), .bytes("7".bytes), .bytes([])]), .array([.array([])]),
            .array([.integer(3), .integer(0)]), .array([.integer(2), .integer(600_001)]),
            // Whoever adds such a number to a time of now would end the process.
            .array([.integer(2), .integer(.max)]), .array([.integer(3), .integer(.max)]),
            .array([.integer(3), .bytes("9223372036854775807".bytes)]),
            .array([.integer(1), .integer(1)]),
        ]
        for answer in answers {
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try BeginRefresh(key: name, generation: 7, lease: life).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try KeepSession(key: name, generation: 1, value: [], timeToLive: life).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try PutBackRefresh(key: name, fence: 1, pause: life).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try EndSession(key: name, tombstone: life).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try TouchSession(key: name, timeToLive: life).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try LoadSession(key: name).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") { try ReadMarker(key: name).outcome(of: answer) }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try MarkEnded(key: name, until: 1, timeToLive: life).outcome(of: answer)
            }
            #expect(throws: StoreRefusal.unexpected, "\(answer)") {
                try RemoveRequestObject(key: name).outcome(of: answer)
            }
        }
    }

    @Test func `that is refused says the first word of why, and nothing more`() {
        let refusals = [
            "OOM command not allowed": "OOM", "WRONGTYPE Operation": "WRONGTYPE", "ERR secret eyJ0b2tlbg": "ERR",
            "eyJ0b2tlbg": "", "": "", "MOVED 3999 127.0.0.1:6381": "MOVED",
            String(repeating: "A", count: 10_000): String(repeating: "A", count: 16),
        ]
        for (text, word) in refusals {
            #expect(throws: StoreRefusal.refused(word)) {
                try RecheckSession(key: name).outcome(of: .error(text.bytes))
            }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("-3", -3), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("+1", nil), ("01", nil), ("", nil), ("-0", nil), ("1 ", nil), ("1.0", nil),
            ("x", nil),
        ] as [(String, Int64?)])
    func `reads numbers in one spelling`(text: String, number: Int64?) {
        #expect(StoreReply.bytes(text.bytes).number == number)
    }
}

@Suite struct `the lifetime of a session in the store` {
    private func lifetime(idle: Int = 1800, absolute: Int = 28_800) -> SessionLifetime {
        var settings = SessionSettings(cookieName: "__Host-x")
        settings.idle = .seconds(idle)
        settings.absolute = .seconds(absolute)
        return SessionLifetime(settings)
    }

    @Test(.holds("SH-23")) func `is the idle limit, and never beyond the absolute end`() {
        let session = Sample.session()
        #expect(lifetime().timeToLive(of: session, now: Sample.now)?.milliseconds == 1_800_000)
        #expect(lifetime().timeToLive(of: session, now: Sample.now + 28_000)?.milliseconds == 800_000)
        #expect(lifetime().timeToEnd(of: session, now: Sample.now + 28_000)?.milliseconds == 800_000)
        #expect(lifetime().timeToEnd(of: session, now: Sample.now)?.milliseconds == 28_800_000)
        // A limit that was lowered since holds for those that began before.
        #expect(lifetime(absolute: 600).timeToLive(of: session, now: Sample.now)?.milliseconds == 600_000)
    }

    @Test(.refuses("SH-23")) func `is over at the absolute end, whatever the store's time to live says`() {
        let session = Sample.session()
        for now in [Sample.now + 28_800, Sample.now + 99_999, .max] {
            #expect(lifetime().timeToLive(of: session, now: now) == nil)
            #expect(lifetime().timeToEnd(of: session, now: now) == nil)
        }
        #expect(lifetime(absolute: 600).timeToLive(of: session, now: Sample.now + 600) == nil)
        #expect(lifetime().timeToLive(of: session, now: .min)?.milliseconds == 1_800_000)
    }

    @Test func `is remembered for as long as it could have been, and a minute`() {
        #expect(lifetime().memoryOfEnding.milliseconds == 28_860_000)
    }
}
