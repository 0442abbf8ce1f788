import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import SharedState

@Suite struct `the scripts of the store` {
    private let server: RedisServer
    private let client: StoreClient

    init() throws {
        server = try RedisServer.shared.get()
        client = try server.client()
    }

    @Test(.holds("SH-49")) func `are called by the digests that the store gives them`() throws {
        let scripts = try StoreScripts()
        for (script, command) in zip(StoreScript.allCases, StoreScripts.loading) {
            #expect(try client.send(command) == .bytes(scripts.digest(script)), "\(script)")
        }
        #expect(Set(StoreScript.allCases.map(scripts.digest)).count == StoreScript.allCases.count)
    }

    @Test(.refuses("SH-49")) func `touch one key each, and ask for no other`() {
        for script in StoreScript.allCases {
            #expect(script.text.hasPrefix("#!lua"))
            let keys = script.text.matches(of: #/KEYS\[(\d+)\]/#).map { $0.1 }
            #expect(!keys.isEmpty && keys.allSatisfy { $0 == "1" }, "\(script)")
            // Each command has the key behind its name; TIME has none.
            let calls = script.text.matches(of: #/redis\.call\('(\w+)'(, KEYS\[1\])?/#)
            #expect(calls.allSatisfy { $0.2 != nil || $0.1 == "TIME" }, "\(script)")
        }
    }

    @Test(.holds("SH-47")) func `and the commands are those that the minimal user may use`() throws {
        let allowed = try MinimalUser.commands()
        #expect(allowed.count == 26)
        for script in StoreScript.allCases {
            let called = script.text.matches(of: #/redis\.call\('(\w+)'/#).map { String($0.1) }
            #expect(Set(called).subtracting(allowed) == [], "\(script)")
        }
    }

    @Test(.refuses("SH-47")) func `run under a user who may do nothing else`() throws {
        for words in [
            ["EVAL", "return 1", "0"], ["KEYS", "*"], ["SCAN", "0"], ["CONFIG", "GET", "*"], ["FLUSHALL"],
            ["DEL", "pc:x"],
            ["GET", "other:x"], ["SCRIPT", "FLUSH"], ["PERSIST", "pc:x"], ["MONITOR"],
        ] {
            guard case .error(let text) = try client.send(words.map(\.bytes)) else {
                Issue.record("\(words) was allowed")
                continue
            }
            #expect(text.starts(with: "NOPERM".utf8), "\(words)")
        }
    }

    @Test(.refuses("SH-49")) func `that the store has forgotten are refused as such, and given again`() throws {
        let own = try RedisServer()
        let client = try own.client()
        let keep = KeepSession(
            key: try Sample.unusedName(), generation: 0, value: "v".bytes, timeToLive: TimeToLive(seconds: 60))
        try own.administrator().expect(["SCRIPT", "FLUSH"])
        #expect(throws: StoreRefusal.refused("NOSCRIPT")) { try client.ask(keep) }
        for command in StoreScripts.loading { _ = try client.send(command) }
        #expect(try client.ask(keep) == .kept)
    }

    @Test func `keep and give back values of any bytes, as they are`() throws {
        let all = (0...255).map { UInt8($0) }
        for value in [all, "\r\n$3\r\nGET\r\n*1\r\n".bytes, [], "%s%n%b".bytes] {
            let name = try Sample.unusedName()
            let keep = KeepSession(key: name, generation: 7, value: value, timeToLive: TimeToLive(seconds: 60))
            #expect(try client.ask(keep) == .kept)
            #expect(try client.ask(LoadSession(key: name)) == .found(generation: 7, value: value))
            let begin = BeginRefresh(key: name, generation: 6, lease: TimeToLive(seconds: 1))
            #expect(try client.ask(begin) == .newer(generation: 7, value: value))
        }
    }

    @Test func `refuse a key of another type, and take it for nothing else`() throws {
        let (text, hash) = (try Sample.unusedName(), try Sample.unusedName())
        let life = TimeToLive(seconds: 60)
        try client.expect(["SET", String(decoding: text.bytes, as: UTF8.self), "x", "PX", "60000"])
        #expect(try client.ask(KeepSession(key: hash, generation: 0, value: [], timeToLive: life)) == .kept)
        let wrong = StoreRefusal.refused("WRONGTYPE")
        #expect(throws: wrong) {
            try client.ask(KeepSession(key: text, generation: 0, value: [], timeToLive: life))
        }
        #expect(throws: wrong) { try client.ask(LoadSession(key: text)) }
        #expect(throws: wrong) { try client.ask(RecheckSession(key: text)) }
        #expect(throws: wrong) { try client.ask(BeginRefresh(key: text, generation: 0, lease: life)) }
        #expect(throws: wrong) { try client.ask(PutBackRefresh(key: text, fence: 1, pause: life)) }
        #expect(throws: wrong) { try client.ask(EndSession(key: text, tombstone: life)) }
        #expect(throws: wrong) { try client.ask(FetchRequestObject(key: text, limit: 5)) }
        #expect(throws: wrong) { try client.ask(ReadMarker(key: hash)) }
        #expect(throws: wrong) { try client.ask(MarkEnded(key: hash, until: 0, timeToLive: life)) }
        #expect(throws: wrong) { try client.ask(EnrollSession(key: text, session: hash, timeToLive: life)) }
        #expect(throws: wrong) { try client.ask(WriteLog(key: text, line: StoreLogLine(.ended, of: hash))) }
        let commit = CommitRefresh(key: text, fence: 1, leased: 0, generation: 1, value: [], timeToLive: life)
        #expect(throws: wrong) { try client.ask(commit) }
    }

    /// What a user may not do shows inside of scripts too.
    @Test(.refuses("SH-47")) func `are refused under a user who lacks one of their commands, which is named`() throws {
        let own = try RedisServer()
        let administrator = try own.administrator()
        let client = try own.client()
        let name = try Sample.unusedName()
        let life = TimeToLive(seconds: 60)
        for command in ["hset", "pexpire", "exists", "evalsha"] {
            try administrator.expect(["ACL", "SETUSER", "portcullis", "-" + command])
            let keep = KeepSession(key: name, generation: 0, value: [], timeToLive: life)
            #expect(throws: StoreRefusal.self, "\(command)") { try client.ask(keep) }
            try administrator.expect(["ACL", "SETUSER", "portcullis", "+" + command])
        }
    }
}
